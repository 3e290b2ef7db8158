/* SPDX-License-Identifier: GPL-2.0-or-later */
BEGIN { trace(*(int *)copyin(arg0, 10000000)); }

/* SPDX-License-Identifier: GPL-2.0-or-later */
BEGIN { trace(mutex_owned(arg0)); }

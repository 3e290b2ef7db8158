/* SPDX-License-Identifier: GPL-2.0-or-later */
BEGIN { bcopy(arg0, alloca(8), 8); }

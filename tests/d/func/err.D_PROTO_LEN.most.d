/* SPDX-License-Identifier: GPL-2.0-or-later */
BEGIN { trace(substr("abc", 1, 2, 3)); }

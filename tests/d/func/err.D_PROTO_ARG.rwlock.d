/* SPDX-License-Identifier: GPL-2.0-or-later */
BEGIN { trace(rw_read_held((struct mutex *)arg0)); }

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* There is no such register. */
BEGIN { trace(uregs[21]); }

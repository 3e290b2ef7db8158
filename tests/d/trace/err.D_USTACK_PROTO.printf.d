/* SPDX-License-Identifier: GPL-2.0-or-later */
BEGIN { printf("%k", ustack(1, 2, 3)); }

/* SPDX-License-Identifier: GPL-2.0-or-later */
BEGIN { n = 3; stack(n); }

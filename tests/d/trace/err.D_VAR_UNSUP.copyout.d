/* SPDX-License-Identifier: GPL-2.0-or-later */
BEGIN { copyout(alloca(8), 0, 8); }

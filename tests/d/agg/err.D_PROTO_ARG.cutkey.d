/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A key of a later use does not lose bits in silence. */
BEGIN { @a[1] = count(); @a[timestamp] = count(); }

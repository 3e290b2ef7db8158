/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A process of the guest cannot be stopped from outside. */
BEGIN { stop(); }

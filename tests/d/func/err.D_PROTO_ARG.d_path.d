/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a path is not: a task. */
BEGIN
{
	trace(d_path(`cur));
}

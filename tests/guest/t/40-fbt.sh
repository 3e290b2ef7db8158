# SPDX-License-Identifier: GPL-2.0-or-later
# 40-fbt.sh - kernel functions, entry and return.

test_entry_and_return_values()
{
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    fbt::vfs_write:entry /execname == "dvwork"/ { @e = count(); self->n = arg2; }
	    fbt::vfs_write:return /execname == "dvwork" && self->n/ { @r[arg1 == self->n] = count(); self->n = 0; }
	    END { printa("%@d ", @e); printa("%d %@d\n", @r); }' || return 1
	line=$(guest_run g 'dvwork syscalls 200') || return 1
	trace_stop
	no_drops || return 1
	n=$(guest_count "$line" write)
	same vfs_write "$(last "$tmp/trace.out")" "$n 1 $n"
}

test_typed_arguments()
{
	trace_start -qn 'BEGIN { printf("ready\n"); }
	    fbt::vfs_write:entry /execname == "dvwork"/ { @[args[2], args[0]->f_path.dentry->d_name.len] = count(); }
	    END { printa("%d %d %@d\n", @); }' || return 1
	guest_run g 'dvwork syscalls 100' || return 1
	trace_stop
	no_drops || return 1
	grep -q '^64 4 100$' "$tmp/trace.out" || { cat "$tmp/trace.out"; fail "no 100 writes of 64 bytes to \"null\""; }
}

test_all_entries_at_once()
{
	trace_start -qn 'BEGIN { printf("ready\n"); } fbt:::entry { @ = count(); } END { printa("%@d\n", @); }' || return 1
	guest_run g 'dvwork syscalls 20' || return 1
	trace_stop
	n=$(last "$tmp/trace.out")
	[ "$n" -gt 1000 ] || fail "only $n calls"
}

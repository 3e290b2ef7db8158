BEGIN {
	trace(BROKEN);
}

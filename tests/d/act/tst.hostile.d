// opts: destructive quiet
/* What a guest's string adds to a command or to a file's name does no harm. */
BEGIN
{
	this->evil = strjoin("$(reboot);`x` \"a' & b|c>d\\e", "\n*?~#!");
	system("echo %s %-20s| cat; echo '%s'", this->evil, "a;b", "const;ant");
	system("%S", this->evil);
	system("rm /tmp/%s %s|%8s|%-8s|", strjoin("x -rf ", "/"), strjoin("-", "rf"),
	    strjoin("a ", "b"), strjoin(" c", " "));
	system("kill %d %d; echo %a", -9, pid, &`answer);
	this->path = strjoin("../../etc", "/passwd");
	freopen("/tmp/%s.%d", this->path, 1);
	freopen("%s", "/tmp/constant");
	freopen("");
	exit(0);
}

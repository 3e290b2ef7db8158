struct s {
	int a;
	struct s inside;
};

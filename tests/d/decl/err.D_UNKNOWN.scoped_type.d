struct vmlinux`nosuch *p;

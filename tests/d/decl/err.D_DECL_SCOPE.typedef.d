typedef int vmlinux`x;

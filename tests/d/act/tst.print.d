/* print(): values with their types. */
#pragma D option quiet
struct inner { char c; unsigned char u; short v[3]; char name[8]; };
struct outer { int a; struct inner in[2]; struct outer *next; union { long l; char b; }; };
struct outer *o;
BEGIN
{
	print(42);
	print(-1LL);
	print((char)'a');
	print((char)7);
	print((unsigned char)200);
	print("a \"string\"\n");
	print(execname);
	print(RED);
	print((enum color)9);
	print(`answer);
	print(`points[1]);
	print(`flags);
	print(`name);
	print(`points);
	print((struct task_struct *)0);
	print((void *)0x1234);
	o = alloca(sizeof(struct outer));
	o->a = -7;
	o->l = 0x41;
	print(*o);
}
BEGIN
{
	printf("after\n");
	exit(0);
}

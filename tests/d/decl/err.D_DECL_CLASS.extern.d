extern typedef int x;

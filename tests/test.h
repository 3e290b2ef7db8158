/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test.h - the test macros: a thin layer over cmocka.
 *
 *	#include "test.h"
 *
 *	TEST(reserve_past_end_is_a_drop)
 *	{
 *		EXPECT(p == NULL);
 *		EXPECT_EQ(b.drops, 1);
 *	}
 *	TEST_MAIN()
 *
 * Each TEST registers itself; TEST_MAIN() runs those of the file, in order,
 * or only the ones whose names are given as arguments. The first EXPECT that
 * does not hold ends its test. Each prints its arguments' values.
 */
#ifndef DV_TEST_H
#define DV_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define TEST_MAX	512		/* tests in a file */

__attribute__((unused)) static struct CMUnitTest test_list[TEST_MAX];
__attribute__((unused)) static size_t test_count;

#define TEST(name)							\
	static void test_##name(void **);				\
	__attribute__((constructor)) static void			\
	test_register_##name(void)					\
	{								\
		if (test_count == TEST_MAX) {				\
			fputs("too many tests: raise TEST_MAX\n", stderr); \
			__builtin_abort();				\
		}							\
		test_list[test_count++] = (struct CMUnitTest)		\
		    { #name, test_##name, NULL, NULL, NULL };		\
	}								\
	static void test_##name(__attribute__((unused)) void **test_state)

#define EXPECT(cond)							\
	_assert_true((uintmax_t)!!(cond), #cond, __FILE__, __LINE__)

/* Integers and pointers; both sides are shown in hexadecimal if they differ. */
#define EXPECT_EQ(a, b)							\
	_assert_int_equal((uintmax_t)(a), (uintmax_t)(b), __FILE__, __LINE__)

#define EXPECT_STREQ(a, b)						\
	test_streq((a), (b), __FILE__, __LINE__)

#define EXPECT_MEMEQ(a, b, n)						\
	_assert_memory_equal((a), (b), (n), __FILE__, __LINE__)

/* Ends the test without a verdict; REASON is a string constant or a char *. */
#define SKIP(reason)							\
	do {								\
		printf("skip: %s\n", (reason));				\
		fflush(stdout);						\
		_skip(__FILE__, __LINE__);				\
	} while (0)

#define FAIL(...)							\
	do {								\
		print_error(__VA_ARGS__);				\
		print_error("\n");					\
		_fail(__FILE__, __LINE__);				\
	} while (0)

#define TEST_MAIN()							\
	int								\
	main(int argc, char **argv)					\
	{								\
		return test_main(argc, argv, __FILE__);			\
	}

__attribute__((unused)) static void
test_streq(const char *a, const char *b, const char *file, int line)
{
	if (a == NULL || b == NULL) {
		if (a != b) {
			print_error("\"%s\" != \"%s\"\n",
			    a != NULL ? a : "(null)", b != NULL ? b : "(null)");
			_fail(file, line);
		}
		return;
	}
	_assert_string_equal(a, b, file, line);
}

__attribute__((unused)) static int
test_main(int argc, char **argv, const char *file)
{
	size_t i, n = 0;
	int j;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (i = 0; i < test_count; i++) {
		for (j = 1; j < argc; j++)
			if (strcmp(argv[j], test_list[i].name) == 0)
				break;
		if (argc == 1 || j < argc)
			test_list[n++] = test_list[i];
	}
	return _cmocka_run_group_tests(file, test_list, n, NULL, NULL);
}

#endif

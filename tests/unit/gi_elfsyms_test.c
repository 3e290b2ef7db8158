/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gi_elfsyms_test.c - functions of an ELF file are found, also where parts of it are missing. */
#include "test.h"
#include "guest-introspect/linux/user.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#define SIZE	0x8000u
#define HOLES	(SIZE / 4096)

struct fake {
	_Alignas(8) uint8_t b[SIZE];
	bool hole[HOLES];		/* pages that are not there */
};

static bool
read_fake(void *arg, uint64_t off, void *buf, size_t len)
{
	struct fake *f = arg;
	uint8_t *p = buf;
	bool any = false;

	for (; len > 0; len--, off++, p++) {
		*p = 0;
		if (off < SIZE && !f->hole[off / 4096]) {
			*p = f->b[off];
			any = true;
		}
	}
	return any;
}

/* Code at 0x1000, mapped at 0x401000; .dynsym, .dynstr at 0x3000; .symtab at 0x5000; headers at 0x7000. */
static void
fake_make(struct fake *f)
{
	static const char strs[] = "\0outer\0inner\0last\0data";
	Elf64_Ehdr *h = (Elf64_Ehdr *)f->b;
	Elf64_Phdr *ph = (Elf64_Phdr *)(f->b + 0x40);
	Elf64_Shdr *sh = (Elf64_Shdr *)(f->b + 0x7000);
	Elf64_Dyn *dyn = (Elf64_Dyn *)(f->b + 0x2000);
	Elf64_Sym *s;
	int i;

	memset(f, 0, sizeof(*f));
	memcpy(h->e_ident, "\177ELF\2\1\1", 7);
	h->e_phentsize = sizeof(*ph);
	h->e_phoff = 0x40;
	h->e_phnum = 2;
	h->e_shentsize = sizeof(*sh);
	h->e_shoff = 0x7000;
	h->e_shnum = 5;
	ph[0] = (Elf64_Phdr){ .p_type = PT_LOAD, .p_vaddr = 0x400000, .p_filesz = 0x5000 };
	ph[1] = (Elf64_Phdr){ .p_type = PT_DYNAMIC, .p_offset = 0x2000, .p_vaddr = 0x402000,
	    .p_filesz = 4 * sizeof(*dyn) };
	dyn[0] = (Elf64_Dyn){ DT_SYMTAB, { 0x403000 } };
	dyn[1] = (Elf64_Dyn){ DT_STRTAB, { 0x403000 + 3 * sizeof(*s) } };
	dyn[2] = (Elf64_Dyn){ DT_STRSZ, { sizeof(strs) } };
	for (i = 0; i < 2; i++) {
		uint64_t at = i == 0 ? 0x3000 : 0x5000;
		unsigned n = i == 0 ? 3 : 5;

		s = (Elf64_Sym *)(f->b + at);
		s[1] = (Elf64_Sym){ 1, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 1, 0x401000, 0x100 };
		s[2] = (Elf64_Sym){ 13, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 1, 0x401200, 0x10 };
		if (i == 1) {
			s[3] = (Elf64_Sym){ 7, ELF64_ST_INFO(STB_LOCAL, STT_FUNC), 0, 1, 0x401010, 8 };
			s[4] = (Elf64_Sym){ 18, ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT), 0, 1,
			    0x401080, 0x10 };
		}
		memcpy(f->b + at + n * sizeof(*s), strs, sizeof(strs));
		sh[1 + 2 * i] = (Elf64_Shdr){ .sh_type = i == 0 ? SHT_DYNSYM : SHT_SYMTAB,
		    .sh_offset = at, .sh_size = n * sizeof(*s), .sh_link = (uint32_t)(2 + 2 * i) };
		sh[2 + 2 * i] = (Elf64_Shdr){ .sh_type = SHT_STRTAB,
		    .sh_offset = at + n * sizeof(*s), .sh_size = sizeof(strs) };
	}
}

#define EXPECT_SYM(s, at, name, o)					\
	do {								\
		uint64_t off_ = 0;					\
		const char *n_ = gi_elfsyms_find(s, at, &off_);		\
									\
		EXPECT_STREQ(n_ == NULL ? "-" : n_, name);		\
		if (n_ != NULL)						\
			EXPECT_EQ(off_, o);				\
	} while (0)

TEST(functions_are_found_by_their_size)
{
	static struct fake f;
	struct gi_elfsyms *s;

	fake_make(&f);
	s = gi_elfsyms_read(read_fake, &f);
	EXPECT(s != NULL);
	EXPECT_SYM(s, 0x1000, "outer", 0);
	EXPECT_SYM(s, 0x1012, "inner", 2);
	EXPECT_SYM(s, 0x1018, "outer", 0x18);	/* past the one inside */
	EXPECT_SYM(s, 0x1088, "outer", 0x88);	/* data is no function */
	EXPECT_SYM(s, 0x1100, "-", 0);
	EXPECT_SYM(s, 0x120f, "last", 0xf);
	EXPECT_SYM(s, 0x1210, "-", 0);
	EXPECT_SYM(s, 0x6000, "-", 0);		/* in no segment */
	EXPECT_SYM(s, ~0ull, "-", 0);
	gi_elfsyms_free(s);
}

TEST(what_is_not_there_is_not_made_up)
{
	static struct fake f;
	struct gi_elfsyms *s;

	fake_make(&f);
	f.hole[5] = true;			/* .symtab: .dynsym it is */
	s = gi_elfsyms_read(read_fake, &f);
	EXPECT(s != NULL);
	EXPECT_SYM(s, 0x1012, "outer", 0x12);
	gi_elfsyms_free(s);
	f.hole[7] = true;			/* section headers: the dynamic section tells */
	s = gi_elfsyms_read(read_fake, &f);
	EXPECT(s != NULL);
	EXPECT_SYM(s, 0x1205, "last", 5);
	gi_elfsyms_free(s);
	f.hole[2] = true;
	EXPECT(gi_elfsyms_read(read_fake, &f) == NULL);
	f.hole[0] = true;
	EXPECT(gi_elfsyms_read(read_fake, &f) == NULL);
	gi_elfsyms_free(NULL);
}

TEST(forged_files_do_no_harm)
{
	static struct fake f;
	struct gi_elfsyms *s;
	uint32_t seed = 1;
	unsigned i, j;
	uint64_t off;

	for (i = 0; i < 2000; i++) {
		fake_make(&f);
		for (j = 0; j < 40; j++) {
			static const uint16_t at[] = { 0, 0x40, 0x2000, 0x3000, 0x5000, 0x7000 };

			seed = seed * 1103515245 + 12345;
			f.b[at[(seed >> 16) % 6] + (seed >> 20 & 0xff)] ^= (uint8_t)(seed >> 8);
		}
		memcpy(f.b, "\177ELF\2\1\1", 7);
		s = gi_elfsyms_read(read_fake, &f);
		if (s != NULL)
			(void)gi_elfsyms_find(s, seed, &off);
		gi_elfsyms_free(s);
	}
}

struct counted {
	struct fake f;
	uint64_t bytes;			/* that were asked for */
};

static bool
read_counted(void *arg, uint64_t off, void *buf, size_t len)
{
	struct counted *c = arg;
	size_t n = off < SIZE ? SIZE - off : 0;

	c->bytes += len;
	memset(buf, 0, len);
	return n > 0 && read_fake(&c->f, off, buf, n < len ? n : len);
}

TEST(thousands_of_tables_are_not_all_read)
{
	static struct counted c;
	Elf64_Shdr *sh = (Elf64_Shdr *)(c.f.b + 0x1000);
	Elf64_Ehdr *h = (Elf64_Ehdr *)c.f.b;
	struct gi_elfsyms *s;
	unsigned i, n = 400;

	fake_make(&c.f);
	memset(sh, 0, SIZE - 0x1000);
	h->e_shoff = 0x1000;
	h->e_shnum = n;
	for (i = 0; i < n; i++)		/* no symbol in any of them */
		sh[i] = (Elf64_Shdr){ .sh_type = i % 2 != 0 ? SHT_SYMTAB : SHT_DYNSYM,
		    .sh_offset = 0x7800, .sh_size = 1 << 30, .sh_link = i };
	s = gi_elfsyms_read(read_counted, &c);
	EXPECT(s == NULL);
	EXPECT(c.bytes < 100u << 20);
	gi_elfsyms_free(s);
}

TEST_MAIN()

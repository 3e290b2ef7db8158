/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Integer and character constants, their types and escapes. */
#pragma D option quiet
BEGIN { printf("%d %d %d %d\n", 'a', '\n', '\0', '\\'); printf("%d %d %x %x\n", '\'', '"', 'ab', 'abcdefgh'); printf("%d %d %d\n", '\x41', '\101', '\377');
printf("%s\n", "a\x41\101\"\\'z");
printf("%d %d %d\n", 0xfful, 0XFFLL, 017u);
printf("%d\n", 0xffffffffffffffffULL); printf("%d\n", sizeof(1)); printf("%d %d %d %d %d\n", sizeof(1u), sizeof(1l), sizeof(1ll), sizeof(1ull), sizeof(4294967296)); printf("%d %d %d\n", sizeof('a'), sizeof("abc"), sizeof(0x80000000));
printf("%d\n", '\q'); printf("%d\n", 'a' /* c */ + 1 // x
); exit(0); }

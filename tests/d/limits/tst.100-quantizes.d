/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A hundred clauses with a quantize() each. */
#pragma D option quiet
t:m:hit:entry
/args[1] >= 0 / 50/
{
	@q0[execname] = quantize(args[1] * 1 + 0);
}
t:m:hit:entry
/args[1] >= 1 / 50/
{
	@q1[execname] = quantize(args[1] * 2 + 1);
}
t:m:hit:entry
/args[1] >= 2 / 50/
{
	@q2[execname] = quantize(args[1] * 3 + 2);
}
t:m:hit:entry
/args[1] >= 3 / 50/
{
	@q3[execname] = quantize(args[1] * 4 + 0);
}
t:m:hit:entry
/args[1] >= 4 / 50/
{
	@q4[execname] = quantize(args[1] * 5 + 1);
}
t:m:hit:entry
/args[1] >= 5 / 50/
{
	@q5[execname] = quantize(args[1] * 6 + 2);
}
t:m:hit:entry
/args[1] >= 6 / 50/
{
	@q6[execname] = quantize(args[1] * 7 + 0);
}
t:m:hit:entry
/args[1] >= 7 / 50/
{
	@q7[execname] = quantize(args[1] * 8 + 1);
}
t:m:hit:entry
/args[1] >= 8 / 50/
{
	@q8[execname] = quantize(args[1] * 9 + 2);
}
t:m:hit:entry
/args[1] >= 9 / 50/
{
	@q9[execname] = quantize(args[1] * 10 + 0);
}
t:m:hit:entry
/args[1] >= 10 / 50/
{
	@q10[execname] = quantize(args[1] * 11 + 1);
}
t:m:hit:entry
/args[1] >= 11 / 50/
{
	@q11[execname] = quantize(args[1] * 12 + 2);
}
t:m:hit:entry
/args[1] >= 12 / 50/
{
	@q12[execname] = quantize(args[1] * 13 + 0);
}
t:m:hit:entry
/args[1] >= 13 / 50/
{
	@q13[execname] = quantize(args[1] * 14 + 1);
}
t:m:hit:entry
/args[1] >= 14 / 50/
{
	@q14[execname] = quantize(args[1] * 15 + 2);
}
t:m:hit:entry
/args[1] >= 15 / 50/
{
	@q15[execname] = quantize(args[1] * 16 + 0);
}
t:m:hit:entry
/args[1] >= 16 / 50/
{
	@q16[execname] = quantize(args[1] * 17 + 1);
}
t:m:hit:entry
/args[1] >= 17 / 50/
{
	@q17[execname] = quantize(args[1] * 18 + 2);
}
t:m:hit:entry
/args[1] >= 18 / 50/
{
	@q18[execname] = quantize(args[1] * 19 + 0);
}
t:m:hit:entry
/args[1] >= 19 / 50/
{
	@q19[execname] = quantize(args[1] * 20 + 1);
}
t:m:hit:entry
/args[1] >= 20 / 50/
{
	@q20[execname] = quantize(args[1] * 21 + 2);
}
t:m:hit:entry
/args[1] >= 21 / 50/
{
	@q21[execname] = quantize(args[1] * 22 + 0);
}
t:m:hit:entry
/args[1] >= 22 / 50/
{
	@q22[execname] = quantize(args[1] * 23 + 1);
}
t:m:hit:entry
/args[1] >= 23 / 50/
{
	@q23[execname] = quantize(args[1] * 24 + 2);
}
t:m:hit:entry
/args[1] >= 24 / 50/
{
	@q24[execname] = quantize(args[1] * 25 + 0);
}
t:m:hit:entry
/args[1] >= 25 / 50/
{
	@q25[execname] = quantize(args[1] * 26 + 1);
}
t:m:hit:entry
/args[1] >= 26 / 50/
{
	@q26[execname] = quantize(args[1] * 27 + 2);
}
t:m:hit:entry
/args[1] >= 27 / 50/
{
	@q27[execname] = quantize(args[1] * 28 + 0);
}
t:m:hit:entry
/args[1] >= 28 / 50/
{
	@q28[execname] = quantize(args[1] * 29 + 1);
}
t:m:hit:entry
/args[1] >= 29 / 50/
{
	@q29[execname] = quantize(args[1] * 30 + 2);
}
t:m:hit:entry
/args[1] >= 30 / 50/
{
	@q30[execname] = quantize(args[1] * 31 + 0);
}
t:m:hit:entry
/args[1] >= 31 / 50/
{
	@q31[execname] = quantize(args[1] * 32 + 1);
}
t:m:hit:entry
/args[1] >= 32 / 50/
{
	@q32[execname] = quantize(args[1] * 33 + 2);
}
t:m:hit:entry
/args[1] >= 33 / 50/
{
	@q33[execname] = quantize(args[1] * 34 + 0);
}
t:m:hit:entry
/args[1] >= 34 / 50/
{
	@q34[execname] = quantize(args[1] * 35 + 1);
}
t:m:hit:entry
/args[1] >= 35 / 50/
{
	@q35[execname] = quantize(args[1] * 36 + 2);
}
t:m:hit:entry
/args[1] >= 36 / 50/
{
	@q36[execname] = quantize(args[1] * 37 + 0);
}
t:m:hit:entry
/args[1] >= 37 / 50/
{
	@q37[execname] = quantize(args[1] * 38 + 1);
}
t:m:hit:entry
/args[1] >= 38 / 50/
{
	@q38[execname] = quantize(args[1] * 39 + 2);
}
t:m:hit:entry
/args[1] >= 39 / 50/
{
	@q39[execname] = quantize(args[1] * 40 + 0);
}
t:m:hit:entry
/args[1] >= 40 / 50/
{
	@q40[execname] = quantize(args[1] * 41 + 1);
}
t:m:hit:entry
/args[1] >= 41 / 50/
{
	@q41[execname] = quantize(args[1] * 42 + 2);
}
t:m:hit:entry
/args[1] >= 42 / 50/
{
	@q42[execname] = quantize(args[1] * 43 + 0);
}
t:m:hit:entry
/args[1] >= 43 / 50/
{
	@q43[execname] = quantize(args[1] * 44 + 1);
}
t:m:hit:entry
/args[1] >= 44 / 50/
{
	@q44[execname] = quantize(args[1] * 45 + 2);
}
t:m:hit:entry
/args[1] >= 45 / 50/
{
	@q45[execname] = quantize(args[1] * 46 + 0);
}
t:m:hit:entry
/args[1] >= 46 / 50/
{
	@q46[execname] = quantize(args[1] * 47 + 1);
}
t:m:hit:entry
/args[1] >= 47 / 50/
{
	@q47[execname] = quantize(args[1] * 48 + 2);
}
t:m:hit:entry
/args[1] >= 48 / 50/
{
	@q48[execname] = quantize(args[1] * 49 + 0);
}
t:m:hit:entry
/args[1] >= 49 / 50/
{
	@q49[execname] = quantize(args[1] * 50 + 1);
}
t:m:hit:entry
/args[1] >= 50 / 50/
{
	@q50[execname] = quantize(args[1] * 51 + 2);
}
t:m:hit:entry
/args[1] >= 51 / 50/
{
	@q51[execname] = quantize(args[1] * 52 + 0);
}
t:m:hit:entry
/args[1] >= 52 / 50/
{
	@q52[execname] = quantize(args[1] * 53 + 1);
}
t:m:hit:entry
/args[1] >= 53 / 50/
{
	@q53[execname] = quantize(args[1] * 54 + 2);
}
t:m:hit:entry
/args[1] >= 54 / 50/
{
	@q54[execname] = quantize(args[1] * 55 + 0);
}
t:m:hit:entry
/args[1] >= 55 / 50/
{
	@q55[execname] = quantize(args[1] * 56 + 1);
}
t:m:hit:entry
/args[1] >= 56 / 50/
{
	@q56[execname] = quantize(args[1] * 57 + 2);
}
t:m:hit:entry
/args[1] >= 57 / 50/
{
	@q57[execname] = quantize(args[1] * 58 + 0);
}
t:m:hit:entry
/args[1] >= 58 / 50/
{
	@q58[execname] = quantize(args[1] * 59 + 1);
}
t:m:hit:entry
/args[1] >= 59 / 50/
{
	@q59[execname] = quantize(args[1] * 60 + 2);
}
t:m:hit:entry
/args[1] >= 60 / 50/
{
	@q60[execname] = quantize(args[1] * 61 + 0);
}
t:m:hit:entry
/args[1] >= 61 / 50/
{
	@q61[execname] = quantize(args[1] * 62 + 1);
}
t:m:hit:entry
/args[1] >= 62 / 50/
{
	@q62[execname] = quantize(args[1] * 63 + 2);
}
t:m:hit:entry
/args[1] >= 63 / 50/
{
	@q63[execname] = quantize(args[1] * 64 + 0);
}
t:m:hit:entry
/args[1] >= 64 / 50/
{
	@q64[execname] = quantize(args[1] * 65 + 1);
}
t:m:hit:entry
/args[1] >= 65 / 50/
{
	@q65[execname] = quantize(args[1] * 66 + 2);
}
t:m:hit:entry
/args[1] >= 66 / 50/
{
	@q66[execname] = quantize(args[1] * 67 + 0);
}
t:m:hit:entry
/args[1] >= 67 / 50/
{
	@q67[execname] = quantize(args[1] * 68 + 1);
}
t:m:hit:entry
/args[1] >= 68 / 50/
{
	@q68[execname] = quantize(args[1] * 69 + 2);
}
t:m:hit:entry
/args[1] >= 69 / 50/
{
	@q69[execname] = quantize(args[1] * 70 + 0);
}
t:m:hit:entry
/args[1] >= 70 / 50/
{
	@q70[execname] = quantize(args[1] * 71 + 1);
}
t:m:hit:entry
/args[1] >= 71 / 50/
{
	@q71[execname] = quantize(args[1] * 72 + 2);
}
t:m:hit:entry
/args[1] >= 72 / 50/
{
	@q72[execname] = quantize(args[1] * 73 + 0);
}
t:m:hit:entry
/args[1] >= 73 / 50/
{
	@q73[execname] = quantize(args[1] * 74 + 1);
}
t:m:hit:entry
/args[1] >= 74 / 50/
{
	@q74[execname] = quantize(args[1] * 75 + 2);
}
t:m:hit:entry
/args[1] >= 75 / 50/
{
	@q75[execname] = quantize(args[1] * 76 + 0);
}
t:m:hit:entry
/args[1] >= 76 / 50/
{
	@q76[execname] = quantize(args[1] * 77 + 1);
}
t:m:hit:entry
/args[1] >= 77 / 50/
{
	@q77[execname] = quantize(args[1] * 78 + 2);
}
t:m:hit:entry
/args[1] >= 78 / 50/
{
	@q78[execname] = quantize(args[1] * 79 + 0);
}
t:m:hit:entry
/args[1] >= 79 / 50/
{
	@q79[execname] = quantize(args[1] * 80 + 1);
}
t:m:hit:entry
/args[1] >= 80 / 50/
{
	@q80[execname] = quantize(args[1] * 81 + 2);
}
t:m:hit:entry
/args[1] >= 81 / 50/
{
	@q81[execname] = quantize(args[1] * 82 + 0);
}
t:m:hit:entry
/args[1] >= 82 / 50/
{
	@q82[execname] = quantize(args[1] * 83 + 1);
}
t:m:hit:entry
/args[1] >= 83 / 50/
{
	@q83[execname] = quantize(args[1] * 84 + 2);
}
t:m:hit:entry
/args[1] >= 84 / 50/
{
	@q84[execname] = quantize(args[1] * 85 + 0);
}
t:m:hit:entry
/args[1] >= 85 / 50/
{
	@q85[execname] = quantize(args[1] * 86 + 1);
}
t:m:hit:entry
/args[1] >= 86 / 50/
{
	@q86[execname] = quantize(args[1] * 87 + 2);
}
t:m:hit:entry
/args[1] >= 87 / 50/
{
	@q87[execname] = quantize(args[1] * 88 + 0);
}
t:m:hit:entry
/args[1] >= 88 / 50/
{
	@q88[execname] = quantize(args[1] * 89 + 1);
}
t:m:hit:entry
/args[1] >= 89 / 50/
{
	@q89[execname] = quantize(args[1] * 90 + 2);
}
t:m:hit:entry
/args[1] >= 90 / 50/
{
	@q90[execname] = quantize(args[1] * 91 + 0);
}
t:m:hit:entry
/args[1] >= 91 / 50/
{
	@q91[execname] = quantize(args[1] * 92 + 1);
}
t:m:hit:entry
/args[1] >= 92 / 50/
{
	@q92[execname] = quantize(args[1] * 93 + 2);
}
t:m:hit:entry
/args[1] >= 93 / 50/
{
	@q93[execname] = quantize(args[1] * 94 + 0);
}
t:m:hit:entry
/args[1] >= 94 / 50/
{
	@q94[execname] = quantize(args[1] * 95 + 1);
}
t:m:hit:entry
/args[1] >= 95 / 50/
{
	@q95[execname] = quantize(args[1] * 96 + 2);
}
t:m:hit:entry
/args[1] >= 96 / 50/
{
	@q96[execname] = quantize(args[1] * 97 + 0);
}
t:m:hit:entry
/args[1] >= 97 / 50/
{
	@q97[execname] = quantize(args[1] * 98 + 1);
}
t:m:hit:entry
/args[1] >= 98 / 50/
{
	@q98[execname] = quantize(args[1] * 99 + 2);
}
t:m:hit:entry
/args[1] >= 99 / 50/
{
	@q99[execname] = quantize(args[1] * 100 + 0);
}
END
{
	printa("%s q0%@d", @q0);
	printa("%s q49%@d", @q49);
	printa("%s q50%@d", @q50);
	printa("%s q99%@d", @q99);
}

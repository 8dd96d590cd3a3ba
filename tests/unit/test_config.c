/* test_config.c - settings (base/config.h): which numbers a count accepts. */
#include <criterion/criterion.h>
#include <stdio.h>
#include "base/config.h"

enum { DEFAULT = 16384 };       /* PROF_CONTEXTS's in settings.def */

static int contexts(const char *value)
{
    char setting[64], quiet[] = "PROF_QUIET=1";
    snprintf(setting, sizeof setting, "PROF_CONTEXTS=%s", value);
    char *const environment[] = { quiet, setting, 0 };
    config_setup(environment);
    return config.contexts;
}

Test(config, counts)
{
    cr_expect_eq(contexts("0"), 0);
    cr_expect_eq(contexts("7"), 7);
    cr_expect_eq(contexts("0000000000012"), 12);
    cr_expect_eq(contexts("100000000"), 100000000);
    cr_expect_eq(contexts("999999999"), 999999999);
}

/* A count is below 10^9. */
Test(config, large)
{
    static const char *const large[] = { "1000000000", "1000000001", "1000000009", "1000000010",
                                         "9999999999", "18446744073709551617" };
    for (unsigned i = 0; i < sizeof large / sizeof *large; i++)
        cr_expect_eq(contexts(large[i]), DEFAULT, "%s: %d", large[i], contexts(large[i]));
}

Test(config, not_numbers)
{
    static const char *const bad[] = { "", "-3", "+3", "3 ", "0x10", "1e3" };
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_expect_eq(contexts(bad[i]), DEFAULT, "%s: %d", bad[i], contexts(bad[i]));
}

/* A string's default is the one that config_setup gives. */
Test(config, defaults)
{
    char *const environment[] = { 0 };
    config_setup(environment);
    cr_expect_str_eq(config_default("PROF_SAMPLE"), config.sample);
    cr_expect_str_eq(config_default("PROF_OUTPUT"), config.output);
    cr_expect_str_eq(config_default("PROF_NONE"), "");
}

/* whatif_setting.c - reads PROF_WHATIF and PROF_DELAY. See whatif_private.h for their form.
 *
 * This file fills the tables before the first hook. Afterwards no one writes them.
 */
#include "whatif/whatif_private.h"
#include <string.h>
#include "base/memory.h"
#include "base/config.h"
#include "base/forbid.h"

/* The largest unit. A length overflows at 2^48 ticks, a day at 3 GHz; with a factor below 1 so much
 * sooner. */
#define UNIT 65536u

READ_MOSTLY uint32_t whatif_scenarios, whatif_candidates, whatif_unit, whatif_slots;
SELDOM struct whatif_scenario whatif_scenario[WHATIF_SCENARIOS];
SELDOM struct whatif_term whatif_term[WHATIF_TERMS];
char *whatif_candidate[WHATIF_CANDIDATES];
struct whatif_seen whatif_seen[WHATIF_CANDIDATES];
uint32_t whatif_delay[WHATIF_CANDIDATES];
bool whatif_delays;

static uint32_t term_count;     /* used entries of whatif_term */

static uint32_t gcd(uint32_t a, uint32_t b)
{
    while (b) {
        uint32_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

int whatif_index(const char *name)
{
    for (uint32_t i = 0; i < whatif_candidates; i++)
        if (!strcmp(whatif_candidate[i], name))
            return i;
    return -1;
}

/* The index of the candidate whose name stands at *P, up to one of ENDS. After a \, any character
 * is part of the name. Moves *P past the name. -1: there is no name, or no room. */
static int candidate(const char **p, const char *ends)
{
    char name[CONFIG_STRING];
    size_t n = 0;
    while (**p && !strchr(ends, **p) && n < sizeof name - 1) {
        if (**p == '\\' && (*p)[1])
            (*p)++;
        name[n++] = *(*p)++;
    }
    name[n] = 0;
    if (!n)
        return -1;
    int known = whatif_index(name);
    if (known >= 0)
        return known;
    if (whatif_candidates == WHATIF_CANDIDATES ||
        !(whatif_candidate[whatif_candidates] = memory_keep(n + 1)))
        return -1;
    strcpy(whatif_candidate[whatif_candidates], name);
    return whatif_candidates++;
}

/* Reads a factor at *P: "inf" (*DEN is 0), or a decimal number from 0.001 to 1000 with up to three
 * places, which an x may follow. Moves *P past it. False: there is none. */
static bool factor(const char **p, uint32_t *num, uint32_t *den)
{
    const char *c = *p;
    uint64_t n = 0, d = 1;
    if (!strncmp(c, "inf", 3)) {
        *num = 1;
        *den = 0;
        *p = c + 3;
        return true;
    }
    bool point = false, digits = false;
    for (;; c++) {
        if (*c == '.' && !point) {
            point = true;
            continue;
        }
        if (*c < '0' || *c > '9')
            break;
        digits = true;
        n = n * 10 + (*c - '0');
        d *= point ? 10 : 1;
        if (n > 1000000 || d > 1000)
            return false;
    }
    if (*c == 'x')
        c++;
    if (!digits || !n || n > 1000 * d || d > 1000 * n)
        return false;
    uint32_t g = gcd(n, d);
    *num = n / g;
    *den = d / g;
    *p = c;
    return true;
}

static bool add_scenario(const struct whatif_term *terms, uint32_t n, bool limit)
{
    if (whatif_scenarios == WHATIF_SCENARIOS || term_count + n > WHATIF_TERMS)
        return false;
    whatif_scenario[whatif_scenarios++] = (struct whatif_scenario){ term_count, n, limit };
    for (uint32_t i = 0; i < n; i++)
        whatif_term[term_count++] = terms[i];
    return true;
}

enum { FACTORS = 16 };          /* the most factors of a name */
/* The items of one name, in the order of the setting. */
struct items {
    struct whatif_term term[WHATIF_CANDIDATES][FACTORS];
    uint32_t factors[WHATIF_CANDIDATES];
    uint32_t count, longest;    /* longest = max(factors) */
};

static const char too_many[] = "there are too many scenarios";

/* Reads an item at *P and adds its scenarios. An item of several names sets *SEVERAL; an item of
 * one name is added to ITEMS. Returns what is wrong, or NULL. */
static const char *parse_item(const char **p, struct items *items, bool *several)
{
    struct whatif_term terms[WHATIF_CANDIDATES];
    uint32_t n = 0, f = 0;
    do {
        int c = candidate(p, "=");
        if (c < 0 || **p != '=')
            return c < 0 ? "a name is missing, or there are more than 16" :
                           "NAME=FACTOR is expected";
        for (f = 0; **p == (f ? ',' : '='); f++) {
            (*p)++;
            struct whatif_term t = { .candidate = c };
            if (f == FACTORS || !factor(p, &t.num, &t.den))
                return "a factor is a number from 0.001 to 1000, or inf; 16 a name at most";
            if (n == WHATIF_CANDIDATES || items->count == WHATIF_CANDIDATES)
                return "there are more than 16 names";
            terms[n] = items->term[items->count][f] = t;
        }
        n++;
    } while (**p == '&' && f == 1 && *++*p);
    if (**p && **p != ';')
        return **p == '&' ? "one factor a name between &" : "; is expected between two candidates";
    *p += **p == ';';
    if (n > 1) {
        *several = true;
        return add_scenario(terms, n, false) ? 0 : too_many;
    }
    for (uint32_t i = 0; i < f; i++)
        if (!add_scenario(&items->term[items->count][i], 1, false))
            return too_many;
    items->factors[items->count++] = f;
    items->longest = f > items->longest ? f : items->longest;
    return 0;
}

const char *whatif_parse(const char *p)
{
    struct items items = { .count = 0 };
    bool several = false;
    while (*p) {
        const char *wrong = parse_item(&p, &items, &several);
        if (wrong)
            return wrong;
    }
    for (uint32_t k = 0; !several && items.count > 1 && k < items.longest; k++) {
        struct whatif_term all[WHATIF_CANDIDATES];
        for (uint32_t i = 0; i < items.count; i++)
            all[i] = items.term[i][k < items.factors[i] ? k : items.factors[i] - 1];
        if (!add_scenario(all, items.count, false))
            return too_many;
    }
    return 0;
}

const char *whatif_parse_delays(const char *p)
{
    while (*p) {
        struct whatif_term t;
        int c = candidate(&p, "=");
        if (c < 0 || *p++ != '=' || !factor(&p, &t.num, &t.den) || t.num < t.den || !t.den ||
            t.num > 100 * t.den || (*p && *p != ';'))
            return "NAME=FACTOR[;NAME=FACTOR...] is expected, with factors from 1 to 100";
        p += *p == ';';
        whatif_delay[c] = (t.num - t.den) * WHATIF_DELAY_UNIT / t.den;
        whatif_delays = true;
    }
    return 0;
}

const char *whatif_parse_end(void)
{
    for (uint32_t c = 0; c < whatif_candidates; c++) {
        struct whatif_term nothing = { c, 1, 0 };
        if (!add_scenario(&nothing, 1, true))
            return too_many;
    }
    /* If the unit is a common multiple of all num, all weights are exact. Above UNIT it is given
     * up, and weights are rounded. */
    uint64_t unit = 1;
    for (uint32_t i = 0; i < term_count && unit <= UNIT; i++)
        unit = unit / gcd(unit, whatif_term[i].num) * whatif_term[i].num;
    whatif_unit = unit <= UNIT ? UNIT / unit * unit : UNIT;
    whatif_slots = whatif_scenarios + 1;
    return whatif_scenarios ? 0 : "nothing is asked";
}

// region.cpp - the program's own regions.
#include "cases.hpp"
#include "loop.hpp"

CASES(region)
{
    add("regions", [] {
        libprof_region_start("outer");
        cost(5);
        libprof_region_start("inner");
        plain_loop(20, 4);
        libprof_region_stop("outer");   // overlaps inner
        cost(3);
        libprof_region_stop("inner");
        for (int i = 0; i < 3; i++) {
            libprof_region r("loop");
            cost(i + 1);
        }
    }, [] {
        Cost l = loop_cost(20, 4, range_cost);
        Expect e = exactly(Cost().run(5).call(l).run(3 + 6));
        char s[300];
        snprintf(s, sizeof s, "region outer 1 %ld %ld\nregion inner 1 %ld %ld\nregion loop 3 6 6\n",
                 l.work + 5,
                 l.span + 5, l.work + 3, l.span + 3);
        e.more = s;
        return e;
    });
}

// fake.h - stands where TBB's headers stand, and is inlined as they are: code that a report must
// not show as a person's spawn site.
#ifndef TESTS_REPORT_INCLUDE_ONEAPI_TBB_FAKE_H
#define TESTS_REPORT_INCLUDE_ONEAPI_TBB_FAKE_H

#include "../../../record.h"

namespace tbb { namespace detail { namespace d1 {

template <typename F> [[gnu::always_inline]] inline void spawn(const char *name, F &&f)
{
    record(name, f() ? nullptr : __builtin_return_address(0));
}

class task_group {
public:
    template <typename F> [[gnu::always_inline]] inline void run(const char *name, F &&f)
    {
        spawn(name, f);
    }
    // As without optimisation: a function of the header of its own, called by the program.
    template <typename F> [[gnu::noinline]] void run_outlined(const char *name, F &&f)
    {
        spawn(name, f);
        asm volatile(""); // no tail call
    }
};

// Nobody's: no frame of the program is known.
[[gnu::noinline]] inline void internal(const char *name)
{
    spawn(name, [] { return true; });
    asm volatile("");
}

}}}

namespace tbb { using detail::d1::task_group; }

#endif

// fake_sort.h - stands where TBB's parallel_sort and the headers of std::execution::par stand.
#ifndef TESTS_REPORT_INCLUDE_ONEAPI_TBB_FAKE_SORT_H
#define TESTS_REPORT_INCLUDE_ONEAPI_TBB_FAKE_SORT_H

#include <functional>
#include "../../../record.h"

namespace __pstl { namespace __internal {

[[gnu::always_inline]] inline void __brick_walk1(const char *name) { record(name, nullptr); }

}}

namespace tbb { namespace detail { namespace d1 {

template <typename Range> struct start_for {
    [[gnu::always_inline]] void split(const char *name) { Range().split_range(name); }
    [[gnu::always_inline]] void walk(const char *name) { __pstl::__internal::__brick_walk1(name); }
    [[gnu::always_inline]] void offer_work(const char *name) { record(name, nullptr); }
    template <typename F, typename T> [[gnu::always_inline]] void add(F f, T t) { f(t, t); }
    template <typename T> [[gnu::always_inline]] void end() { T t; }
    [[gnu::always_inline]] void split_and_offer(const char *name)
    {
        Range().split_range([&] { offer_work(name); });
    }
};

template <typename Iterator, typename Compare> struct quick_sort_range {
    [[gnu::always_inline]] void split_range(const char *name) { record(name, nullptr); }
    template <typename F> [[gnu::always_inline]] auto split_range(F f) -> decltype(f()) { f(); }
};

}}}

#endif

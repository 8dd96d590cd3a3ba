// templates.cpp - work in functions whose template arguments are far longer than their names, below
// a thread of the C++ library: what prof view's page and the reports call them.
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using pairs = std::vector<std::pair<std::string, std::vector<double>>>;
using table = std::map<std::string, pairs>;

static volatile double sink;

namespace inner {
template <typename Key, typename Value> struct store {
    double sum(const std::vector<double> &values);
};

template <typename Key, typename Value>
__attribute__((noinline)) double store<Key, Value>::sum(const std::vector<double> &values)
{
    double sum = 0;
    for (int round = 0; round < 60000; round++)
        for (double v : values)
            sum += v * round;
    return sum;
}
} // namespace inner

template <typename Table, typename Rows>
__attribute__((noinline)) void fill(const std::vector<double> &values)
{
    inner::store<Table, Rows> s;
    sink = s.sum(values);
}

int main()
{
    std::vector<double> values(2000, 1.5);
    std::thread other([&] { fill<pairs, table>(values); });
    fill<table, pairs>(values);
    other.join();
}

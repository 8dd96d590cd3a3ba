// cases.cpp - the main function of the programs of cases.
#include "cases.hpp"
#include <cstdarg>

namespace {

struct Case {
    std::function<void()> run;
    std::function<std::string()> expect;
    Place place;
};
std::map<std::string, Case> cases;
std::vector<std::string> order;
const Registration *registrations;

}

long B;

Registration::Registration(void (*add)()) : add(add), next(registrations) { registrations = this; }

void add_case(const std::string &name, std::function<void()> run,
              std::function<std::string()> expect,
              Place place)
{
    if (!cases.insert({ name, { run, expect, place } }).second)
        abort();                        // two cases of one name
    order.push_back(name);
}

std::string format(const char *format, ...)
{
    char *text;
    va_list ap;
    va_start(ap, format);
    if (vasprintf(&text, format, ap) < 0)
        abort();
    va_end(ap);
    std::string s(text);
    free(text);
    return s;
}

long resident_pages()
{
    long size = 0, resident = 0;
    FILE *f = std::fopen("/proc/self/statm", "r");
    if (!f || std::fscanf(f, "%ld %ld", &size, &resident) != 2)
        abort();
    std::fclose(f);
    return resident;
}

static int usage(const char *program)
{
    std::fprintf(stderr, "usage: %s --list | --expect CASE | --where CASE | CASE P\n", program);
    return 2;
}

int main(int argc, char **argv)
{
    const char *burden = getenv("PROF_BURDEN");
    B = burden ? atol(burden) : 0;
    for (const Registration *r = registrations; r; r = r->next)
        r->add();
    if (argc == 2 && !std::strcmp(argv[1], "--list")) {
        for (auto &name : order)
            std::puts(name.c_str());
        return 0;
    }
    if (argc != 3)
        return usage(argv[0]);
    bool expect = !std::strcmp(argv[1], "--expect"), where = !std::strcmp(argv[1], "--where");
    auto it = cases.find(argv[expect || where ? 2 : 1]);
    if (it == cases.end())
        return usage(argv[0]);
    const Case &c = it->second;
    if (expect) {
        std::fputs(c.expect().c_str(), stdout);
    } else if (where) {
        std::printf("%s:%d\n", c.place.file, c.place.line);
    } else {
        int workers = std::atoi(argv[2]);
        tbb::global_control control(tbb::global_control::max_allowed_parallelism, workers);
        tbb::task_arena arena(workers);
        const char *region = getenv("CASE_REGION");     // around all that the case does
        if (region)
            libprof_region_start(region);
        arena.execute([&] { c.run(); });
        if (region)
            libprof_region_stop(region);
    }
    return 0;
}

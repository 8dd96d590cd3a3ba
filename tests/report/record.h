/* record.h - see sites.cpp. */
#ifndef TESTS_REPORT_RECORD_H
#define TESTS_REPORT_RECORD_H

#include <cstdio>
#include <link.h>

/* Prints NAME=ADDRESS: its own return address; then CALLER's, when not NULL. */
extern "C" void record(const char *name, const void *caller);

/* Prints PATH and where the program's code is: bias, start, end. */
static inline void print_map(const char *path)
{
    dl_iterate_phdr([](dl_phdr_info *info, size_t, void *path) {
        for (int i = 0; i < info->dlpi_phnum; i++) {
            const ElfW(Phdr) &p = info->dlpi_phdr[i];
            if (p.p_type == PT_LOAD && p.p_flags & PF_X) {
                unsigned long start = info->dlpi_addr + p.p_vaddr;
                std::printf("%s %#lx %#lx %#lx", static_cast<const char *>(path),
                            (unsigned long)info->dlpi_addr, start, start + p.p_memsz);
                break;
            }
        }
        return 1; // the program itself comes first
    }, const_cast<char *>(path));
}

#endif

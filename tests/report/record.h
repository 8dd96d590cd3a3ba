/* record.h - see sites.cpp. */
#ifndef TESTS_REPORT_RECORD_H
#define TESTS_REPORT_RECORD_H

/* Prints NAME=ADDRESS: its own return address; then CALLER's, when not NULL. */
extern "C" void record(const char *name, const void *caller);

#endif

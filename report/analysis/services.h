/* services.h - what a function of the system, or of a runtime, does for the code that called it, by
 * its name: nothing else in a profile shows that a thread on the CPU waits, or what a thread off it
 * waits for. */
#ifndef REPORT_ANALYSIS_SERVICES_H
#define REPORT_ANALYSIS_SERVICES_H

/* Of several functions of a stack, the greatest holds: a lock may end in a futex, and the start of
 * a thread takes memory. */
enum service {
    SERVICE_NONE,
    SERVICE_MEMORY,             /* takes memory from the kernel, uses it first, or returns it */
    SERVICE_THREAD,             /* starts a thread, or ends it */
    SERVICE_SLEEP,
    SERVICE_WAIT,               /* for other threads, off the CPU as far as it has to */
    SERVICE_LOCK,               /* the same, for a lock, or ends such waits of others */
    SERVICE_SPIN,               /* waits on the CPU: yields it, or pauses; for a lock or others */
    SERVICE_TURN                /* waits until it comes next in an order */
};

/* FUNCTION is one of name_plain, of the system, of a runtime or of its headers. */
enum service service_of_name(const char *function);

#endif

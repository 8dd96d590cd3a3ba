/* stacks.h - stacks of many kinds, for the tests that walk them. */
#ifndef TESTS_UNIT_STACKS_H
#define TESTS_UNIT_STACKS_H

#include <stdint.h>

extern uintptr_t top;           /* the frame that walks end at */
extern uint64_t seed;
extern volatile unsigned char sink;

/* Sets up rows of call frame information, the tree and `top`. Returns a handle of libunwind; NULL:
 * there is none. */
void *stacks_setup(void);

/* The "runtime": functions of one section. */
#define RUNTIME __attribute__((noinline, section("test_runtime")))
int runtime_has(uintptr_t pc);
/* stacks_setup, room for more nodes, and the section is registered as a runtime's code. */
void *stacks_setup_runtime(void);

/* What the functions below call at the end of a stack. */
extern void (*visit)(void);
/* 3000 visits, each on a stack some 150 to 600 frames deep that differs from the one before
 * somewhere: further down, or up again; by frames of any kind, from two places each, so that a
 * frame comes to stand where another one did that returned elsewhere. */
void wanders(void);
/* A visit below 2000 frames, on one of two stacks: frames of the same size, of which the outermost
 * call from elsewhere. */
void one_of_two(int first);
/* A visit below N frames of one function. */
void descend(unsigned n);

/* Runs for a while below DEPTH frames of its own, in the C library, too. */
long busy(unsigned depth);
long busy_framed(unsigned depth);       /* its caller is found by the fp that it calls others
                                           with */

#endif

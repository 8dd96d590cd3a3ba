/* machine.h - what holds for every program: what this machine, its kernel and its C library allow,
 * and a debugger in PATH. program.h is about one program. */
#ifndef REPORT_DOCTOR_MACHINE_H
#define REPORT_DOCTOR_MACHINE_H

/* Prints the findings. */
void machine_look(void);

#endif

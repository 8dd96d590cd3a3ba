/* machine.h - what this machine, its kernel and its C library allow. */
#ifndef REPORT_DOCTOR_MACHINE_H
#define REPORT_DOCTOR_MACHINE_H

/* Prints the findings. */
void machine_look(void);

#endif

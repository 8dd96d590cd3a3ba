/* program.h - whether libprof reaches a program, and what of it prof can name. */
#ifndef REPORT_DOCTOR_PROGRAM_H
#define REPORT_DOCTOR_PROGRAM_H

/* Prints the findings on the program that NAME executes. */
void program_look(const char *name);
/* Prints the findings on the runtimes that are installed, if no program is named. */
void program_look_at_runtimes(void);

#endif

/* doctor.c - `prof doctor`: what this machine and a program allow (doctor/finding.h). */
#include <stdio.h>
#include <string.h>
#include "commands/commands.h"
#include "doctor/finding.h"
#include "doctor/machine.h"
#include "doctor/program.h"

int doctor_main(int argc, char **argv)
{
    if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
        puts("usage: prof doctor [PROGRAM...]\n"
             "Shows what this machine, its libraries and PROGRAM allow, one line a finding.\n"
             "Exit status 1: profiling would not work.");
        return 0;
    }
    int first = argc > 1 && !strcmp(argv[1], "--") ? 2 : 1;
    if (first == 1 && argc > 1 && argv[1][0] == '-') {
        fprintf(stderr, "prof: doctor has no option %s\n", argv[1]);
        return 2;
    }
    machine_look();
    if (first == argc)
        program_look_at_runtimes();
    for (int i = first; i < argc; i++)
        program_look(argv[i]);
    return finding_problems() != 0;
}

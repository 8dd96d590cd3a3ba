/* commands.h - the subcommands of prof. Each is a file, named after it, and a row in main.c's
 * table.
 *
 * A subcommand takes the command line from its own name on and returns prof's exit status.
 */
#ifndef REPORT_COMMANDS_COMMANDS_H
#define REPORT_COMMANDS_COMMANDS_H

int annotate_main(int argc, char **argv);
int archive_main(int argc, char **argv);
int bench_main(int argc, char **argv);
int check_main(int argc, char **argv);
int diff_main(int argc, char **argv);
int doctor_main(int argc, char **argv);
int export_main(int argc, char **argv);
int merge_main(int argc, char **argv);
int predict_main(int argc, char **argv);
int report_main(int argc, char **argv);
int run_main(int argc, char **argv);
int view_main(int argc, char **argv);
int watch_main(int argc, char **argv);
int whatif_main(int argc, char **argv);

#endif

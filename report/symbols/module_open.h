/* module_open.h - opens the file of a module. */
#ifndef REPORT_SYMBOLS_MODULE_OPEN_H
#define REPORT_SYMBOLS_MODULE_OPEN_H

#include "symbols/module.h"

/* Opens M's file, the first time. False: no file can be used; M's found is why, and the first time
 * a line on stderr states it. */
bool module_open(struct module *m);

#endif

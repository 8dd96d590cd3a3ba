/* self.h - the file of the running prof. */
#ifndef REPORT_BASE_SELF_H
#define REPORT_BASE_SELF_H

/* Its path without symbolic links. The caller frees it. NULL: it is not known. */
char *self_path(void);

#endif

/* inline.h - functions that the hooks' short ways need inline. With plain `inline`, link-time
 * optimization decides by a budget that the program as a whole has, and by the order of its files:
 * the new name of a file once cost each task 70 instructions.
 */
#ifndef PRELOAD_BASE_INLINE_H
#define PRELOAD_BASE_INLINE_H

#define ALWAYS_INLINE inline __attribute__((always_inline))

#endif

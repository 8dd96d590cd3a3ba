/* export.h - what libprof.so exports. -fvisibility=hidden hides the rest. tests/abi/exports.txt has
 * all that is marked so.
 */
#ifndef PRELOAD_BASE_EXPORT_H
#define PRELOAD_BASE_EXPORT_H

#define EXPORT __attribute__((visibility("default")))

#endif

/* words.h - functions of MPI by their number of arguments.
 *
 * libprof.so is built without an MPI. Open MPI and MPICH have different types for handles, and a
 * function's large-count twin (MPI_Send_c) has a wider count. All arguments are integers or
 * pointers, and each takes one register or one slot of the stack. So a hook takes its arguments as
 * words, and hands them on as they came. An `int` or a handle of MPICH fills half of its word; the
 * other half is arbitrary (mpi.h).
 */
#ifndef AGENTS_MPI_WORDS_H
#define AGENTS_MPI_WORDS_H

#include <stdint.h>

typedef uintptr_t word;

#define PARAMETERS_0 void
#define PARAMETERS_1 word a
#define PARAMETERS_2 PARAMETERS_1, word b
#define PARAMETERS_3 PARAMETERS_2, word c
#define PARAMETERS_4 PARAMETERS_3, word d
#define PARAMETERS_5 PARAMETERS_4, word e
#define PARAMETERS_6 PARAMETERS_5, word f
#define PARAMETERS_7 PARAMETERS_6, word g
#define PARAMETERS_8 PARAMETERS_7, word h
#define PARAMETERS_9 PARAMETERS_8, word i
#define PARAMETERS_10 PARAMETERS_9, word j
#define PARAMETERS_11 PARAMETERS_10, word k
#define PARAMETERS_12 PARAMETERS_11, word l
#define PARAMETERS(n) PARAMETERS__(n)
#define PARAMETERS__(n) PARAMETERS_##n

#define ARGUMENTS_1 a
#define ARGUMENTS_2 ARGUMENTS_1, b
#define ARGUMENTS_3 ARGUMENTS_2, c
#define ARGUMENTS_4 ARGUMENTS_3, d
#define ARGUMENTS_5 ARGUMENTS_4, e
#define ARGUMENTS_6 ARGUMENTS_5, f
#define ARGUMENTS_7 ARGUMENTS_6, g
#define ARGUMENTS_8 ARGUMENTS_7, h
#define ARGUMENTS_9 ARGUMENTS_8, i
#define ARGUMENTS_10 ARGUMENTS_9, j
#define ARGUMENTS_11 ARGUMENTS_10, k
#define ARGUMENTS_12 ARGUMENTS_11, l
#define ARGUMENTS(n) ARGUMENTS__(n)
#define ARGUMENTS__(n) ARGUMENTS_##n

#define FUNCTION_1(f) ((int (*)(word))(f))
#define FUNCTION_2(f) ((int (*)(word, word))(f))
#define FUNCTION_3(f) ((int (*)(word, word, word))(f))
#define FUNCTION_4(f) ((int (*)(word, word, word, word))(f))
#define FUNCTION_5(f) ((int (*)(word, word, word, word, word))(f))
#define FUNCTION_6(f) ((int (*)(word, word, word, word, word, word))(f))
#define FUNCTION_7(f) ((int (*)(word, word, word, word, word, word, word))(f))
#define FUNCTION_8(f) ((int (*)(word, word, word, word, word, word, word, word))(f))
#define FUNCTION_9(f) ((int (*)(word, word, word, word, word, word, word, word, word))(f))
#define FUNCTION_10(f) \
    ((int (*)(word, word, word, word, word, word, word, word, word, word))(f))
#define FUNCTION_11(f) \
    ((int (*)(word, word, word, word, word, word, word, word, word, word, word))(f))
#define FUNCTION_12(f) \
    ((int (*)(word, word, word, word, word, word, word, word, word, word, word, word))(f))
#define FUNCTION(n, f) FUNCTION__(n, f)
#define FUNCTION__(n, f) FUNCTION_##n(f)

/* One argument more. */
#define MORE_1 2
#define MORE_5 6
#define MORE_6 7
#define MORE_7 8
#define MORE_8 9
#define MORE_9 10
#define MORE(n) MORE_##n

/* Arguments as an array, and their places in it. */
#define WORDS(n) (const word[]){ ARGUMENTS(n) }
enum {
    PLACE_a, PLACE_b, PLACE_c, PLACE_d, PLACE_e, PLACE_f, PLACE_g, PLACE_h, PLACE_i, PLACE_j,
    PLACE_none = 15
};

#endif

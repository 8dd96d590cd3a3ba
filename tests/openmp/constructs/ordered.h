/* ordered.h - ordered blocks: iteration i costs 10 + i % 3 before its block, 2 in it, 2 after
 * it. ordered.c defines the model. */
#ifndef TESTS_OPENMP_CONSTRUCTS_ORDERED_H
#define TESTS_OPENMP_CONSTRUCTS_ORDERED_H

enum { STEPS = 12 };

/* The model of the loop on a team of four. CHUNKS: each iteration is a chunk of its own. */
void m_ordered(int chunks);

#endif

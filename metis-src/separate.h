/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What nested dissection takes from METIS 5.2: vertex separators whose independent attempts the caller may run side by
   side, and orders of small graphs. Every call has its own random numbers, so calls at the same time are safe and give
   what they give alone. Indices are 32-bit. */
#ifndef TERRACE_METIS_SEPARATE_H
#define TERRACE_METIS_SEPARATE_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct terrace_separation terrace_separation;

/* Coarsens a graph (both directions of each edge, no loops) a little. The arrays must live until the end; weights may be
   null, and are not changed. Null: the arguments are refused. */
terrace_separation* terrace_separation_begin(int vertices, const int* row_map, const int* entries, int* weights,
                                             int seed);

/* How many attempts there are, and vertices of the coarse graph. */
int terrace_separation_attempts(const terrace_separation*);
int terrace_separation_coarse_vertices(const terrace_separation*);

/* A separator of the coarse graph: 0, 1 for the sides, 2 for the separator. Returns its weight, or -1 where METIS refuses
   its arguments. Attempts may run at the same time. */
int terrace_separation_attempt(const terrace_separation*, int attempt, int* part);

/* The separator of the graph that follows from one of the coarse graph. Frees the separation. */
void terrace_separation_end(terrace_separation*, const int* coarse_part, int* part);

/* METIS_NodeND: vertex original[i] comes i-th; scratch has room for as many. Returns 0 on success. */
int terrace_metis_order(int vertices, const int* row_map, const int* entries, int* weights, int seed, int* original,
                        int* scratch);

#ifdef __cplusplus
}
#endif

#endif

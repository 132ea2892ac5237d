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

/* A graph with both directions of each edge and no loops, and the vertices of the coarser graph that its vertices became.
   Null weights are ones. */
typedef struct {
  int vertices;
  const int *row_map, *entries;
  int *weights, *edge_weights; /* not changed */
  const int* coarse_vertex;    /* null for the coarsest */
} terrace_level;

/* The levels, finest first, must live until the end. METIS adds some of its own below them where `further_levels` is not
   zero. Null: METIS refuses the arguments. */
terrace_separation* terrace_separation_begin(const terrace_level* levels, int count, int further_levels, int seed);

/* Vertices of the coarse graph. */
int terrace_separation_coarse_vertices(const terrace_separation*);

/* A separator of the coarse graph: 0, 1 for the sides, 2 for the separator. Returns its weight, or -1 where METIS refuses
   its arguments. Attempts may run at the same time. */
int terrace_separation_attempt(const terrace_separation*, int attempt, int initial_parts, int* part);

/* The separator of the graph that follows from one of the coarse graph. Frees the separation. */
void terrace_separation_end(terrace_separation*, const int* coarse_part, int* part);

/* METIS_NodeND: vertex original[i] comes i-th; scratch has room for as many. Returns 0 on success. */
int terrace_metis_order(int vertices, const int* row_map, const int* entries, int* weights, int seed, int* original,
                        int* scratch);

#ifdef __cplusplus
}
#endif

#endif

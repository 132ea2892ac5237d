/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* MlevelNodeBisectionL2 of METIS (Karypis and Kumar 1998) in steps: four levels of coarsening, several attempts on the
   coarse graph, and the refinement of the best one on the way back. METIS makes the attempts one after the other. */
#include "separate.h"

#include "metis/libmetis/metislib.h"

enum { few_vertices = 5000, attempts = 5, coarse_levels = 4, initial_parts = LARGENIPARTS };

struct terrace_separation {
  ctrl_t* ctrl;
  graph_t* graph;
  graph_t* coarse;
  int seed;
};

static ctrl_t* make_ctrl(int seed) {
  idx_t options[METIS_NOPTIONS];
  Highs_METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = seed;
  options[METIS_OPTION_COMPRESS] = 0; /* the graph has been compressed */
  return SetupCtrl(METIS_OP_OMETIS, options, 1, 3, NULL, NULL);
}

terrace_separation* terrace_separation_begin(int vertices, const int* row_map, const int* entries, int* weights,
                                             int seed) {
  ctrl_t* ctrl = make_ctrl(seed);
  if (!ctrl) return NULL;
  terrace_separation* separation = malloc(sizeof(*separation));
  separation->ctrl = ctrl;
  separation->seed = seed;
  separation->graph = SetupGraph(ctrl, vertices, 1, row_map, entries, weights, NULL, NULL);
  separation->coarse = separation->graph;
  AllocateWorkSpace(ctrl, separation->graph);
  if (vertices >= few_vertices) {
    ctrl->CoarsenTo = gk_max(100, vertices / 30);
    separation->coarse = CoarsenGraphNlevels(ctrl, separation->graph, coarse_levels);
  }
  return separation;
}

int terrace_separation_attempts(const terrace_separation* separation) {
  return separation->graph->nvtxs >= few_vertices ? attempts : 1;
}

int terrace_separation_coarse_vertices(const terrace_separation* separation) { return separation->coarse->nvtxs; }

int terrace_separation_attempt(const terrace_separation* separation, int attempt, int* part) {
  const graph_t* coarse = separation->coarse;
  ctrl_t* ctrl = make_ctrl(separation->seed + 7919 * (attempt + 1));
  if (!ctrl) return -1;
  const idx_t* row_map = coarse->xadj_orig ? coarse->xadj_orig : coarse->xadj;
  const idx_t* entries = coarse->adjncy_orig ? coarse->adjncy_orig : coarse->adjncy;
  graph_t* graph = SetupGraph(ctrl, coarse->nvtxs, 1, row_map, entries, coarse->vwgt, NULL, coarse->adjwgt);
  AllocateWorkSpace(ctrl, graph);
  const int is_coarse = separation->graph->nvtxs >= few_vertices;
  MlevelNodeBisectionL1(ctrl, graph, is_coarse ? (idx_t)(0.7 * initial_parts) : initial_parts);
  memcpy(part, graph->where, sizeof(idx_t) * (size_t)graph->nvtxs);
  const int weight = graph->mincut;
  FreeGraph(&graph);
  FreeCtrl(&ctrl);
  return weight;
}

void terrace_separation_end(terrace_separation* separation, const int* coarse_part, int* part) {
  graph_t* coarse = separation->coarse;
  if (coarse == separation->graph) {
    memcpy(part, coarse_part, sizeof(idx_t) * (size_t)coarse->nvtxs);
  } else {
    Allocate2WayNodePartitionMemory(separation->ctrl, coarse);
    memcpy(coarse->where, coarse_part, sizeof(idx_t) * (size_t)coarse->nvtxs);
    Compute2WayNodePartitionParams(separation->ctrl, coarse);
    Refine2WayNode(separation->ctrl, separation->graph, coarse);
    memcpy(part, separation->graph->where, sizeof(idx_t) * (size_t)separation->graph->nvtxs);
  }
  FreeGraph(&separation->graph);
  FreeCtrl(&separation->ctrl);
  free(separation);
}

int terrace_metis_order(int vertices, const int* row_map, const int* entries, int* weights, int seed, int* original,
                        int* scratch) {
  idx_t options[METIS_NOPTIONS];
  idx_t count = vertices;
  Highs_METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = seed;
  options[METIS_OPTION_COMPRESS] = 0;
  return Highs_METIS_NodeND(&count, row_map, entries, weights, options, original, scratch) == METIS_OK ? 0 : 1;
}

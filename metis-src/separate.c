/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* MlevelNodeBisectionL2 of METIS (Karypis and Kumar 1998) in steps: some levels of coarsening, attempts on the coarse
   graph, and the refinement of the best one on the way back. METIS coarsens alone, and makes the attempts one after the
   other. */
#include "separate.h"

#include "metis/libmetis/metislib.h"

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

static graph_t* make_level(ctrl_t* ctrl, const terrace_level* level, graph_t* finer) {
  graph_t* graph = SetupGraph(ctrl, level->vertices, 1, level->row_map, level->entries, level->weights, NULL,
                              level->edge_weights);
  graph->finer = finer;
  if (finer) finer->coarser = graph;
  if (level->coarse_vertex) {
    const size_t bytes = sizeof(idx_t) * (size_t)level->vertices;
    graph->cmap = malloc(bytes); /* METIS frees it */
    memcpy(graph->cmap, level->coarse_vertex, bytes);
  }
  return graph;
}

terrace_separation* terrace_separation_begin(const terrace_level* levels, int count, int further_levels, int seed) {
  ctrl_t* ctrl = make_ctrl(seed);
  if (!ctrl) return NULL;
  terrace_separation* separation = malloc(sizeof(*separation));
  separation->ctrl = ctrl;
  separation->seed = seed;
  separation->graph = separation->coarse = make_level(ctrl, &levels[0], NULL);
  for (int k = 1; k < count; ++k) separation->coarse = make_level(ctrl, &levels[k], separation->coarse);
  AllocateWorkSpace(ctrl, separation->graph);
  if (further_levels > 0) {
    ctrl->CoarsenTo = gk_max(100, levels[0].vertices / 30);
    separation->coarse = CoarsenGraphNlevels(ctrl, separation->coarse, further_levels);
  }
  return separation;
}

int terrace_separation_coarse_vertices(const terrace_separation* separation) { return separation->coarse->nvtxs; }

int terrace_separation_attempt(const terrace_separation* separation, int attempt, int initial_parts, int* part) {
  const graph_t* coarse = separation->coarse;
  ctrl_t* ctrl = make_ctrl(separation->seed + 7919 * (attempt + 1));
  if (!ctrl) return -1;
  const idx_t* row_map = coarse->xadj_orig ? coarse->xadj_orig : coarse->xadj;
  const idx_t* entries = coarse->adjncy_orig ? coarse->adjncy_orig : coarse->adjncy;
  graph_t* graph = SetupGraph(ctrl, coarse->nvtxs, 1, row_map, entries, coarse->vwgt, NULL, coarse->adjwgt);
  AllocateWorkSpace(ctrl, graph);
  MlevelNodeBisectionL1(ctrl, graph, initial_parts);
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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "algorithms/ordering/dense_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sparse/induced_graph.hpp"

namespace terrace::ordering {
namespace {

/// Neighbours of each vertex, as unknowns.
std::vector<double> degrees(const sparse::HostGraph& graph, const std::vector<int>& weights) {
  std::vector<double> degree(static_cast<std::size_t>(graph.vertices()));
  for (int v = 0; v < graph.vertices(); ++v) {
    degree[v] = static_cast<double>(graph.degree(v));
    if (weights.empty()) continue;
    degree[v] = weights[v] - 1;
    for (std::size_t k = graph.row_map[v]; k < graph.row_map[v + 1]; ++k) degree[v] += weights[graph.entries[k]];
  }
  return degree;
}

}  // namespace

double dense_degree(double unknowns) { return std::max(16.0, 10.0 * std::sqrt(unknowns)); }

DenseRows set_dense_rows_aside(const sparse::HostGraph& graph, const std::vector<int>& weights) {
  const std::vector<double> degree = degrees(graph, weights);
  const double limit =
      dense_degree(weights.empty() ? graph.vertices() : std::accumulate(weights.begin(), weights.end(), 0.0));
  DenseRows rows;
  for (int v = 0; v < graph.vertices(); ++v)
    if (degree[v] > limit) rows.vertices.push_back(v);
  if (rows.vertices.empty()) return rows;
  for (int v = 0; v < graph.vertices(); ++v)
    if (degree[v] <= limit) rows.others.push_back(v);
  std::stable_sort(rows.vertices.begin(), rows.vertices.end(), [&](int a, int b) { return degree[a] < degree[b]; });
  rows.rest = sparse::induced_graph(graph, rows.others);
  if (!weights.empty())
    for (const int v : rows.others) rows.weights.push_back(weights[v]);
  return rows;
}

}  // namespace terrace::ordering

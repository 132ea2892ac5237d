// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "algorithms/ordering/dense_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

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

void take_others(const sparse::HostGraph& graph, const std::vector<int>& weights, DenseRows& rows) {
  std::vector<int> place(static_cast<std::size_t>(graph.vertices()), -1);
  for (std::size_t i = 0; i < rows.others.size(); ++i) place[rows.others[i]] = static_cast<int>(i);
  for (const int v : rows.others) {
    for (std::size_t k = graph.row_map[v]; k < graph.row_map[v + 1]; ++k)
      if (const int neighbour = place[graph.entries[k]]; neighbour >= 0) rows.rest.entries.push_back(neighbour);
    rows.rest.row_map.push_back(rows.rest.entries.size());
    if (!weights.empty()) rows.weights.push_back(weights[v]);
  }
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
  take_others(graph, weights, rows);
  return rows;
}

}  // namespace terrace::ordering

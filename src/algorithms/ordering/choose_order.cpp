// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "algorithms/ordering/choose_order.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <terrace/error.hpp>

#include "algorithms/ordering/band.hpp"
#include "algorithms/ordering/dense_rows.hpp"
#include "algorithms/ordering/orderings.hpp"
#include "parallel/host_ranges.hpp"
#include "sparse/breadth_first.hpp"

namespace terrace::ordering {
namespace {

using sparse::CompressedGraph;
using sparse::OrderCost;

// Where Automatic decides (docs/adr/0025-which-order.md).
constexpr int small_matrix = 5000;        // rows: minimum degree is the faster one, and fills as little
constexpr double few_neighbours = 3.5;    // of a vertex on average: circuits, roads, trees
constexpr double uneven_degrees = 20.0;   // the largest over the average
constexpr double nothing_to_gain = 16.0;  // operations for each entry of L: not worth a second order
// Nested dissection takes some 6 us for each vertex and most often saves up to 30 % of the operations of minimum
// degree; a host does 1.6e10 of them a second where there are many for each vertex. Up to so many seven factorizations
// do not win back what the order takes.
constexpr double few_operations = 48000.0;
// Of small matrices, whose analysis should take no longer than a factorization, up to so many two do not.
constexpr double few_operations_of_small = 250000.0;
constexpr int many_vertices = 250000;  // that hang together: that was never so, and minimum degree is not tried in vain
// One NVIDIA H200: what one of the columns that come one after the other takes, and operations a second.
constexpr double seconds_of_column = 1e-6, operations_of_device = 1e13;
// Nested dissection takes 6 us for each vertex: so long a part of all columns costs more in a hundred factorizations.
constexpr int long_path = 16;

/// AMD knows no weights. Where all are equal it finds the same order without them; otherwise it orders the unknowns,
/// and a vertex comes where the first of its unknowns does.
std::vector<int> order_by_minimum_degree(const CompressedGraph& graph) {
  const auto& weights = graph.weights;
  if (std::adjacent_find(weights.begin(), weights.end(), std::not_equal_to<>()) == weights.end())
    return minimum_degree(graph.graph).original;
  std::vector<int> vertex_of(static_cast<std::size_t>(graph.unknowns())), order;
  for (int v = 0; v < graph.graph.vertices(); ++v)
    for (int m = graph.member_map[v]; m < graph.member_map[v + 1]; ++m) vertex_of[graph.members[m]] = v;
  std::vector<char> is_placed(weights.size(), 0);
  for (const int unknown : minimum_degree(expand_graph(graph)).original) {
    const int v = vertex_of[unknown];
    if (!is_placed[v]) order.push_back(v);
    is_placed[v] = 1;
  }
  return order;
}

ChosenOrder by_minimum_degree(const CompressedGraph& graph, std::string reason) {
  return {order_by_minimum_degree(graph), Ordering::ApproximateMinimumDegree, std::move(reason)};
}

ChosenOrder by_nested_dissection(const CompressedGraph& graph, int threads, std::string reason) {
  return {nested_dissection(graph.graph, graph.weights, threads).original, Ordering::NestedDissection,
          std::move(reason)};
}

/// What makes it doubtful that nested dissection of a large matrix is best; empty: nothing does.
std::string find_doubt(const sparse::HostGraph& graph, int unknowns) {
  const int vertices = graph.vertices();
  std::size_t largest = 0;
  for (int v = 0; v < vertices; ++v) largest = std::max(largest, graph.degree(v));
  const double average = static_cast<double>(graph.entries.size()) / vertices;
  if (static_cast<double>(largest) > dense_degree(unknowns)) return "some rows are dense";
  if (average < few_neighbours) return "rows have few entries";
  if (static_cast<double>(largest) > uneven_degrees * average) return "some rows are far longer than others";
  if (vertices < small_matrix)
    return "there are " + std::to_string(unknowns) + " rows, of only " + std::to_string(vertices) + " structures";
  return {};
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2g", value);
  return text;
}

OrderCost count_cost(const CompressedGraph& graph, int threads, ChosenOrder& order) {
  const int for_counting = parallel::threads_for_entries(threads, graph.graph.entries.size() / 2);
  order.in_postorder = sparse::in_postorder(graph, order.vertices, for_counting);
  return sparse::cost_of(*order.in_postorder);
}

std::string needs(const OrderCost& cost, const OrderUse& use) {
  const std::string operations = number(cost.operations) + " operations";
  return use.user == OrderUser::Device ? operations + " and " + std::to_string(cost.path) + " columns in turn"
                                       : operations;
}

/// When a second order is found: always, or where it may be worth its time.
enum class SecondOrder { Always, IfItPays };

/// Whether minimum degree needs so many operations that another order may be worth its time. On a device the columns
/// that come one after the other may cost, too: a chain has nothing else.
bool pays_for_another(const OrderCost& cost, const CompressedGraph& graph, const OrderUse& use) {
  if (use.user == OrderUser::Host)
    return cost.operations >
           (graph.unknowns() < small_matrix ? few_operations_of_small : few_operations) * graph.graph.vertices();
  return cost.operations > nothing_to_gain * static_cast<double>(cost.entries) ||
         (use.user == OrderUser::Device && cost.path > graph.unknowns() / long_path);
}

/// What minimum degree has found, or nested dissection: whichever costs less.
ChosenOrder cheaper_of(const CompressedGraph& graph, const OrderUse& use, const std::string& why, ChosenOrder degree,
                       const OrderCost& cost) {
  auto dissection = by_nested_dissection(graph, use.threads, {});
  const OrderCost other = count_cost(graph, use.threads, dissection);
  const auto price = [&](const OrderCost& of) {
    return use.user == OrderUser::Device
               ? of.operations / operations_of_device + seconds_of_column * static_cast<double>(of.path)
               : of.operations;
  };
  auto& chosen = price(other) < price(cost) ? dissection : degree;
  chosen.reason = why + ", so both were counted: minimum degree needs " + needs(cost, use) + ", nested dissection " +
                  needs(other, use);
  return std::move(chosen);
}

ChosenOrder better_order(const CompressedGraph& graph, const OrderUse& use, SecondOrder second,
                         const std::string& doubt) {
  auto degree = by_minimum_degree(graph, {});
  const OrderCost cost = count_cost(graph, use.threads, degree);
  if (second == SecondOrder::Always || pays_for_another(cost, graph, use))
    return cheaper_of(graph, use, doubt, std::move(degree), cost);
  degree.reason =
      doubt + ", and minimum degree needs " + number(cost.operations) + " operations: " +
      (use.user == OrderUser::Host ? "several factorizations take less than nested dissection" : "hardly any");
  return degree;
}

/// Without METIS and AMD, which take longer for what is known before.
std::optional<ChosenOrder> order_of_band(const sparse::HostGraph& graph, const std::vector<int>& weights,
                                         const OrderUse& use, std::string reason) {
  if (use.user == OrderUser::Anyone) return std::nullopt;
  const auto band = find_band(graph);
  if (!band) return std::nullopt;
  reason += " is a band, which is ";
  if (use.user == OrderUser::Host)
    return ChosenOrder{order_from_both_ends(*band), Ordering::NestedDissection, reason + "eliminated from both ends"};
  return ChosenOrder{dissect_band(*band, weights), Ordering::NestedDissection, reason + "cut again and again"};
}

/// Dense rows come last whatever the order of the rest, of which then more may be known.
std::optional<ChosenOrder> order_before_dense_rows(const CompressedGraph& graph, const OrderUse& use) {
  if (use.user == OrderUser::Anyone) return std::nullopt;
  const DenseRows dense = set_dense_rows_aside(graph.graph, graph.weights);
  if (dense.vertices.empty() || dense.others.empty()) return std::nullopt;
  const std::string rest = "dense rows come last (" + std::to_string(dense.vertices.size()) + "), and the rest";
  if (auto order = order_of_band(dense.rest, dense.weights, use, rest)) {
    for (int& vertex : order->vertices) vertex = dense.others[vertex];
    order->vertices.insert(order->vertices.end(), dense.vertices.begin(), dense.vertices.end());
    return order;
  }
  const int unknowns = std::accumulate(dense.weights.begin(), dense.weights.end(), 0);
  if (use.user != OrderUser::Device || !find_doubt(dense.rest, unknowns).empty()) return std::nullopt;
  return by_nested_dissection(graph, use.threads, rest + " has rows of similar length");
}

/// How many vertices the largest part has that hangs together.
int largest_part(const sparse::HostGraph& graph) {
  sparse::BreadthFirst search(graph);
  std::size_t largest = 0;
  for (int v = 0; v < graph.vertices(); ++v)
    if (!search.has_found(v)) {
      search.find_part(v);
      largest = std::max(largest, search.part().size());
    }
  return static_cast<int>(largest);
}

/// Whether a host tries minimum degree where nothing speaks against nested dissection.
bool tries_minimum_degree(const CompressedGraph& graph, const OrderUse& use) {
  return use.user == OrderUser::Host &&
         (graph.graph.vertices() <= many_vertices || largest_part(graph.graph) <= many_vertices);
}

ChosenOrder choose_automatically(const CompressedGraph& graph, const OrderUse& use) {
  const int unknowns = graph.unknowns();
  const bool has_degree = has_minimum_degree(), has_dissection = has_nested_dissection();
  if (!has_degree && !has_dissection)
    return {reverse_cuthill_mckee(graph.graph).original, Ordering::ReverseCuthillMckee,
            "this build has neither AMD nor METIS (TERRACE_ENABLE_AMD, TERRACE_ENABLE_METIS)"};
  if (!has_degree) return by_nested_dissection(graph, use.threads, "this build has no AMD (TERRACE_ENABLE_AMD)");
  if (!has_dissection) return by_minimum_degree(graph, "this build has no METIS (TERRACE_ENABLE_METIS)");
  if (auto order = order_of_band(graph.graph, graph.weights, use, "the matrix")) return *std::move(order);
  std::string rows = "there are " + std::to_string(unknowns) + " rows, ";
  if (unknowns < small_matrix) {
    rows += "fewer than " + std::to_string(small_matrix);
    if (use.user == OrderUser::Anyone) return by_minimum_degree(graph, rows);
    return better_order(graph, use, use.user == OrderUser::Device ? SecondOrder::Always : SecondOrder::IfItPays, rows);
  }
  if (auto order = order_before_dense_rows(graph, use)) return *std::move(order);
  const std::string doubt = find_doubt(graph.graph, unknowns);
  if (!doubt.empty()) return better_order(graph, use, SecondOrder::IfItPays, doubt);
  rows += "at least " + std::to_string(small_matrix) + ", of similar length";
  return tries_minimum_degree(graph, use) ? better_order(graph, use, SecondOrder::IfItPays, rows)
                                          : by_nested_dissection(graph, use.threads, rows);
}

}  // namespace

template <class Offset>
CompressedGraph compress_for(Ordering ordering, const sparse::HostTriangleView<Offset>& triangle, int threads) {
  if (ordering == Ordering::Given || ordering == Ordering::Natural)
    return separate_vertices(sparse::graph_of(triangle, threads));
  return compress_graph(triangle, threads);
}

template CompressedGraph compress_for(Ordering, const sparse::HostTriangleView<int>&, int);
template CompressedGraph compress_for(Ordering, const sparse::HostTriangleView<std::size_t>&, int);

ChosenOrder choose_order(const CompressedGraph& graph, Ordering ordering, const std::vector<int>& given,
                         const OrderUse& use) {
  const std::string asked = "the options ask for it";
  switch (ordering) {
    case Ordering::Natural: break;
    case Ordering::ReverseCuthillMckee: return {reverse_cuthill_mckee(graph.graph).original, ordering, asked};
    case Ordering::Multicolor: return {multicolor(graph.graph).original, ordering, asked};
    case Ordering::NestedDissection: return by_nested_dissection(graph, use.threads, asked);
    case Ordering::ApproximateMinimumDegree: return by_minimum_degree(graph, asked);
    case Ordering::Automatic: return choose_automatically(graph, use);
    case Ordering::Given: return {given, ordering, "the caller gave it"};
  }
  std::vector<int> natural(static_cast<std::size_t>(graph.graph.vertices()));
  std::iota(natural.begin(), natural.end(), 0);
  return {std::move(natural), Ordering::Natural, asked};
}

}  // namespace terrace::ordering

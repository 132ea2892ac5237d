// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nested dissection (George 1973) whose halves are ordered at the same time, with the separators of METIS (Karypis and
// Kumar 1998).
//
// A separator splits a part into two that know nothing of each other: they are tasks. Near the root, where there are
// few parts, the attempts at one separator are tasks as well. Small parts are ordered by METIS as a whole. The random
// numbers of a part follow from its place in the tree of parts, so the order is the same for any number of threads.
//
// Cost: O(edges log vertices); the longest path is some two separators of the whole graph.
#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <terrace/error.hpp>

#include "algorithms/ordering/coarsen.hpp"
#include "algorithms/ordering/dissect.hpp"
#include "separate.h"

namespace terrace::ordering {
namespace {

constexpr int small_part = 400;  // vertices: METIS orders it as a whole

// As in METIS: separators of large graphs are sought on a graph some 16 times coarser, several times.
constexpr int large_part = 5000;
constexpr int coarse_levels = 4;
constexpr int attempts_at_large_parts = 5;
constexpr int coarsest_share = 30;     // not below so many times fewer vertices
constexpr double poor_matching = 0.7;  // of the vertices are left: METIS has ways for stars and the like

struct Part {
  WeightedGraph graph;        // without weights of edges
  std::vector<int> vertices;  // of the whole graph

  int size() const { return static_cast<int>(vertices.size()); }
};

int* data_or_null(std::vector<int>& numbers) { return numbers.empty() ? nullptr : numbers.data(); }

terrace_level level_of(WeightedGraph& graph, const int* coarse_vertex) {
  return {graph.vertices(),
          graph.row_map.data(),
          graph.entries.data(),
          data_or_null(graph.weights),
          data_or_null(graph.edge_weights),
          coarse_vertex};
}

void check(bool succeeded) {
  if (!succeeded)
    throw Error(ErrorCode::LibraryFailure,
                "METIS refused a part of the graph; the reverse Cuthill-McKee ordering does without METIS");
}

/// Near seeds make near random numbers: mixed.
int seed_of(unsigned position) { return static_cast<int>((position * 2654435761u) >> 3); }

class Dissection {
 public:
  Dissection(int threads, std::vector<int>& order) : tasks_(threads), order_(order) {}

  void run(Part whole) {
    tasks_.run([&] {
      if (whole.size() > small_part && is_in_pieces(whole)) order_pieces(whole, 0, 1);
      else order_part(whole, 0, 1);
    });
  }

 private:
  /// Fills order_ from `first` on. Frees the part as soon as its halves are there.
  void order_part(Part& part, int first, unsigned position) {
    if (part.size() <= small_part || part.graph.entries.empty()) return order_whole(part, first, position);
    const std::vector<int> side = separate(part, position);
    const auto left_size = static_cast<int>(std::count(side.begin(), side.end(), 0));
    const auto right_size = static_cast<int>(std::count(side.begin(), side.end(), 1));
    // Nothing was split off: METIS has its own ways out.
    if (left_size == part.size() || right_size == part.size()) return order_whole(part, first, position);
    // Parts that do not hang together: each has separators of its own, and none is needed between them.
    if (left_size + right_size == part.size()) return order_pieces(part, first, position);
    int place = first + left_size + right_size;
    for (int v = 0; v < part.size(); ++v)
      if (side[v] == 2) order_[place++] = part.vertices[v];
    Part left, right;
    split(part, side, left, right);
    part = {};
    const auto order_left = [&] { order_part(left, first, 2 * position); };
    const auto order_right = [&] { order_part(right, first + left_size, 2 * position + 1); };
    tasks_.both(order_left, order_right);
  }

  /// The vertices that hang together with one, which are marked; `most` of them and a few.
  static void find_piece(const WeightedGraph& graph, int vertex, std::size_t most, std::vector<int>& mark,
                         std::vector<int>& found) {
    found.assign(1, vertex);
    mark[vertex] = 0;
    for (std::size_t next = 0; next < found.size() && found.size() <= most; ++next)
      for (int k = graph.row_map[found[next]]; k < graph.row_map[found[next] + 1]; ++k)
        if (int& other = mark[graph.entries[k]]; other < 0) {
          other = 0;
          found.push_back(graph.entries[k]);
        }
  }

  /// Whether the first vertex hangs together with few others. Where it is not so, a separator will tell.
  static bool is_in_pieces(const Part& whole) {
    constexpr int least_pieces = 8;
    std::vector<int> mark(whole.vertices.size(), -1), found;
    const auto few = static_cast<std::size_t>(whole.size() / least_pieces);
    find_piece(whole.graph, 0, few, mark, found);
    return found.size() <= few;
  }

  /// A part that does not hang together.
  void order_pieces(Part& part, int first, unsigned position) {
    std::vector<Part> pieces = pieces_of(part);
    part = {};
    std::vector<int> begin{first};
    for (const Part& piece : pieces) begin.push_back(begin.back() + piece.size());
    tasks_.each(0, static_cast<int>(pieces.size()),
                [&](int k) { order_part(pieces[k], begin[k], position + static_cast<unsigned>(k + 1) * 2654435769u); });
  }

  /// What hangs together; small ones several together, no more than METIS orders as a whole.
  static std::vector<Part> pieces_of(const Part& part) {
    std::vector<int> piece_of(part.vertices.size(), -1), number(part.vertices.size()), found;
    std::vector<Part> pieces;
    int collecting = -1;  // small ones
    for (int v = 0; v < part.size(); ++v) {
      if (piece_of[v] >= 0) continue;
      find_piece(part.graph, v, part.vertices.size(), piece_of, found);
      const auto size = static_cast<int>(found.size());
      const bool is_small = size <= small_part;
      const bool fits = is_small && collecting >= 0 && pieces[collecting].size() + size <= small_part;
      const int piece = fits ? collecting : static_cast<int>(pieces.size());
      if (!fits) pieces.emplace_back();
      if (is_small) collecting = piece;
      pieces[piece].vertices.resize(pieces[piece].vertices.size() + found.size());
      for (const int vertex : found) piece_of[vertex] = piece;
    }
    // In the order of the part, so that neighbours stay near.
    std::vector<int> filled(pieces.size(), 0);
    for (int v = 0; v < part.size(); ++v) {
      Part& piece = pieces[piece_of[v]];
      number[v] = filled[piece_of[v]]++;
      piece.vertices[number[v]] = part.vertices[v];
      if (!part.graph.weights.empty()) piece.graph.weights.push_back(part.graph.weights[v]);
    }
    for (int v = 0; v < part.size(); ++v) {
      WeightedGraph& graph = pieces[piece_of[v]].graph;
      for (int k = part.graph.row_map[v]; k < part.graph.row_map[v + 1]; ++k)
        graph.entries.push_back(number[part.graph.entries[k]]);
      graph.row_map.push_back(static_cast<int>(graph.entries.size()));
    }
    return pieces;
  }

  void order_whole(Part& part, int first, unsigned position) {
    const int size = part.size();
    std::vector<int> original(static_cast<std::size_t>(size)), scratch(static_cast<std::size_t>(size));
    std::iota(original.begin(), original.end(), 0);
    WeightedGraph& graph = part.graph;
    if (!graph.entries.empty())
      check(terrace_metis_order(size, graph.row_map.data(), graph.entries.data(), data_or_null(graph.weights),
                                seed_of(position), original.data(), scratch.data()) == 0);
    for (int i = 0; i < size; ++i) order_[first + i] = part.vertices[original[i]];
  }

  /// 0, 1: the sides; 2: the separator. The lightest of METIS's attempts, the first of several.
  std::vector<int> separate(Part& part, unsigned position) {
    const bool is_large = part.size() >= large_part;
    const int attempts = is_large ? attempts_at_large_parts : 1, initial_parts = is_large ? 4 : 7;
    std::vector<CoarseGraph> coarser = is_large ? coarse_graphs(part.graph) : std::vector<CoarseGraph>();
    std::vector<terrace_level> levels;
    for (std::size_t k = 0; k <= coarser.size(); ++k)
      levels.push_back(level_of(k == 0 ? part.graph : coarser[k - 1].graph,
                                k == coarser.size() ? nullptr : coarser[k].vertex_of.data()));
    const int done = static_cast<int>(coarser.size());
    const bool goes_on = is_large && levels.back().vertices > part.size() / coarsest_share;
    auto* const separation =
        terrace_separation_begin(levels.data(), done + 1, goes_on ? coarse_levels - done : 0, seed_of(position));
    check(separation != nullptr);
    const auto vertices = static_cast<std::size_t>(terrace_separation_coarse_vertices(separation));
    std::vector<std::vector<int>> coarse(static_cast<std::size_t>(attempts), std::vector<int>(vertices));
    std::vector<int> weight(static_cast<std::size_t>(attempts)), side(static_cast<std::size_t>(part.size()));
    tasks_.each(0, attempts, [&](int attempt) {
      weight[attempt] = terrace_separation_attempt(separation, attempt, initial_parts, coarse[attempt].data());
    });
    const auto best = std::min_element(weight.begin(), weight.end()) - weight.begin();
    terrace_separation_end(separation, coarse[best].data(), side.data());
    check(weight[best] >= 0);
    return side;
  }

  std::vector<CoarseGraph> coarse_graphs(const WeightedGraph& finest) {
    std::vector<CoarseGraph> coarser;
    const double total =
        finest.weights.empty() ? finest.vertices() : std::accumulate(finest.weights.begin(), finest.weights.end(), 0.0);
    const int coarsest = finest.vertices() / coarsest_share;
    const WeightedGraph* fine = &finest;
    coarser.reserve(coarse_levels);
    while (static_cast<int>(coarser.size()) < coarse_levels && fine->vertices() > coarsest) {
      CoarseGraph next = coarsen(*fine, 1.5 * total / coarsest, tasks_);
      if (next.graph.vertices() > poor_matching * fine->vertices()) break;
      coarser.push_back(std::move(next));
      fine = &coarser.back().graph;
    }
    return coarser;
  }

  static void split(const Part& part, const std::vector<int>& side, Part& left, Part& right) {
    std::vector<int> number(side.size());
    Part* const halves[2] = {&left, &right};
    for (int v = 0; v < part.size(); ++v) {
      if (side[v] == 2) continue;
      Part& half = *halves[side[v]];
      number[v] = half.size();
      half.vertices.push_back(part.vertices[v]);
      if (!part.graph.weights.empty()) half.graph.weights.push_back(part.graph.weights[v]);
    }
    for (int v = 0; v < part.size(); ++v) {
      if (side[v] == 2) continue;
      WeightedGraph& half = halves[side[v]]->graph;
      for (int k = part.graph.row_map[v]; k < part.graph.row_map[v + 1]; ++k)
        if (const int to = part.graph.entries[k]; side[to] != 2) half.entries.push_back(number[to]);
      half.row_map.push_back(static_cast<int>(half.entries.size()));
    }
  }

  parallel::HostTasks tasks_;
  std::vector<int>& order_;
};

}  // namespace

std::vector<int> dissect(const sparse::HostGraph& graph, const std::vector<int>& weights, int threads) {
  if (graph.entries.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw Error(ErrorCode::OutOfMemory, "the graph has " + std::to_string(graph.entries.size()) +
                                            " edges, more than the 32-bit indices of this METIS can count");
  Part whole;
  whole.graph.row_map.assign(graph.row_map.begin(), graph.row_map.end());
  whole.graph.entries = graph.entries;
  whole.graph.weights = weights;
  whole.vertices.resize(static_cast<std::size_t>(graph.vertices()));
  std::iota(whole.vertices.begin(), whole.vertices.end(), 0);
  std::vector<int> order(whole.vertices.size());
  Dissection(threads, order).run(std::move(whole));
  return order;
}

}  // namespace terrace::ordering

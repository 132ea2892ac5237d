// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "algorithms/ordering/band.hpp"

#include <algorithm>
#include <iterator>

#include "sparse/breadth_first.hpp"

namespace terrace::ordering {
namespace {

// Of a vertex, over the vertices of a level: a full band has twice as many.
constexpr double neighbours_of_band = 1.5;
// From the middle of a full band a level has as many vertices as a vertex has neighbours.
constexpr double widest_level = 1.5;
constexpr std::size_t always_narrow = 16;
constexpr double edges_in_bands = 0.9;  // of all, in a matrix that is called a band
constexpr int unknowns_of_piece = 8;    // that are not dissected further: one front

bool is_band(const sparse::HostGraph& graph, const std::vector<int>& part, int levels) {
  std::size_t ends = 0;
  for (const int vertex : part) ends += graph.degree(vertex);
  const auto vertices = static_cast<double>(part.size());
  return static_cast<double>(ends) / vertices >= neighbours_of_band * vertices / levels;
}

class BandDissection {
 public:
  BandDissection(const BandLevels& band, const std::vector<int>& weights) : band_(band), weights_(weights) {
    order_.reserve(band.vertices.size());
  }

  std::vector<int> take() {
    for (std::size_t part = 0; part + 1 < band_.part_map.size(); ++part)
      dissect(band_.part_map[part], band_.part_map[part + 1]);
    return std::move(order_);
  }

 private:
  /// As deep as the logarithm of the number of levels.
  void dissect(int first, int end) {
    if (end - first < 3 || unknowns_of(first, end) <= unknowns_of_piece) return append(first, end);
    const int middle = first + (end - first) / 2;
    dissect(first, middle);
    dissect(middle + 1, end);
    append(middle, middle + 1);
  }

  int unknowns_of(int first, int end) const {
    int unknowns = 0;
    for (int i = band_.level_map[first]; i < band_.level_map[end] && unknowns <= unknowns_of_piece; ++i)
      unknowns += weights_.empty() ? 1 : weights_[band_.vertices[i]];
    return unknowns;
  }

  void append(int first, int end) {
    order_.insert(order_.end(), band_.vertices.begin() + band_.level_map[first],
                  band_.vertices.begin() + band_.level_map[end]);
  }

  const BandLevels& band_;
  const std::vector<int>& weights_;
  std::vector<int> order_;
};

}  // namespace

std::optional<BandLevels> find_band(const sparse::HostGraph& graph) {
  if (graph.entries.empty()) return std::nullopt;
  const int vertices = graph.vertices();
  const auto average = static_cast<double>(graph.entries.size()) / vertices;
  const std::size_t most_in_level = std::max(always_narrow, static_cast<std::size_t>(widest_level * average));
  sparse::BreadthFirst search(graph);
  BandLevels band;
  std::size_t ends_elsewhere = 0;
  const auto most_elsewhere =
      static_cast<std::size_t>((1 - edges_in_bands) * static_cast<double>(graph.entries.size()));
  for (int v = 0; v < vertices; ++v) {
    if (search.has_found(v)) continue;
    if (search.find_part(v, most_in_level) == 0) return std::nullopt;
    if (!is_band(graph, search.part(), search.levels_from_the_end()))
      for (const int vertex : search.part()) ends_elsewhere += graph.degree(vertex);
    if (ends_elsewhere > most_elsewhere) return std::nullopt;
    const auto begin = static_cast<int>(band.vertices.size());
    band.vertices.insert(band.vertices.end(), search.part().begin(), search.part().end());
    for (std::size_t level = 1; level < search.level_map().size(); ++level)
      band.level_map.push_back(begin + search.level_map()[level]);
    band.part_map.push_back(static_cast<int>(band.level_map.size()) - 1);
  }
  return band;
}

std::vector<int> order_from_both_ends(const BandLevels& band) {
  std::vector<int> order;
  order.reserve(band.vertices.size());
  for (std::size_t part = 0; part + 1 < band.part_map.size(); ++part) {
    const auto at = [&](int level) { return band.vertices.begin() + band.level_map[level]; };
    const int first = band.part_map[part], end = band.part_map[part + 1], middle = first + (end - first) / 2;
    order.insert(order.end(), at(first), at(middle));
    order.insert(order.end(), std::make_reverse_iterator(at(end)), std::make_reverse_iterator(at(middle)));
  }
  return order;
}

std::vector<int> dissect_band(const BandLevels& band, const std::vector<int>& weights) {
  return BandDissection(band, weights).take();
}

}  // namespace terrace::ordering

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The neighbours of a vertex are those that its own row names, on one side of it, and the rows that name it, on the
// other. Rows hand themselves to the vertices that they name, and are sorted afterwards where they did not come in
// order: which thread came first does not matter.
#include <algorithm>

#include "parallel/key_counts.hpp"
#include "sparse/host_triangle_view.hpp"

namespace terrace::sparse {
namespace {

template <class Offset>
class GraphMaker {
 public:
  GraphMaker(const HostTriangleView<Offset>& triangle, int threads)
      : triangle_(triangle),
        threads_(threads),
        own_(static_cast<std::size_t>(triangle.rows), 0),
        named_(threads, triangle.rows, own_.size(), triangle.stored()) {}

  HostGraph take() {
    count();
    graph_.entries.resize(graph_.row_map.back());
    fill();
    parallel::for_ranges(threads_, triangle_.rows, [&](int first, int end) {
      for (int v = first; v < end; ++v) sort(v);
    });
    return std::move(graph_);
  }

 private:
  void count() {
    named_.for_ranges([&](int first, int end, const auto& add) {
      for (int row = first; row < end; ++row) {
        int own = 0;
        triangle_.for_each_read(row, row + 1, [&](int, int column, std::size_t) {
          if (row == column) return;
          ++own;
          add(column, 1);
        });
        own_[row] = own;
      }
    });
    graph_.row_map.resize(own_.size() + 1);
    named_.total([&](std::size_t v, std::size_t named) {
      graph_.row_map[v + 1] = static_cast<std::size_t>(own_[v]) + named;
      if (!triangle_.lower) own_[v] = static_cast<int>(named);  // from here on: where they begin in the row
    });
    for (std::size_t v = 0; v < own_.size(); ++v) graph_.row_map[v + 1] += graph_.row_map[v];
    named_.make_lists(
        [&](std::size_t v) { return graph_.row_map[v] + (triangle_.lower ? static_cast<std::size_t>(own_[v]) : 0); });
  }

  void fill() {
    named_.for_ranges([&](int first, int end, const auto& add) {
      for (int row = first; row < end; ++row) {
        int* own = graph_.entries.data() + graph_.row_map[row] + (triangle_.lower ? 0 : own_[row]);
        triangle_.for_each_read(row, row + 1, [&](int, int column, std::size_t) {
          if (row == column) return;
          *own++ = column;
          graph_.entries[add(column, 1)] = row;
        });
      }
    });
  }

  void sort(int v) {
    int* const begin = graph_.entries.data() + graph_.row_map[v];
    int* const end = graph_.entries.data() + graph_.row_map[v + 1];
    if (std::is_sorted(begin, end)) return;
    int* const middle = std::partition_point(begin, end, [&](int other) { return other < v; });
    std::sort(begin, middle);
    std::sort(middle, end);
  }

  const HostTriangleView<Offset>& triangle_;
  const int threads_;
  std::vector<int> own_;                    // entries that each row has
  parallel::KeyCounts<std::size_t> named_;  // rows that name each vertex, and where the next of them goes
  HostGraph graph_;
};

}  // namespace

template <class Offset>
HostGraph graph_of(const HostTriangleView<Offset>& triangle, int threads) {
  return GraphMaker<Offset>(triangle, threads).take();
}

template HostGraph graph_of(const HostTriangleView<int>&, int);
template HostGraph graph_of(const HostTriangleView<std::size_t>&, int);

}  // namespace terrace::sparse

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The neighbours of a vertex are those that its own row names, on one side of it, and the rows that name it, on the
// other. Rows hand themselves to the vertices that they name; a vertex is named by few, so that they are sorted
// afterwards: which thread came first does not matter.
#include <algorithm>

#include "parallel/host_ranges.hpp"
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
        named_(static_cast<std::size_t>(triangle.rows), 0) {}

  HostGraph take() {
    count();
    graph_.entries.resize(graph_.row_map.back());
    parallel::for_ranges(threads_, triangle_.rows, [&](int first, int end) { fill(first, end); });
    parallel::for_ranges(threads_, triangle_.rows, [&](int first, int end) {
      for (int v = first; v < end; ++v) sort(v);
    });
    return std::move(graph_);
  }

 private:
  void count() {
    const int rows = triangle_.rows;
    parallel::for_ranges(threads_, rows, [&](int first, int end) {
      for (int row = first; row < end; ++row) {
        int own = 0;
        triangle_.for_each_read(row, row + 1, [&](int, int column, std::size_t) {
          if (row == column) return;
          ++own;
          parallel::add_shared(threads_, named_[column], 1);
        });
        own_[row] = own;
      }
    });
    graph_.row_map.resize(static_cast<std::size_t>(rows) + 1);
    for (int v = 0; v < rows; ++v) {
      graph_.row_map[v + 1] = graph_.row_map[v] + static_cast<std::size_t>(named_[v] + own_[v]);
      own_[v] = triangle_.lower ? 0 : named_[v];
      named_[v] = triangle_.lower ? static_cast<int>(graph_.degree(v)) - named_[v] : 0;
    }
  }

  void fill(int first, int end) {
    for (int row = first; row < end; ++row) {
      int* own = graph_.entries.data() + graph_.row_map[row] + own_[row];
      triangle_.for_each_read(row, row + 1, [&](int, int column, std::size_t) {
        if (row == column) return;
        *own++ = column;
        graph_.entries[graph_.row_map[column] +
                       static_cast<std::size_t>(parallel::add_shared(threads_, named_[column], 1))] = row;
      });
    }
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
  // First how many entries each row has, and how many rows name each vertex; then where these parts begin in the row of
  // the graph, and of the latter where the next one goes.
  std::vector<int> own_, named_;
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

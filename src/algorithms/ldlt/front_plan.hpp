// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where everything of a factorization lies: panels, contribution blocks, the entries of A. On the host (FrontPlan), and
// as arrays of an execution space (FrontArrays, FrontView).
//
//   Panels: front f has its columns of L at panel_map[f], `rows` x `columns`, column after column with leading
//   dimension `rows`. What lies above the diagonal is not read.
//
//   Contribution blocks: their lower triangles in block columns of 64, see PackedColumns. A front stands on the level
//   just below its parent's, the roots on the last; so the blocks of a level are needed until the next one is done, and
//   levels take turns at the two ends of one memory. Where panels lie level after level, that memory is what the panels
//   of later levels will take, and a workspace behind them; else the workspace alone.
//
//   Entries of A: those of the triangle that is read, by fronts: entry e belongs to the place `target[e]` of the
//   panels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "algorithms/ldlt/assembled_entries.hpp"
#include "algorithms/ldlt/front_tree.hpp"
#include "parallel/host_vectors.hpp"

namespace terrace::ldlt {

/// The lower triangle of a matrix with `rows` rows in block columns: block column b holds rows 64 b and below of its 64
/// columns, one column after the other.
struct PackedColumns {
  static constexpr int width = 64;

  std::int64_t rows;

  KOKKOS_FUNCTION std::int64_t block_begin(std::int64_t block) const {
    return width * (rows * block - width * (block * (block - 1) / 2));
  }
  KOKKOS_FUNCTION std::int64_t leading_dimension(std::int64_t block) const { return rows - block * width; }
  /// row >= column / 64 * 64.
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t row, std::int64_t column) const {
    const std::int64_t block = column / width;
    return block_begin(block) + (column - block * width) * leading_dimension(block) + row - block * width;
  }
  KOKKOS_FUNCTION std::int64_t size() const {
    const std::int64_t blocks = rows / width, rest = rows - blocks * width;
    return block_begin(blocks) + rest * rest;
  }
};

struct FrontPlan {
  FrontTree tree;
  parallel::HostArray<int>
      place_in_parent;                    ///< of each row in tree.rows among its parent's; -1 for own columns and roots
  std::vector<std::size_t> panel_map;     ///< of each front; total
  std::vector<std::size_t> contribution;  ///< of each front, from the first panel on
  std::vector<std::size_t>
      update_map;              ///< fronts + 1: the update vector of each in a solve, two levels at a time; total
  std::vector<int> level_map;  ///< levels + 1; the first level is the farthest from the roots
  std::vector<int> by_level;   ///< fronts; in a level those with more rows first
  AssembledEntries entries;
  std::size_t workspace = 0;  ///< numbers behind the panels that contribution blocks take

  int levels() const { return static_cast<int>(level_map.size()) - 1; }
  std::size_t panel_numbers() const { return panel_map.back(); }
};

/// How panels follow each other. Hosts walk through subtrees; devices go from level to level, and have less memory.
enum class PanelOrder { Fronts, Levels };

/// All but the entries. `threads` of the host take part; what they find does not depend on how many they are.
FrontPlan plan_fronts(FrontTree tree, int threads, PanelOrder order);

/// \see assemble_entries of assembled_entries.hpp.
template <class Offset>
AssembledEntries assemble_entries(const FrontPlan& plan, const sparse::HostTriangleView<Offset>& triangle, int threads,
                                  parallel::HostArray<Offset>& source) {
  return assemble_entries(plan.tree, plan.panel_map, triangle, threads, source);
}

/// For kernels: plain pointers.
struct FrontView {
  int fronts;
  const int* first_column;
  const int* parent;
  const std::size_t* row_map;
  const int* rows;
  const int* place_in_parent;
  const std::size_t* child_map;
  const int* children;
  const std::size_t* panel_map;
  const std::size_t* contribution;
  const std::size_t* update_map;
  const int* by_level;
  const std::size_t* entry_map;
  const std::size_t* entry_target;

  KOKKOS_FUNCTION int columns_of(int front) const { return first_column[front + 1] - first_column[front]; }
  KOKKOS_FUNCTION int rows_of(int front) const { return static_cast<int>(row_map[front + 1] - row_map[front]); }
};

/// The plan as an execution space reads it.
template <class Space>
struct FrontArrays {
  template <class T>
  using Array = Kokkos::View<T*, parallel::Device<Space>>;

  Array<int> first_column, parent, rows, place_in_parent, children, by_level;
  Array<std::size_t> row_map, child_map, panel_map, contribution, update_map, entry_map, entry_target;

  FrontArrays() = default;

  /// Waits for the space. \throws Error OutOfMemory.
  FrontArrays(const Space& space, FrontPlan& plan) {
    const auto upload = [&](auto& from) { return parallel::from_host_vector(space, "terrace::ldlt::fronts", from); };
    FrontTree& tree = plan.tree;
    first_column = upload(tree.first_column);
    parent = upload(tree.parent);
    rows = upload(tree.rows);
    place_in_parent = upload(plan.place_in_parent);
    children = upload(tree.children);
    by_level = upload(plan.by_level);
    row_map = upload(tree.row_map);
    child_map = upload(tree.child_map);
    panel_map = upload(plan.panel_map);
    contribution = upload(plan.contribution);
    update_map = upload(plan.update_map);
    entry_map = upload(plan.entries.map);
    entry_target = upload(plan.entries.target);
  }

  FrontView view() const {
    return {static_cast<int>(parent.extent(0)),
            first_column.data(),
            parent.data(),
            row_map.data(),
            rows.data(),
            place_in_parent.data(),
            child_map.data(),
            children.data(),
            panel_map.data(),
            contribution.data(),
            update_map.data(),
            by_level.data(),
            entry_map.data(),
            entry_target.data()};
  }

  std::size_t bytes_held() const {
    return (first_column.span() + parent.span() + rows.span() + place_in_parent.span() + children.span() +
            by_level.span()) *
               sizeof(int) +
           (row_map.span() + child_map.span() + panel_map.span() + contribution.span() + update_map.span() +
            entry_map.span() + entry_target.span()) *
               sizeof(std::size_t);
  }
};

}  // namespace terrace::ldlt

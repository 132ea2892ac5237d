// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Solves with L and L^T on a host, as work for ClaimTasks. Y has a row for each column of L, and its rows follow one
// another: what a front needs of all vectors lies together, and rows that are neighbours are handed over as one.
//
//     forward    children first: y += what they hand over; y1 = L11^-1 y1; hand over: u = what they did - L21 y1
//     backward   parents first: u = y of the rows below; y1 = L11^-T (D^-1 y1 - L21^T u)
//
// What a front hands to its parent goes the way of contribution blocks. Its sums have the same terms in the same order,
// whichever thread makes them.
#pragma once

#include "algorithms/ldlt/blas.hpp"
#include "algorithms/ldlt/engine.hpp"
#include "algorithms/ldlt/host_tasks.hpp"
#include "algorithms/ldlt/solve_small.hpp"

namespace terrace::ldlt {

template <class Scalar>
struct HostSolve {
  struct Thread {
    Scalar* stack;
  };

  const FrontPlan* plan;
  const HostSchedule* schedule;
  HostProgress progress;
  const Scalar* panels;
  const Scalar* pivots;
  Scalar* shared;
  Scalar* stacks;
  Scalar* Y;
  int columns;  // of Y
  bool is_forward;
  bool divides;  // by D, before it goes backward

  Thread begin(int worker) const {
    return {stacks + static_cast<std::size_t>(worker) * schedule->updates.stack * static_cast<std::size_t>(columns)};
  }

  void run(const Thread& thread, const HostTask& task) const {
    const HostUnit& unit = schedule->units[task.unit];
    const auto& before = is_forward ? schedule->children : schedule->parents;
    if (task.kind == HostTask::Tile) return run_tile(front_at(thread, unit.begin), task);
    progress.wait_for_units(before, task.unit);
    if (task.kind == HostTask::Assemble) {
      const Front front = front_at(thread, unit.begin);
      if (is_forward) gather_updates(thread, front);
      else gather_rows(front);
      const FrontProgress cells{progress.cells + schedule->tiles[task.unit], front.tiles};
      cells.raise(cells.of_column(0), 1);
    } else if (is_forward) {
      for (int f = unit.begin; f < unit.end; ++f) solve_forward(thread, front_at(thread, f));
    } else {
      for (int f = unit.end - 1; f >= unit.begin; --f) solve_backward(alone(thread, front_at(thread, f)));
    }
  }

  void end(const Thread&) const {}

 private:
  struct Front {
    int number;
    FrontTiles tiles;
    const Scalar* panel;
    Scalar* own;     // rows of Y
    Scalar* update;  // of the rows below
    int columns;     // of both

    const Scalar* at(int row, int column) const { return panel + row + std::ptrdiff_t(column) * tiles.rows; }
    bool is_own(int tile) const { return tile < tiles.own(); }
    Scalar* rows(int tile) const {
      const std::ptrdiff_t row = tiles.row_begin(tile);
      return is_own(tile) ? own + row * columns : update + (row - tiles.columns) * columns;
    }
    int size(int tile) const { return tiles.row_end(tile) - tiles.row_begin(tile); }
  };

  Scalar* update_of(const Thread& thread, int front) const {
    const std::size_t at = schedule->updates.position[front] * static_cast<std::size_t>(columns);
    return (schedule->stays_in_unit(plan->tree, front) ? thread.stack : shared) + at;
  }

  Front front_at(const Thread& thread, int f) const {
    const FrontTree& tree = plan->tree;
    const int rows = tree.rows_of(f), own = tree.columns_of(f);
    return {f,
            FrontTiles::of_solve(rows, own),
            panels + plan->panel_map[f],
            Y + std::ptrdiff_t(tree.first_column[f]) * columns,
            update_of(thread, f),
            columns};
  }

  /// Backward nothing is handed on, and a run needs the rows of one front at a time.
  static Front alone(const Thread& thread, Front front) {
    front.update = thread.stack;
    return front;
  }

  void gather_updates(const Thread& thread, const Front& front) const {
    const FrontTree& tree = plan->tree;
    std::fill_n(front.update, std::ptrdiff_t(tree.contribution_rows_of(front.number)) * columns, Scalar(0));
    for (std::size_t k = tree.child_map[front.number]; k < tree.child_map[front.number + 1]; ++k) {
      const int child = tree.children[k], rows = tree.contribution_rows_of(child);
      const std::size_t below = tree.row_map[child + 1] - static_cast<std::size_t>(rows);
      const int* const place = plan->place_in_parent.data() + below;
      const int* const run_end = schedule->run_end.data() + below;
      const Scalar* const from = update_of(thread, child);
      const int own = front.tiles.columns;
      for (int r = 0; r < rows;) {
        // A run may begin with own rows and end below.
        const int run = place[r] < own ? std::min(run_end[r], r + own - place[r]) : run_end[r];
        Scalar* const to = place[r] < own ? front.own + std::ptrdiff_t(place[r]) * columns
                                          : front.update + std::ptrdiff_t(place[r] - own) * columns;
        const Scalar* const rows_of_child = from + std::ptrdiff_t(r) * columns;
        for (std::ptrdiff_t n = 0; n < std::ptrdiff_t(run - r) * columns; ++n) to[n] += rows_of_child[n];
        r = run;
      }
    }
  }

  void gather_rows(const Front& front) const {
    const FrontTree& tree = plan->tree;
    const int* const rows = tree.rows_begin(front.number) + front.tiles.columns;
    const int count = tree.contribution_rows_of(front.number), first = tree.first_column[front.number];
    if (columns == 1)
      for (int r = 0; r < count; ++r) front.update[r] = Y[rows[r]];
    else
      for (int r = 0; r < count; ++r)
        std::copy_n(Y + std::ptrdiff_t(rows[r]) * columns, columns, front.update + std::ptrdiff_t(r) * columns);
    if (!divides) return;
    Scalar* own = front.own;
    for (int r = 0; r < front.tiles.columns; ++r)
      for (int c = 0; c < columns; ++c, ++own) *own /= pivots[first + r];
  }

  /// The tile of rows i and own columns j, or its transpose. Of several vectors the rows are columns to the BLAS:
  /// Y^T = Y^T L^-T, Y^T -= Y^T L^T.
  void step(const Front& front, int i, int j) const {
    const int to = is_forward ? i : j, from = is_forward ? j : i, rows = front.size(to), read = front.size(from);
    const Op op = is_forward ? Op::Plain : Op::Transposed, op_of_rows = is_forward ? Op::Transposed : Op::Plain;
    const Scalar* const L = front.at(front.tiles.row_begin(i), front.tiles.row_begin(j));
    const int ld = front.tiles.rows;
    Scalar* const y = front.rows(to);
    if (i == j) {
      if (columns == 1) solve_unit_lower(Side::Left, op, rows, 1, L, ld, y, rows);
      else solve_unit_lower(Side::Right, op_of_rows, columns, rows, L, ld, y, columns);
    } else {
      const Scalar* const x = front.rows(from);
      if (columns == 1) subtract_product(op, Op::Plain, rows, 1, read, L, ld, x, read, y, rows);
      else subtract_product(Op::Plain, op_of_rows, columns, rows, read, x, columns, L, ld, y, columns);
    }
  }

  bool is_small(const Front& front) const {
    return columns == 1 && std::int64_t(front.tiles.rows) * front.tiles.columns <= SmallFront<Scalar>::max_entries;
  }
  static SmallFront<Scalar> small(const Front& front) {
    return {front.panel, front.tiles.rows, front.tiles.columns, front.own, front.update};
  }

  void solve_forward(const Thread& thread, const Front& front) const {
    gather_updates(thread, front);
    if (is_small(front)) return small(front).forward();
    for (int j = 0; j < front.tiles.own(); ++j)
      for (int i = j; i < front.tiles.count(); ++i) step(front, i, j);
  }

  void solve_backward(const Front& front) const {
    gather_rows(front);
    if (is_small(front)) return small(front).backward();
    for (int i = front.tiles.count() - 1; i >= 0; --i)
      for (int j = std::min(i, front.tiles.own() - 1); j >= 0; --j) step(front, i, j);
  }

  /// A cell counts how many of the tiles in its row (forward) or block column (backward) are done.
  void run_tile(const Front& front, const HostTask& task) const {
    const int i = task.row, j = task.column, last = front.tiles.count() - 1;
    const FrontProgress cells{progress.cells + schedule->tiles[task.unit], front.tiles};
    cells.wait(cells.of_column(0), 1);
    if (is_forward) {
      cells.wait(cells.of_tile(i), j);
      if (i != j) cells.wait(cells.of_tile(j), j + 1);
      step(front, i, j);
      cells.raise(cells.of_tile(i), j + 1);
    } else {
      cells.wait(cells.of_tile(j), last - i);
      if (i != j && front.is_own(i)) cells.wait(cells.of_tile(i), last - i + 1);
      step(front, i, j);
      cells.raise(cells.of_tile(j), last - i + 1);
    }
  }
};

}  // namespace terrace::ldlt

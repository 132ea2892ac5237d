// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The numeric factorization on a host, as work for ClaimTasks: the tasks of shared fronts, and the same steps one after
// the other for the fronts of a run.
#pragma once

#include "algorithms/ldlt/assemble_front.hpp"
#include "algorithms/ldlt/dense_ldlt.hpp"
#include "algorithms/ldlt/host_tasks.hpp"

namespace terrace::ldlt {

template <class Scalar>
struct HostFactorization {
  using Real = RealOf<Scalar>;

  static constexpr int columns_at_once = 512;  // of W = L D, which a thread makes for a contribution block
  static constexpr std::size_t scratch_size = std::size_t(columns_at_once) * FrontTiles::widest;

  struct Thread {
    Scalar* stack;
    Scalar* scratch;
    Real growth;
  };

  const FrontPlan* plan;
  const HostSchedule* schedule;
  HostProgress progress;
  PivotRule<Scalar> rule;
  const Scalar* entries;
  Scalar* panels;
  Scalar* pivots;
  Scalar* shared;   // what is handed from unit to unit
  Scalar* stacks;   // for each thread
  Scalar* scratch;  // for each thread

  Thread begin(int worker) const {
    const auto thread = static_cast<std::size_t>(worker);
    return {stacks + thread * schedule->contributions.stack, scratch + thread * scratch_size, Real(0)};
  }

  void run(Thread& thread, const HostTask& task) const {
    const HostUnit& unit = schedule->units[task.unit];
    if (task.kind == HostTask::Run) {
      progress.wait_for_units(schedule->children, task.unit);
      for (int f = unit.begin; f < unit.end; ++f) factorize_front(thread, f);
    } else {
      run_shared(thread, task, unit.begin);
    }
  }

  void end(const Thread& thread) const { parallel::atomic_raise(rule.record->growth, thread.growth); }

 private:
  struct Front {
    int number;
    FrontTiles tiles;
    DensePanel<Scalar> panel;
    Scalar* contribution;

    Range rows(int tile) const { return {tiles.row_begin(tile), tiles.row_end(tile)}; }
    Range contribution_rows(int tile, int block) const {
      return {std::max(tiles.row_begin(tile), tiles.columns + block * tiles.width), tiles.row_end(tile)};
    }
  };

  Scalar* contribution_of(const Thread& thread, int front) const {
    const std::size_t at = schedule->contributions.position[front];
    return (schedule->stays_in_unit(plan->tree, front) ? thread.stack : shared) + at;
  }

  Front front_at(const Thread& thread, int f) const {
    const FrontTree& tree = plan->tree;
    const int rows = tree.rows_of(f), first = tree.first_column[f];
    return {f, FrontTiles::of_factorization(rows, tree.columns_of(f)),
            DensePanel<Scalar>{panels + plan->panel_map[f], rows, pivots + first, first}, contribution_of(thread, f)};
  }

  /// Calls visit for what each child hands over.
  auto children_of(const Thread& thread, int f) const {
    return [this, &thread, f](const auto& visit) {
      const FrontTree& tree = plan->tree;
      for (std::size_t k = tree.child_map[f]; k < tree.child_map[f + 1]; ++k) {
        const int child = tree.children[k];
        const FrontTiles tiles = FrontTiles::of_factorization(tree.rows_of(child), tree.columns_of(child));
        const std::size_t below = tree.row_map[child] + static_cast<std::size_t>(tiles.columns);
        visit(HandedBlock<Scalar>{ContributionLayout(tiles), contribution_of(thread, child),
                                  plan->place_in_parent.data() + below, schedule->run_end.data() + below});
      }
    };
  }

  void assemble_block(const Thread& thread, const Front& front, int j) const {
    assemble_columns(*plan, front.number, front.tiles.row_begin(j), front.tiles.row_end(j), entries, panels,
                     children_of(thread, front.number));
  }

  void assemble_contribution_block(const Thread& thread, const Front& front, int block) const {
    assemble_contribution(front.tiles, block, front.contribution, children_of(thread, front.number));
  }

  void factorize_diagonal(Thread& thread, const Front& front, int j) const {
    update_tile(front.panel, front.rows(j), front.rows(j), 0);
    factorize_diagonal_tile(front.panel, front.rows(j), rule, thread.growth);
  }

  /// W = L D for the rows of a block column of the contribution block, in columns of L.
  void scale_rows(const Thread& thread, const Front& front, int block, Range columns) const {
    const int begin = front.tiles.columns + block * front.tiles.width;
    const int count = std::min(front.tiles.width, front.tiles.rows - begin);
    Scalar* to = thread.scratch;
    for (int c = columns.begin; c < columns.end; ++c, to += count) {
      const Scalar pivot = front.panel.pivots[c];
      const Scalar* const from = front.panel.at(begin, c);
      for (int r = 0; r < count; ++r) to[r] = from[r] * pivot;
    }
  }

  /// With W in the scratch memory.
  void update_contribution(const Thread& thread, const Front& front, int tile, int block, Range columns) const {
    const ContributionLayout layout(front.tiles);
    const int begin = front.tiles.columns + block * front.tiles.width;
    const int count = std::min(front.tiles.width, front.tiles.rows - begin);
    const Range rows = front.contribution_rows(tile, block);
    subtract_product(Op::Plain, Op::Transposed, rows.size(), count, columns.size(),
                     front.panel.at(rows.begin, columns.begin), front.panel.leading_dimension(), thread.scratch, count,
                     front.contribution + layout.block_begin(block) + (rows.begin - begin),
                     layout.leading_dimension(block));
  }

  template <class Visit>
  static void for_columns_at_once(const Front& front, const Visit& visit) {
    for (int c = 0; c < front.tiles.columns; c += columns_at_once)
      visit(Range{c, std::min(c + columns_at_once, front.tiles.columns)});
  }

  void factorize_front(Thread& thread, int f) const {
    const Front front = front_at(thread, f);
    const FrontTiles& tiles = front.tiles;
    for (int j = 0; j < tiles.own(); ++j) {
      assemble_block(thread, front, j);
      factorize_diagonal(thread, front, j);
      for (int i = j + 1; i < tiles.count(); ++i) {
        update_tile(front.panel, front.rows(i), front.rows(j), 0);
        finish_tile(front.panel, front.rows(i), front.rows(j), i < tiles.own(), thread.growth);
      }
    }
    for (int b = 0; b < tiles.contribution_blocks(); ++b) {
      assemble_contribution_block(thread, front, b);
      for_columns_at_once(front, [&](Range columns) {
        scale_rows(thread, front, b, columns);
        for (int i = tiles.tile_of_contribution_block(b); i < tiles.count(); ++i)
          update_contribution(thread, front, i, b, columns);
      });
    }
  }

  void run_shared(Thread& thread, const HostTask& task, int f) const {
    const Front front = front_at(thread, f);
    const FrontProgress cells{progress.cells + schedule->tiles[task.unit], front.tiles};
    switch (task.kind) {
      case HostTask::Run: break;
      case HostTask::Assemble:
        progress.wait_for_units(schedule->children, task.unit);
        assemble_block(thread, front, task.column);
        return cells.raise(cells.of_column(task.column), 1);
      case HostTask::Tile: return run_tile(thread, front, cells, task.row, task.column);
      case HostTask::AssembleContribution:
        progress.wait_for_units(schedule->children, task.unit);
        assemble_contribution_block(thread, front, task.column);
        return cells.raise(cells.of_contribution(task.column), 1);
      case HostTask::ContributionTile: return run_contribution_tile(thread, front, cells, task.row, task.column);
    }
  }

  void run_tile(Thread& thread, const Front& front, const FrontProgress& cells, int i, int j) const {
    cells.wait(cells.of_column(j), 1);
    cells.wait(cells.of_tile(i), j);
    cells.wait(cells.of_tile(j), j);
    if (i == j) {
      factorize_diagonal(thread, front, j);
    } else {
      update_tile(front.panel, front.rows(i), front.rows(j), 0);
      cells.wait(cells.of_tile(j), j + 1);
      finish_tile(front.panel, front.rows(i), front.rows(j), i < front.tiles.own(), thread.growth);
    }
    cells.raise(cells.of_tile(i), j + 1);
  }

  void run_contribution_tile(Thread& thread, const Front& front, const FrontProgress& cells, int i, int block) const {
    const int own = front.tiles.own();
    cells.wait(cells.of_contribution(block), 1);
    cells.wait(cells.of_tile(i), own);
    cells.wait(cells.of_tile(front.tiles.tile_of_contribution_block(block)), own);
    for_columns_at_once(front, [&](Range columns) {
      scale_rows(thread, front, block, columns);
      update_contribution(thread, front, i, block, columns);
    });
  }
};

}  // namespace terrace::ldlt

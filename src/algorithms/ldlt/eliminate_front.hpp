// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The elimination of one front by a team: assemble F from A and from the children, then
//
//     for each own column j:   l_ij = (f_ij - sum_p<j l_ip d_p l_jp) / d_j,   d_j by the rule of pivots
//     for the contribution:    c_ij = f_ij - sum_p l_ip d_p l_jp              over all own columns p
//
// Columns are computed left-looking, so that each entry is written once. Children are added one after the other, in the
// order in which they are numbered: sums do not depend on who runs. Source: Liu 1992, section 3.
#pragma once

#include "algorithms/ldlt/engine.hpp"
#include "parallel/teams.hpp"

namespace terrace::ldlt {

template <class Scalar, class Space>
struct EliminateFront {
  using Real = RealOf<Scalar>;
  using Member = parallel::TeamMember<Space>;

  FrontView fronts;
  int first;       // of the level, in fronts.by_level
  Scalar* panels;  // and contribution blocks
  Scalar* diagonal;
  const Scalar* entries;
  PivotRule<Scalar> pivots;

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const int front = fronts.by_level[first + member.league_rank()];
    const std::int64_t columns = fronts.columns_of(front), rows = fronts.rows_of(front);
    Scalar* const panel = panels + fronts.panel_map[front];
    Scalar* const contribution = panels + fronts.contribution[front];
    const PackedColumns packed{rows - columns};
    const auto fill = [&](Scalar* numbers, std::int64_t count) {
      parallel::share(member, count, [=](std::int64_t k) { numbers[k] = Scalar(0); });
    };
    fill(panel, rows * columns);
    fill(contribution, packed.size());
    member.team_barrier();
    const auto begin = fronts.entry_map[front];
    parallel::share(member, fronts.entry_map[front + 1] - begin,
                    [=, this](std::size_t k) { panels[fronts.entry_target[begin + k]] = entries[begin + k]; });
    for (std::size_t c = fronts.child_map[front]; c < fronts.child_map[front + 1]; ++c)
      add_child(member, fronts.children[c], columns, rows, panel, contribution);
    member.team_barrier();
    eliminate_columns(member, front, columns, rows, panel);
    subtract_products(member, front, columns, panel, contribution, packed);
  }

  KOKKOS_FUNCTION void add_child(const Member& member, int child, std::int64_t columns, std::int64_t rows,
                                 Scalar* panel, Scalar* contribution) const {
    member.team_barrier();
    const std::int64_t own = fronts.columns_of(child), below = fronts.rows_of(child) - own;
    const int* const place = fronts.place_in_parent + fronts.row_map[child] + own;
    const Scalar* const from = panels + fronts.contribution[child];
    const PackedColumns of_child{below}, of_parent{rows - columns};
    parallel::share(member, below, [=](std::int64_t j) {
      const std::int64_t column = place[j];
      for (std::int64_t i = j; i < below; ++i) {
        const std::int64_t row = place[i];
        Scalar& to =
            column < columns ? panel[column * rows + row] : contribution[of_parent(row - columns, column - columns)];
        to += from[of_child(i, j)];
      }
    });
  }

  KOKKOS_FUNCTION void eliminate_columns(const Member& member, int front, std::int64_t columns, std::int64_t rows,
                                         Scalar* panel) const {
    const int offset = fronts.first_column[front];
    Real growth = 0;
    for (std::int64_t j = 0; j < columns; ++j) {
      Scalar* const column = panel + j * rows;
      parallel::share(member, rows - j, [=, this](std::int64_t k) {
        Scalar sum = column[j + k];
        for (std::int64_t p = 0; p < j; ++p)
          sum -= panel[p * rows + j + k] * (panel[p * rows + j] * diagonal[offset + p]);
        column[j + k] = sum;
      });
      member.team_barrier();
      parallel::by_one(member, [=, this] {
        diagonal[offset + j] = pivots.settle(offset + static_cast<int>(j), column[j]);
        column[j] = Scalar(1);
      });
      member.team_barrier();
      const Scalar pivot = diagonal[offset + j];
      Real largest = 0;
      parallel::reduce(
          member, rows - j - 1,
          [=](std::int64_t k, Real& seen) {
            column[j + 1 + k] = column[j + 1 + k] / pivot;
            const Real size = incomplete::magnitude(column[j + 1 + k]);
            if (size > seen) seen = size;
          },
          Kokkos::Max<Real>(largest));
      growth = largest > growth ? largest : growth;
      member.team_barrier();
    }
    parallel::by_one(member, [=, this] { parallel::atomic_raise(pivots.record->growth, growth); });
  }

  KOKKOS_FUNCTION void subtract_products(const Member& member, int front, std::int64_t columns, const Scalar* panel,
                                         Scalar* contribution, PackedColumns packed) const {
    const std::int64_t rows = packed.rows + columns;
    const Scalar* const d = diagonal + fronts.first_column[front];
    parallel::share(member, packed.rows, [=](std::int64_t j) {
      for (std::int64_t i = j; i < packed.rows; ++i) {
        Scalar sum(0);
        for (std::int64_t p = 0; p < columns; ++p)
          sum += panel[p * rows + columns + i] * (panel[p * rows + columns + j] * d[p]);
        contribution[packed(i, j)] -= sum;
      }
    });
  }
};

}  // namespace terrace::ldlt

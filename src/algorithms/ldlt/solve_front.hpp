// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Substitution with one front by a team. Forward, the update of a front goes to its parent as in the factorization:
//
//     y_1 = L11^-1 (y_1 + what the children leave),   u = what the children leave - L21 y_1   for the parent
//
// and backward the unknowns of the rows below are there already: x_1 = L11^-T (y_1 - L21^T x_2).
#pragma once

#include "algorithms/ldlt/engine.hpp"
#include "parallel/teams.hpp"

namespace terrace::ldlt {

template <class Scalar, class Space>
struct SolveForward {
  using Member = parallel::TeamMember<Space>;
  using Vectors = detail::MultiVector<Scalar, Space>;

  FrontView fronts;
  int first;
  const Scalar* panels;
  Scalar* updates;  // of each front, one column of right-hand sides after the other
  Vectors Y;

  KOKKOS_FUNCTION std::int64_t below(int front) const { return fronts.rows_of(front) - fronts.columns_of(front); }
  KOKKOS_FUNCTION Scalar* update_of(int front) const { return updates + fronts.update_map[front] * Y.columns; }

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const int front = fronts.by_level[first + member.league_rank()];
    const std::int64_t offset = fronts.first_column[front], columns = fronts.columns_of(front), left = below(front);
    Scalar* const update = update_of(front);
    const auto vectors = static_cast<std::int64_t>(Y.columns);
    parallel::share(member, left * vectors, [=](std::int64_t k) { update[k] = Scalar(0); });
    for (std::size_t c = fronts.child_map[front]; c < fronts.child_map[front + 1]; ++c)
      add_child(member, fronts.children[c], offset, columns, update, left);
    const Scalar* const panel = panels + fronts.panel_map[front];
    const std::int64_t rows = columns + left;
    for (std::int64_t j = 0; j < columns; ++j) {
      member.team_barrier();
      parallel::share(member, (rows - j - 1) * vectors, [=, this](std::int64_t k) {
        const std::int64_t i = j + 1 + k % (rows - j - 1), v = k / (rows - j - 1);
        Scalar& to = i < columns ? Y(offset + i, v) : update[v * left + i - columns];
        to -= panel[j * rows + i] * Y(offset + j, v);
      });
    }
  }

  KOKKOS_FUNCTION void add_child(const Member& member, int child, std::int64_t offset, std::int64_t columns,
                                 Scalar* update, std::int64_t left) const {
    member.team_barrier();
    const std::int64_t from_rows = below(child);
    const int* const place = fronts.place_in_parent + fronts.row_map[child] + fronts.columns_of(child);
    const Scalar* const from = update_of(child);
    parallel::share(member, from_rows * static_cast<std::int64_t>(Y.columns), [=, this](std::int64_t k) {
      const std::int64_t i = place[k % from_rows], v = k / from_rows;
      Scalar& to = i < columns ? Y(offset + i, v) : update[v * left + i - columns];
      to += from[k];
    });
  }
};

template <class Scalar, class Space>
struct SolveBackward {
  using Member = parallel::TeamMember<Space>;

  FrontView fronts;
  int first;
  const Scalar* panels;
  detail::MultiVector<Scalar, Space> Y;

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const int front = fronts.by_level[first + member.league_rank()];
    const std::int64_t offset = fronts.first_column[front], columns = fronts.columns_of(front);
    const std::int64_t rows = fronts.rows_of(front);
    const int* const row = fronts.rows + fronts.row_map[front];
    const Scalar* const panel = panels + fronts.panel_map[front];
    for (std::int64_t j = columns - 1; j >= 0; --j)
      for (std::size_t v = 0; v < Y.columns; ++v) {
        const auto column = static_cast<std::ptrdiff_t>(v);
        Scalar sum(0);
        parallel::reduce(
            member, rows - j - 1,
            [=, this](std::int64_t k, Scalar& part) {
              part += panel[j * rows + j + 1 + k] * Y(row[j + 1 + k], column);
            },
            Kokkos::Sum<Scalar>(sum));
        parallel::by_one(member, [=, this] { Y(offset + j, column) -= sum; });
        member.team_barrier();
      }
  }
};

template <class Scalar, class Space>
struct DivideByDiagonal {
  const Scalar* diagonal;
  detail::MultiVector<Scalar, Space> Y;

  KOKKOS_FUNCTION void operator()(int row) const {
    for (std::size_t v = 0; v < Y.columns; ++v) {
      Scalar& y = Y(row, static_cast<std::ptrdiff_t>(v));
      y = y / diagonal[row];
    }
  }
};

}  // namespace terrace::ldlt

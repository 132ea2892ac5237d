// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// y = A x for compressed rows and several vectors, and with it the dot products that follow (projection.hpp).
//
// The rows are shared out in parts of equally many entries and rows together, and a part's rows are multiplied with up
// to eight vectors at a time, so that m vectors read the matrix m / 8 times.
//
// That is for hosts. On a device the product is a kernel over the rows of each vector (each_column.hpp), a thread for
// each. Rows far longer than others come first, by teams: those that the operator has listed (listed_rows.hpp), or
// where it has not, and there may be some, those that the teams find. backends/cuda has its own way.
#pragma once

#include <algorithm>

#include "algorithms/krylov/listed_rows.hpp"
#include "algorithms/krylov/projection.hpp"
#include "parallel/index_arithmetic.hpp"
#include "parallel/teams.hpp"

namespace terrace::krylov {

template <class Scalar, class Offset>
struct CrsRows {
  const Offset* row_map;
  const int* entries;
  const Scalar* values;
  int rows;
  std::int64_t count;         // of entries
  bool is_looked_at = false;  // whether `listed` has all rows that are to be
  ListedRows listed = {};

  template <class Space>
  void take_list(const ListOfRows<Space>& list) {
    is_looked_at = true;
    listed = list.view();
  }
};

template <class Scalar, class Offset>
struct MultiplyPart {
  static constexpr int width = 8;
  using Total = Sums<Scalar, 2>;

  CrsRows<Scalar, Offset> A;
  Columns<const Scalar> x;
  Columns<Scalar> y;
  int columns;
  int parts;
  bool projects;
  Projection<Scalar> projection;

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    const int first = static_cast<int>(item / parts) * width, part = static_cast<int>(item % parts);
    const int count = columns - first < width ? columns - first : width;
    Total sums[width];
    const int end = start_of(part + 1);
    if (count == 1) multiply_one(first, start_of(part), end, sums[0]);
    else multiply_several(first, count, start_of(part), end, sums);
    if (!projects) return;
    for (int k = 0; k < count; ++k)
      if (projection.gathering.contribute(first + k, part, parts, sums[k]))
        projection.final(first + k, projection.gathering.template total<2>(first + k, parts));
  }

 private:
  /// The first row that has at least the part's share of entries and rows before it.
  KOKKOS_FUNCTION int start_of(int part) const {
    const std::int64_t share = (A.count + A.rows) * part / parts;
    int low = 0, high = A.rows;
    while (low < high) {
      const int middle = low + (high - low) / 2;
      if (static_cast<std::int64_t>(A.row_map[middle]) + middle < share) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  KOKKOS_FUNCTION void multiply_one(int column, int begin, int end, Total& sums) const {
    const Scalar* const from = x(column);
    Scalar* const to = y(column);
    const Scalar* const w = projects ? projection.w(column) : nullptr;
    Total total;
    for (int row = begin; row < end; ++row) {
      Scalar sum(0);
      for (Offset k = A.row_map[row]; k < A.row_map[row + 1]; ++k) sum += A.values[k] * from[A.entries[k]];
      to[row] = sum;
      if (w) Projection<Scalar>::add(w[row], sum, total);
    }
    sums = total;
  }

  KOKKOS_FUNCTION void multiply_several(int first, int count, int begin, int end, Total* sums) const {
    const Scalar* from[width];
    for (int j = 0; j < width; ++j) from[j] = x(first + (j < count ? j : 0));
    for (int row = begin; row < end; ++row) {
      Scalar sum[width] = {};
      for (Offset k = A.row_map[row]; k < A.row_map[row + 1]; ++k)
        for (int j = 0; j < width; ++j) sum[j] += A.values[k] * from[j][A.entries[k]];
      for (int j = 0; j < count; ++j) {
        y(first + j)[row] = sum[j];
        if (projects) Projection<Scalar>::add(projection.w(first + j)[row], sum[j], sums[j]);
      }
    }
  }
};

/// Rows with more entries are long: too many for one thread of a device, while others have a row of usual length.
template <class Scalar, class Offset>
Offset longest_of_thread(const CrsRows<Scalar, Offset>& A) {
  constexpr std::int64_t always = 256, times_the_mean = 16;
  return static_cast<Offset>(std::min(A.count, std::max(always, times_the_mean * (A.count / std::max(A.rows, 1)))));
}

/// Such rows, for list_rows.
template <class Space, class Scalar, class Offset>
TileShape tile_shape(const Space&, const CrsRows<Scalar, Offset>& A) {
  return {1, static_cast<std::int64_t>(longest_of_thread(A))};
}

/// For the products of this space. As the other list_rows.
template <class Space, class Scalar, class Offset>
ListOfRows<Space> list_rows(const Space& space, const CrsRows<Scalar, Offset>& A) {
  return list_rows(space, A.row_map, A.rows, A.count, tile_shape(space, A));
}

/// A row by a team.
template <class Scalar, class Offset, class Space>
struct MultiplyByTeam {
  using Member = parallel::TeamMember<Space>;

  CrsRows<Scalar, Offset> A;
  Columns<const Scalar> x;
  Columns<Scalar> y;
  int columns;

  KOKKOS_FUNCTION void operator()(const Member& member, int row) const {
    const Offset begin = A.row_map[row];
    for (int column = 0; column < columns; ++column) {
      const Scalar* const from = x(column);
      Scalar sum(0);
      parallel::reduce(
          member, static_cast<std::int64_t>(A.row_map[row + 1] - begin),
          [=, this](std::int64_t k, Scalar& part) {
            const Offset at = begin + static_cast<Offset>(k);
            part += A.values[at] * from[A.entries[at]];
          },
          Kokkos::Sum<Scalar>(sum));
      parallel::by_one(member, [=, this] { y(column)[row] = sum; });
    }
  }
};

/// The rows of the list.
template <class Scalar, class Offset, class Space>
struct MultiplyListedRows {
  using Member = parallel::TeamMember<Space>;

  MultiplyByTeam<Scalar, Offset, Space> multiply;

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    multiply(member, multiply.A.listed.rows[member.league_rank()]);
  }
};

/// The long rows where there is no list. A team looks at some rows at once: runs of neighbours, whose ends lie together
/// in memory, and which are far from each other, for hubs often are neighbours.
template <class Scalar, class Offset, class Space>
struct MultiplyLongRows {
  using Member = parallel::TeamMember<Space>;
  static constexpr int rows_at_once = 2048, rows_of_run = 8, most_teams = 512;

  MultiplyByTeam<Scalar, Offset, Space> multiply;
  Offset longest;

  KOKKOS_FUNCTION int teams() const {
    const int useful = parallel::divide_up(multiply.A.rows, rows_at_once);
    return useful < most_teams ? useful : most_teams;
  }

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const std::int64_t runs = parallel::divide_up(multiply.A.rows, rows_of_run), league = teams();
    for (std::int64_t first = member.league_rank(); first < runs; first += league * (rows_at_once / rows_of_run)) {
      const auto row_at = [=](std::int64_t k) {
        return (first + k / rows_of_run * league) * rows_of_run + k % rows_of_run;
      };
      int any = 0;
      parallel::reduce(
          member, rows_at_once,
          [=, this](std::int64_t k, int& found) {
            if (is_long(row_at(k))) found = 1;
          },
          Kokkos::Max<int>(any));
      if (any == 0) continue;
      for (int k = 0; k < rows_at_once; ++k)
        if (is_long(row_at(k))) multiply(member, static_cast<int>(row_at(k)));
    }
  }

 private:
  KOKKOS_FUNCTION bool is_long(std::int64_t row) const {
    const auto& A = multiply.A;
    return row < A.rows && A.row_map[row + 1] - A.row_map[row] > longest;
  }
};

/// A kernel of for_each_column, after the long rows.
template <class Scalar, class Offset, bool Projects>
struct MultiplyRows {
  static constexpr int sums = Projects ? Projection<Scalar>::sums : 0;

  CrsRows<Scalar, Offset> A;
  Columns<const Scalar> x;
  Columns<Scalar> y;
  Offset longest;
  Projection<Scalar> projection;

  struct Rows {
    CrsRows<Scalar, Offset> A;
    const Scalar* x;
    Scalar* y;
    const Scalar* w;
    Offset longest;

    KOKKOS_FUNCTION void operator()(int row, Sums<Scalar, sums>& total) const {
      if (A.row_map[row + 1] - A.row_map[row] <= longest) {
        Scalar sum(0);
        for (Offset k = A.row_map[row]; k < A.row_map[row + 1]; ++k) sum += A.values[k] * x[A.entries[k]];
        y[row] = sum;
      }
      if constexpr (Projects) Projection<Scalar>::add(w[row], y[row], total);
    }
  };

  KOKKOS_FUNCTION bool acts_on(int) const { return true; }
  KOKKOS_FUNCTION Rows rows_of(int column) const {
    return {A, x(column), y(column), Projects ? projection.w(column) : nullptr, longest};
  }
  KOKKOS_FUNCTION void final(int column, const Sums<Scalar, sums>& total) const {
    if constexpr (Projects) projection.final(column, total);
  }
};

template <bool Projects, class Space, class Scalar, class Offset>
void multiply_rows(const Space& space, const CrsRows<Scalar, Offset>& A, const Columns<const Scalar>& x,
                   const Columns<Scalar>& y, int columns, const Projection<Scalar>& projection) {
  const Offset longest = longest_of_thread(A);
  const MultiplyByTeam<Scalar, Offset, Space> by_team{A, x, y, columns};
  if (A.listed.count > 0) {
    parallel::for_each_team("terrace::krylov::multiply_listed_rows", space, A.listed.count,
                            MultiplyListedRows<Scalar, Offset, Space>{by_team});
  } else if (!A.is_looked_at && A.count > static_cast<std::int64_t>(longest)) {
    const MultiplyLongRows<Scalar, Offset, Space> long_rows{by_team, longest};
    parallel::for_each_team("terrace::krylov::multiply_long_rows", space, long_rows.teams(), long_rows);
  }
  for_each_column(space, "terrace::krylov::multiply", Extent<Scalar>{A.rows, columns, projection.gathering},
                  MultiplyRows<Scalar, Offset, Projects>{A, x, y, longest, projection});
}

/// Without a projection where that is null.
template <class Space, class Scalar, class Offset>
void multiply(const Space& space, const CrsRows<Scalar, Offset>& A, const Columns<const Scalar>& x,
              const Columns<Scalar>& y, int columns, const Projection<Scalar>* projection) {
  if constexpr (parallel::is_host_space<Space>) {
    using Kernel = MultiplyPart<Scalar, Offset>;
    const std::size_t work = static_cast<std::size_t>(A.count) + static_cast<std::size_t>(A.rows);
    const int parts = parts_of(space, work), groups = parallel::divide_up(columns, Kernel::width);
    const bool one_thread = projection && projection->gathering.one_thread;
    for_each_item(
        space, "terrace::krylov::multiply", Items{parts, groups, work, one_thread},
        Kernel{A, x, y, columns, parts, projection != nullptr, projection ? *projection : Projection<Scalar>{}});
  } else if (projection) {
    multiply_rows<true>(space, A, x, y, columns, *projection);
  } else {
    multiply_rows<false>(space, A, x, y, columns, Projection<Scalar>{});
  }
}

}  // namespace terrace::krylov

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel over the rows of several vectors, column by column, with sums for each column.
//
// A kernel names its scalars once per column, and is applied to all rows of it:
//
//     static constexpr int sums;                   how many sums it makes; with 0, no final
//     bool acts_on(int column) const               false: the column has stopped, and nothing is done
//     auto rows_of(int column) const               an object that a call (row, Sums<Scalar, sums>&) applies to a row
//     void final(int column, const Sums<Scalar, sums>& total) const
//
// The rows of a column are shared out in parts. Each leaves its sums in memory, and whoever comes last adds them up in
// the order of the parts and calls `final`: the bits of a sum depend on the number of parts alone.
//
// On a host a part is a thread's, or one thread takes all parts where the machine is too busy for several: the bits are
// the same. On a device a part is a team's, whose threads take its rows side by side; there the bits depend
// on the size of the team too, which is the same each time. Without sums a row is a thread's there. backends/cuda has
// its own way.
#pragma once

#include <algorithm>

#include "algorithms/krylov/recurrence.hpp"
#include "parallel/run_alone.hpp"
#include "parallel/team_size.hpp"

namespace terrace::krylov {

/// On a device, where the threads of a block step beyond the last row, in unsigned numbers.
template <class Space>
using RowIndex = std::conditional_t<parallel::is_host_space<Space>, int, unsigned>;

template <class Space>
Kokkos::RangePolicy<Space, Kokkos::IndexType<RowIndex<Space>>> each_row(const Space& space, std::size_t rows) {
  return {space, 0, static_cast<RowIndex<Space>>(rows)};
}

/// Vectors of equal length, one after the other.
template <class Scalar>
struct Columns {
  Scalar* data;
  std::ptrdiff_t rows;
  KOKKOS_FUNCTION Scalar* operator()(int column) const { return data + column * rows; }
};

/// Where the parts of a column leave their sums.
template <class Scalar>
struct Gathering {
  static constexpr int max_parts = 2048, max_sums = 2;
  Scalar* sums;
  int* arrived;             // zero between kernels
  bool one_thread = false;  // a host's, which takes all parts

  KOKKOS_FUNCTION Scalar* of(int column, int part) const {
    return sums + (static_cast<std::ptrdiff_t>(column) * max_parts + part) * max_sums;
  }

  /// True for the last of the parts to come.
  template <int N>
  KOKKOS_FUNCTION bool contribute(int column, int part, int parts, const Sums<Scalar, N>& mine) const {
    for (int k = 0; k < N; ++k) of(column, part)[k] = mine.of[k];
    return arrive(column, parts);
  }

  /// The same for a part whose sums are in memory.
  KOKKOS_FUNCTION bool arrive(int column, int parts) const {
    parallel::begin_release();
    if (parallel::fetch_increment(arrived[column]) != parts - 1) return false;
    parallel::begin_release();
    arrived[column] = 0;
    return true;
  }

  template <int N>
  KOKKOS_FUNCTION Sums<Scalar, N> total(int column, int parts) const {
    Sums<Scalar, N> all;
    for (int part = 0; part < parts; ++part)
      for (int k = 0; k < N; ++k) all.of[k] += of(column, part)[k];
    return all;
  }
};

template <class Scalar, class Space>
class GatheringMemory {
 public:
  GatheringMemory() = default;
  GatheringMemory(const Space& space, std::size_t columns)
      : sums_(parallel::zeros<Scalar>(space, "terrace::krylov::sums",
                                      columns * Gathering<Scalar>::max_parts * Gathering<Scalar>::max_sums)),
        arrived_(parallel::zeros<int>(space, "terrace::krylov::arrived", columns)) {}

  Gathering<Scalar> for_kernels() const { return {sums_.data(), arrived_.data()}; }

 private:
  Kokkos::View<Scalar*, parallel::Device<Space>> sums_;
  Kokkos::View<int*, parallel::Device<Space>> arrived_;
};

/// How many rows and columns, and the memory for sums.
template <class Scalar>
struct Extent {
  int rows;
  int columns;
  Gathering<Scalar> gathering;
};

template <class Scalar, class Kernel>
struct PartOfColumn {
  Extent<Scalar> extent;
  Kernel kernel;
  int parts;

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    const int column = static_cast<int>(item / parts), part = static_cast<int>(item % parts);
    if (!kernel.acts_on(column)) return;
    const auto end = static_cast<std::int64_t>(extent.rows) * (part + 1) / parts;
    const auto rows = kernel.rows_of(column);
    Sums<Scalar, Kernel::sums> sum;
    for (int row = static_cast<int>(static_cast<std::int64_t>(extent.rows) * part / parts); row < end; ++row)
      rows(row, sum);
    if constexpr (Kernel::sums > 0) {
      if (extent.gathering.contribute(column, part, parts, sum))
        kernel.final(column, extent.gathering.template total<Kernel::sums>(column, parts));
    }
  }
};

/// A row of a column, where there is nothing to sum.
template <class Scalar, class Kernel>
struct RowOfColumn {
  Extent<Scalar> extent;
  Kernel kernel;

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    const int column = static_cast<int>(item / extent.rows);
    Sums<Scalar, 0> none;
    if (kernel.acts_on(column)) kernel.rows_of(column)(static_cast<int>(item % extent.rows), none);
  }
};

/// A part by a team.
template <class Scalar, class Kernel, class Team>
struct PartOfTeam {
  using Total = Sums<Scalar, Kernel::sums>;

  Extent<Scalar> extent;
  Kernel kernel;
  int parts;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const int column = team.league_rank() / parts, part = team.league_rank() % parts;
    if (!kernel.acts_on(column)) return;
    const auto rows = kernel.rows_of(column);
    const int begin = static_cast<int>(static_cast<std::int64_t>(extent.rows) * part / parts);
    const int end = static_cast<int>(static_cast<std::int64_t>(extent.rows) * (part + 1) / parts);
    Total mine;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, begin, end), [&](int row, Total& sum) { rows(row, sum); }, mine);
    conclude(team, column, part, mine);
  }

 private:
  KOKKOS_FUNCTION void conclude(const Team& team, int column, int part, const Total& mine) const {
    int is_last = 0;
    Kokkos::single(
        Kokkos::PerTeam(team),
        [&](int& last) { last = extent.gathering.contribute(column, part, parts, mine) ? 1 : 0; }, is_last);
    if (is_last == 0) return;
    parallel::begin_release();
    Total total;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, parts),
        [&](int other, Total& sum) {
          for (int k = 0; k < Kernel::sums; ++k) sum.of[k] += extent.gathering.of(column, other)[k];
        },
        total);
    Kokkos::single(Kokkos::PerTeam(team), [&] { kernel.final(column, total); });
  }
};

/// Rows or entries that are worth waking a thread of a host for, or a team.
template <class Space>
inline constexpr std::size_t work_of_part = parallel::is_host_space<Space> ? 16384 : 1024;

template <class Space>
int parts_of(const Space& space, std::size_t work) {
  constexpr std::size_t threads_of_part = parallel::is_host_space<Space> ? 1 : 256;
  const auto most = std::min<std::size_t>(Gathering<double>::max_parts,
                                          static_cast<std::size_t>(space.concurrency()) / threads_of_part);
  return static_cast<int>(std::max<std::size_t>(1, std::min(most, work / work_of_part<Space>)));
}

/// The parts of all columns, or of all groups of columns, on a host.
struct Items {
  int parts;
  int columns;
  std::size_t work;  // of a column, as for parts_of
  bool one_thread;

  std::int64_t count() const { return static_cast<std::int64_t>(parts) * columns; }

  template <class Space>
  bool are_one_threads() const {
    return one_thread || (parts == 1 && work * static_cast<std::size_t>(columns) < 2 * work_of_part<Space>);
  }
};

template <class Space, class Functor>
void for_each_item(const Space& space, const char* label, const Items& of, const Functor& functor) {
  const std::int64_t items = of.count();
  if (of.are_one_threads<Space>()) return parallel::run_each_alone(space, label, items, functor);
  Kokkos::parallel_for(label, Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(space, 0, items), functor);
}

template <class Space, class Scalar, class Kernel>
void for_each_column(const Space& space, const char* label, const Extent<Scalar>& extent, const Kernel& kernel) {
  const auto rows = static_cast<std::size_t>(extent.rows);
  const int parts = parts_of(space, rows);
  if constexpr (parallel::is_host_space<Space>) {
    for_each_item(space, label, Items{parts, extent.columns, rows, extent.gathering.one_thread},
                  PartOfColumn<Scalar, Kernel>{extent, kernel, parts});
  } else if constexpr (Kernel::sums == 0) {
    const std::int64_t items = static_cast<std::int64_t>(extent.rows) * extent.columns;
    Kokkos::parallel_for(label, Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(space, 0, items),
                         RowOfColumn<Scalar, Kernel>{extent, kernel});
  } else {
    using Policy = Kokkos::TeamPolicy<Space>;
    const PartOfTeam<Scalar, Kernel, typename Policy::member_type> functor{extent, kernel, parts};
    if (extent.columns > 0) Kokkos::parallel_for(label, Policy(space, parts * extent.columns, Kokkos::AUTO), functor);
  }
}

}  // namespace terrace::krylov

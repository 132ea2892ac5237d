// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A triangle as threads of a host solve with it: in its rows where they are (rows_in_place.hpp), and packed
// (packed_rows.hpp) once that pays.
//
// To pack the values takes as long as two or three solves gain nothing from it, and new values have to be packed anew.
// So the first solves with new values leave the rows where they are, and a later one packs them: whoever solves often
// has the fastest solves, and whoever does not has paid nothing. If the values before were solved with often, the first
// solve packs. One thread never packs a triangle that stands alone in its rows: it reads all of them anyway.
#pragma once

#include "algorithms/triangular/packed_rows.hpp"
#include "algorithms/triangular/rows_in_place.hpp"
#include "algorithms/triangular/stored_triangle.hpp"
#include "parallel/run_alone.hpp"

namespace terrace::triangular {

/// All tasks by one thread.
template <class System, bool Gather>
struct SolvePositionsAlone {
  System system;
  typename System::Ordinal tasks;

  KOKKOS_FUNCTION void operator()(int) const {
    using Ordinal = typename System::Ordinal;
    if constexpr (Gather) {
      system.gather_tasks(0, tasks);
    } else {
      if (system.b.data != system.x.data)
        for (Ordinal row = 0; row < system.row_count(); ++row) system.copy_right_hand_side(row);
      system.scatter_tasks(0, tasks);
    }
  }
};

/// How the positions of a triangle are shared out. Where they have an order each is a task.
template <class Ordinal>
struct HostTasks {
  std::vector<Ordinal> first;      // task t has positions first[t] to first[t + 1] - 1
  const Ordinal* order = nullptr;  // or which row stands at each

  /// All rows are one thread's: equal pieces, so that several can pack them.
  static HostTasks of_one_thread(Ordinal rows) { return {equal_pieces(rows), nullptr}; }
  static HostTasks in_order(Ordinal rows, const Ordinal* order) { return {equal_pieces(rows), order}; }

 private:
  static std::vector<Ordinal> equal_pieces(Ordinal rows) {
    constexpr Ordinal rows_of_piece = 4096;
    std::vector<Ordinal> first;
    for (Ordinal position = 0; position < rows;) {
      first.push_back(position);
      position = rows - position > rows_of_piece ? position + rows_of_piece : rows;
    }
    first.push_back(rows);
    return first;
  }
};

/// When solves with the same values have been so many that packing them pays.
class PackWhenItPays {
 public:
  /// Before a solve: whether the rows have to be packed for it.
  bool next_solve_packs() {
    const bool packs = !is_packed_ && (solves_ >= solves_in_place || solves_before_ >= solves_that_repeat);
    ++solves_;
    if (packs) is_packed_ = true;
    return packs;
  }
  bool is_packed() const { return is_packed_; }
  void forget_values() {
    solves_before_ = solves_;
    solves_ = 0;
    is_packed_ = false;
  }

 private:
  static constexpr std::int64_t solves_in_place = 3, solves_that_repeat = 12;
  std::int64_t solves_ = 0, solves_before_ = 0;
  bool is_packed_ = false;
};

template <class ScalarType, class OrdinalType, class OffsetType, class SpaceType>
class HostTriangle {
 public:
  using Scalar = ScalarType;
  using Ordinal = OrdinalType;
  using Offset = OffsetType;
  using Space = SpaceType;
  using Triangle = StoredTriangle<Scalar, Ordinal, Offset, Space>;

  HostTriangle() = default;

  HostTriangle(const Space& space, const Triangle& triangle, HostTasks<Ordinal> tasks, bool may_pack)
      : rows_{triangle.structure().view(), tasks.order,
              triangle.runs_backward(triangle.gathers(Op::None) ? Op::None : Op::Transpose),
              triangle.options().diag == Diag::Unit, false},
        tasks_(std::move(tasks)),
        are_rows_long_(triangle.entries() >= std::int64_t(long_row) * rows_.pattern.rows),
        may_pack_(may_pack) {
    rows_.in_pairs = pay_pairs(rows_, triangle.entries());
    if (may_pack_ || are_rows_long_) sizes_ = find_groups(space, rows_, tasks_.first);
    if (may_pack_) packed_ = Packed(space, rows_, sizes_, tasks_.first);
    update_values(triangle);
  }

  /// Whether rows hold more than the triangle, so that one thread gains from packing it.
  static bool shares_rows(const Triangle& triangle) { return triangle.structure().diagonal.extent(0) > 0; }

  void update_values(const Triangle& triangle) {
    values_ = triangle.values().data();
    when_.forget_values();
  }

  /// Builds the kernels' view of the system and hands it to `solve`.
  template <class Solve>
  void with_system(const Space& space, const detail::MultiVector<const Scalar, Space>& b,
                   const detail::MultiVector<Scalar, Space>& x, Op op, const Solve& solve) {
    if (may_pack_ && when_.next_solve_packs()) packed_.fill(space, values_);
    if (b.columns == 1 && b.row_stride == 1 && x.row_stride == 1) with_system_of<true>(b, x, op, solve);
    else with_system_of<false>(b, x, op, solve);
  }

  template <class System>
  void solve_alone(const Space& space, const System& system, bool gathers) const {
    const Ordinal tasks = rows_.order ? rows_.pattern.rows : static_cast<Ordinal>(tasks_.first.size() - 1);
    if (gathers) parallel::run_alone(space, System::names.sequential, SolvePositionsAlone<System, true>{system, tasks});
    else parallel::run_alone(space, System::names.sequential, SolvePositionsAlone<System, false>{system, tasks});
  }

  std::size_t bytes_held() const {
    return packed_.bytes_held() + sizes_.span() + tasks_.first.size() * sizeof(Ordinal);
  }

 private:
  /// Entries of an average row from which groups pay in place: the sums of shorter ones overlap by themselves.
  static constexpr int long_row = 128;

  using Rows = OrderedRows<Ordinal, Offset>;
  using Packed = PackedRows<Scalar, Rows, Space>;

  template <bool Contiguous, class Solve>
  void with_system_of(const detail::MultiVector<const Scalar, Space>& b, const detail::MultiVector<Scalar, Space>& x,
                      Op op, const Solve& solve) const {
    const Vectors<const Scalar, Contiguous> from(b);
    const Vectors<Scalar, Contiguous> to(x);
    const auto columns = static_cast<int>(b.columns);
    const bool conjugate = op == Op::ConjugateTranspose;
    if (when_.is_packed())
      solve(
          PackedSystem<Scalar, typename Packed::Pattern, Contiguous>{packed_.pattern(), from, to, columns, conjugate});
    else
      solve(InPlaceSystem<Scalar, Rows, Contiguous>{rows_, values_, are_rows_long_ ? sizes_.data() : nullptr,
                                                    rows_.order ? nullptr : tasks_.first.data(), from, to, columns,
                                                    conjugate});
  }

  Rows rows_{};
  HostTasks<Ordinal> tasks_;
  bool are_rows_long_ = false;
  GroupSizes<Space> sizes_;
  const Scalar* values_ = nullptr;
  bool may_pack_ = false;
  Packed packed_;
  PackWhenItPays when_;
};

}  // namespace terrace::triangular

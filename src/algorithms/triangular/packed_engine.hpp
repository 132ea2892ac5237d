// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What Automatic takes where one thread of a host solves: packed rows (packed_rows.hpp), in the order of the solution.
#pragma once

#include "algorithms/triangular/packed_rows.hpp"
#include "algorithms/triangular/stored_triangle.hpp"
#include "parallel/run_alone.hpp"

namespace terrace::triangular {

/// A triangle's packed rows: solves by one thread, and what several need. Hosts only.
template <class ScalarType, class OrdinalType, class OffsetType, class SpaceType>
class PackedTriangle {
 public:
  using Scalar = ScalarType;
  using Ordinal = OrdinalType;
  using Offset = OffsetType;
  using Space = SpaceType;
  using Triangle = StoredTriangle<Scalar, Ordinal, Offset, Space>;

  PackedTriangle() = default;

  /// `first` as for PackedRows; `order`: which row stands at a position, or null.
  PackedTriangle(const Space& space, const Triangle& triangle, const std::vector<Ordinal>& first,
                 const Ordinal* order = nullptr)
      : rows_(space,
              {triangle.structure().view(), order,
               triangle.runs_backward(triangle.gathers(Op::None) ? Op::None : Op::Transpose),
               triangle.options().diag == Diag::Unit},
              first) {
    update_values(space, triangle);
  }

  void update_values(const Space& space, const Triangle& triangle) {
    rows_.fill_values(space, triangle.values().data());
  }

  /// Builds the kernels' view of the system and hands it to `solve`.
  template <class Solve>
  void with_system(const detail::MultiVector<const Scalar, Space>& b, const detail::MultiVector<Scalar, Space>& x,
                   Op op, const Solve& solve) const {
    if (b.columns == 1 && b.row_stride == 1 && x.row_stride == 1) solve(system<true>(b, x, op));
    else solve(system<false>(b, x, op));
  }

  template <class System>
  void solve_alone(const Space& space, const System& system, bool gathers) const {
    const Ordinal tasks = rows_.tasks();
    if (gathers) parallel::run_alone(space, System::names.sequential, SolvePackedAlone<System, true>{system, tasks});
    else parallel::run_alone(space, System::names.sequential, SolvePackedAlone<System, false>{system, tasks});
  }

  std::size_t bytes_held() const { return rows_.bytes_held(); }

 private:
  template <bool Contiguous>
  auto system(const detail::MultiVector<const Scalar, Space>& b, const detail::MultiVector<Scalar, Space>& x,
              Op op) const {
    const auto pattern = rows_.pattern();
    return PackedSystem<Scalar, std::remove_const_t<decltype(pattern)>, Contiguous>{
        pattern, Vectors<const Scalar, Contiguous>(b), Vectors<Scalar, Contiguous>(x), static_cast<int>(b.columns),
        op == Op::ConjugateTranspose};
  }

  PackedRows<Scalar, Ordinal, Offset, Space> rows_;
};

template <class Problem>
class PackedEngine : public Engine<typename Problem::Scalar, typename Problem::Space> {
  using Scalar = typename Problem::Scalar;
  using Ordinal = typename Problem::Ordinal;
  using Offset = typename Problem::Offset;
  using Space = typename Problem::Space;
  using Base = Engine<Scalar, Space>;
  using Triangle = StoredTriangle<Scalar, Ordinal, Offset, Space>;

 public:
  PackedEngine(const Space& space, const Problem& problem, std::string reason)
      : triangle_(space, make_triangle(space, problem.input, sparse::Orientation::AsGiven), problem.values,
                  problem.options()),
        packed_(space, triangle_, pieces_to_pack(problem.input.count)),
        reason_(std::move(reason)) {}

  void solve(const Space& space, const typename Base::const_vectors& b, const typename Base::vectors& x,
             Op op) override {
    packed_.with_system(b, x, op,
                        [&](const auto& system) { packed_.solve_alone(space, system, triangle_.gathers(op)); });
  }

  void update_values(const Space& space, const typename Base::values_type& values) override {
    triangle_.update_values(space, values);
    packed_.update_values(space, triangle_);
  }

  bool is_made_for_transpose() const override { return true; }

  void describe(TriangularInfo& info) const override {
    info.algorithm = Algorithm::Sequential;
    info.reason = reason_;
    info.kernels = 1;
    info.tasks = 1;
    info.entries = triangle_.entries();
    info.bytes_held = triangle_.bytes_held() + packed_.bytes_held();
    info.copies_matrix = true;
  }

 private:
  Triangle triangle_;
  PackedTriangle<Scalar, Ordinal, Offset, Space> packed_;
  std::string reason_;
};

}  // namespace terrace::triangular

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Walks all combinations of what a system can be, and solves each in all the ways the interface offers.
#pragma once

#include <array>

#include "backends/tuned.hpp"
#include "support/device_triangle.hpp"

namespace terrace::test {

inline std::string describe(const reference::Writing& writing) {
  const auto& o = writing.options;
  return std::string(to_string(o.uplo)) + " " + to_string(o.diag) + " " + to_string(o.stored) + " " +
         to_string(o.format) + " for op " + to_string(o.op) + " " + to_string(o.algorithm) + " in " +
         to_string(o.storage) + " rows per task " + std::to_string(o.rows_per_task) + ", reuse " + to_string(o.reuse) +
         (o.prepare_transpose ? " with transpose" : "") + (o.deterministic ? " deterministic" : "") + " for " +
         std::to_string(o.right_hand_sides) + " right-hand sides" + (writing.sorted ? " sorted" : " unsorted") +
         (writing.unit_diagonal_stored ? "" : " diagonal absent") + (o.check_structure ? "" : " unchecked");
}

inline const std::vector<Op>& all_ops() {
  static const std::vector<Op> all{Op::None, Op::Transpose, Op::ConjugateTranspose};
  return all;
}

/// Calls `visit` with every way to write a triangle down, and every algorithm. Rows per task vary where they
/// matter; unsorted rows are never left unchecked.
template <class Visit>
void for_each_writing(const Visit& visit) {
  for (const auto uplo : {Uplo::Lower, Uplo::Upper})
    for (const auto diag : {Diag::NonUnit, Diag::Unit})
      for (const auto stored : {Stored::Triangle, Stored::Full})
        for (const auto format : {Format::Csr, Format::Csc})
          for (const auto op : {Op::None, Op::ConjugateTranspose})
            for (const bool sorted : {true, false})
              visit(reference::Writing{{.uplo = uplo, .diag = diag, .stored = stored, .format = format, .op = op},
                                       sorted,
                                       diag == Diag::NonUnit || sorted});
}

/// Whether the space has Algorithm::Blocked, which is none of the generic ones.
template <class Space>
inline constexpr bool has_blocks = parallel::has_tuned_engines<Space>;

template <class Space>
std::vector<TriangularOptions> with_every_algorithm(const TriangularOptions& options) {
  std::vector<TriangularOptions> all;
  const auto add = [&](Algorithm algorithm, int rows_per_task) {
    all.push_back(options);
    all.back().algorithm = algorithm;
    all.back().rows_per_task = rows_per_task;
  };
  add(Algorithm::Automatic, 0);
  add(Algorithm::Sequential, 0);
  add(Algorithm::SyncFreeColumns, 0);
  if (has_blocks<Space>) add(Algorithm::Blocked, 0);
  for (const auto algorithm : {Algorithm::LevelScheduled, Algorithm::SyncFreeRows})
    for (const int rows_per_task : {0, 1, 4}) add(algorithm, rows_per_task);
  for (const auto storage : {Storage::Crs, Storage::Hec}) {
    for (const auto algorithm : {Algorithm::Automatic, Algorithm::LevelScheduled}) {
      add(algorithm, 1);
      all.back().storage = storage;
      all.back().right_hand_sides = algorithm == Algorithm::Automatic ? 2 : 1;
    }
    all.back().deterministic = true;
  }
  for (const bool prepare_transpose : {false, true}) {
    add(Algorithm::Automatic, 0);
    all.back().reuse = Reuse::Once;
    all.back().prepare_transpose = prepare_transpose;
  }
  add(Algorithm::Automatic, 0);
  all.back().deterministic = true;
  for (const int right_hand_sides : {5, 33}) {
    add(Algorithm::Automatic, 0);
    all.back().right_hand_sides = right_hand_sides;
  }
  return all;
}

/// op(T) for the three operations, so that many solves can be judged.
template <class Scalar>
struct Judged {
  std::array<reference::SparseTriangle<Scalar>, 3> systems;

  Judged(const reference::SparseTriangle<Scalar>& triangle, Diag diag) {
    for (const Op op : all_ops()) systems[static_cast<std::size_t>(op)] = reference::apply_op(triangle, op, diag);
  }
  int size() const { return systems[0].size(); }
  const reference::SparseTriangle<Scalar>& system(Op op) const { return systems[static_cast<std::size_t>(op)]; }
};

/// Solves op(T) X = B with `solver` and judges every column by its backward error.
template <class T>
class SolveCheck {
  using Scalar = typename T::Scalar;
  using Space = typename T::Space;

 public:
  SolveCheck(const Judged<Scalar>& judged, const typename T::Solver& solver) : judged_(judged), solver_(solver) {}

  void one_vector(Op op) const {
    const auto b = random_vector<Scalar>(judged_.size(), 17);
    const auto device_b = to_device<Scalar, typename T::Device>(b);
    Kokkos::View<Scalar*, typename T::Device> x("x", b.size());
    solver_.solve(Space(), device_b, x, op);
    judge(op, b, to_host(x), "one vector");
    solver_.solve(Space(), device_b, device_b, op);
    judge(op, b, to_host(device_b), "x is b");
  }

  template <class LayoutB, class LayoutX>
  void many_vectors(Op op, int count) const {
    std::vector<std::vector<Scalar>> columns;
    for (int k = 0; k < count; ++k)
      columns.push_back(random_vector<Scalar>(judged_.size(), 100u + static_cast<unsigned>(k)));
    const auto b = to_device_columns<T, LayoutB>(columns, static_cast<std::size_t>(judged_.size()));
    Kokkos::View<Scalar**, LayoutX, typename T::Device> x("x", b.extent(0), b.extent(1));
    solver_.solve(Space(), b, x, op);
    for (std::size_t k = 0; k < columns.size(); ++k) judge(op, columns[k], column_to_host(x, k), "many vectors");
    solver_.solve(Space(), b, b, op);
    for (std::size_t k = 0; k < columns.size(); ++k) judge(op, columns[k], column_to_host(b, k), "many, X is B");
  }

 private:
  void judge(Op op, const std::vector<Scalar>& b, const std::vector<Scalar>& x, const char* what) const {
    const auto& system = judged_.system(op);
    EXPECT_LE(reference::backward_error(system, b, x), reference::allowed_error(system))
        << what << ", op " << to_string(op) << ", n " << judged_.size();
  }

  const Judged<Scalar>& judged_;
  const typename T::Solver& solver_;
};

}  // namespace terrace::test

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The systems that a Krylov method works on: A, M, the columns of b and x, and the residuals that every (re)start
// computes. Each column is a system of its own; what they share are the products with A and M.
#pragma once

#include <terrace/krylov_solver.hpp>

#include "algorithms/krylov/projection.hpp"
#include "algorithms/krylov/residual_kernels.hpp"
#include "algorithms/krylov/stopwatch.hpp"
#include "parallel/copy_to_host.hpp"

namespace terrace::krylov {

template <class Scalar, class Space>
Columns<Scalar> columns_of(const Kokkos::View<Scalar**, Kokkos::LayoutLeft, Space>& vectors) {
  return {vectors.data(), static_cast<std::ptrdiff_t>(vectors.extent(0))};
}
template <class Scalar, class Space>
Columns<const std::remove_const_t<Scalar>> inputs_of(const Kokkos::View<Scalar**, Kokkos::LayoutLeft, Space>& vectors) {
  return {vectors.data(), static_cast<std::ptrdiff_t>(vectors.extent(0))};
}

template <class ScalarType, class SpaceType>
struct System {
  using Scalar = ScalarType;
  using Space = SpaceType;
  using Operator = LinearOperator<Scalar, Space>;
  using Vectors = typename Operator::output_columns_type;
  using RightHandSides = typename Operator::input_columns_type;

  Space space;
  Operator A;
  Operator M;
  bool left;
  RightHandSides b;
  Vectors x;
  Vectors scratch;  // for M A
  Shared<Scalar> shared;
  Gathering<Scalar> gathering;
  Kokkos::View<ScaledNorm<RealOf<Scalar>>*, parallel::Device<Space>> norms;  // [columns]
  double* operator_seconds;                                                  // null: not measured
  double* preconditioner_seconds;

  std::size_t rows() const { return x.extent(0); }
  int columns() const { return static_cast<int>(x.extent(1)); }
  bool preconditions_inside() const { return !left && !M.is_identity(); }

  template <class Kernel>
  void for_each(const char* label, const Kernel& kernel) const {
    for_each_column(space, label, Extent<Scalar>{static_cast<int>(rows()), columns(), gathering}, kernel);
  }

  void multiply(const Vectors& in, const Vectors& out) const {
    const Stopwatch<Space> watch(space, operator_seconds);
    A.apply(space, in, out);
  }
  void precondition(const Vectors& in, const Vectors& out) const {
    const Stopwatch<Space> watch(space, preconditioner_seconds);
    M.apply(space, in, out);
  }

  /// out = M b: the right-hand sides of the systems that are preconditioned from the left, in the units of the norms of
  /// b, which have just been taken.
  void precondition_input(const Vectors& spare, const Vectors& out) const {
    for_each("terrace::krylov::copy_scaled", CopyScaled<Scalar>{inputs_of(b), columns_of(spare), norms.data()});
    M.apply(space, spare, out);
  }

  /// out = A in, or M A in: the operator whose powers span the space.
  void apply(const Vectors& in, const Vectors& out) const {
    if (!left || M.is_identity()) return multiply(in, out);
    multiply(in, scratch);
    precondition(scratch, out);
  }

  /// The same with (w, out), (out, out) and what follows from them.
  void apply_and_project(const Vectors& in, const Vectors& out, Purpose purpose, const Vectors& w) const {
    const Projection<Scalar> projection{purpose, inputs_of(w), shared, gathering};
    if (!left || M.is_identity()) {
      const Stopwatch<Space> watch(space, operator_seconds);
      if (A.project(space, in, out, projection)) return;
    }
    apply(in, out);
    for_each("terrace::krylov::project", Project<Scalar>{projection, inputs_of(out)});
  }

  /// r = b - A x. Notes its exponents.
  void plain_residual(const Vectors& r) const {
    multiply(x, r);
    for_each("terrace::krylov::subtract_from", SubtractFrom<Scalar>{inputs_of(b), columns_of(r), shared});
  }

  /// r = b - A x, or M (b - A x), in the units of the recurrence, and its norm: a method's start.
  void start(const Vectors& r) const {
    const bool inside = left && !M.is_identity();
    plain_residual(inside ? scratch : r);
    if (inside) {
      start_residual(scratch, true, false);
      precondition(scratch, r);
      note_exponents(r);
    }
    start_residual(r, !inside, true);
  }

  void note_exponents(const RightHandSides& vectors) const {
    for_each("terrace::krylov::note_exponents", NoteExponents<Scalar>{inputs_of(vectors), shared});
  }

  /// Of each column. Waits for the space.
  std::vector<ScaledNorm<double>> norms_of(const RightHandSides& vectors) const {
    note_exponents(vectors);
    return norms_of_noted(vectors);
  }

  /// The same when the exponents have been noted.
  std::vector<ScaledNorm<double>> norms_of_noted(const RightHandSides& vectors) const {
    for_each("terrace::krylov::norm", Norm<Scalar>{inputs_of(vectors), shared, norms.data()});
    std::vector<ScaledNorm<RealOf<Scalar>>> host(norms.extent(0));
    copy_to_host(space, parallel::Numbers<ScaledNorm<RealOf<Scalar>>>{norms.data(), host.size()}, host.data(),
                 "terrace::KrylovSolver::solve");
    std::vector<ScaledNorm<double>> found;
    for (const auto& norm : host) found.push_back({static_cast<double>(norm.value), norm.exponent});
    return found;
  }

 private:
  void start_residual(const Vectors& r, bool is_first, bool is_last) const {
    for_each("terrace::krylov::start_residual", StartResidual<Scalar>{columns_of(r), shared, is_first, is_last});
  }
};

/// What every method is to the solver.
template <class Scalar, class Space>
class Method {
 public:
  virtual ~Method() = default;
  virtual void start(const System<Scalar, Space>& system) = 0;    ///< from x
  virtual void iterate(const System<Scalar, Space>& system) = 0;  ///< enqueues one iteration
  virtual void conclude(const System<Scalar, Space>&) {}          ///< enqueues what x still lacks
  virtual bool repeats_itself() const { return true; }            ///< iterate enqueues the same each time

  /// Vectors like x whose numbers nobody needs between a conclude and the next start; none where no side is the left.
  virtual typename System<Scalar, Space>::Vectors spare_vectors() const { return {}; }
};

template <class Scalar, class Space>
Kokkos::View<Scalar*, parallel::Device<Space>> make_vector(const Space& space, const char* label, std::size_t length) {
  return parallel::zeros<Scalar>(space, label, length);
}

template <class Scalar, class Space>
auto make_vectors(const Space& space, const char* label, std::size_t rows, std::size_t columns) {
  return parallel::allocated(space, label, rows * columns * sizeof(Scalar), [&] {
    return typename LinearOperator<Scalar, Space>::output_columns_type(Kokkos::view_alloc(space, std::string(label)),
                                                                       rows, columns);
  });
}

}  // namespace terrace::krylov

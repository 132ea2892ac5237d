// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The systems that a Krylov method works on: A, M, the columns of b and x, and the residuals that every (re)start
// computes. Each column is a system of its own; what they share are the products with A and M.
#pragma once

#include <terrace/krylov_solver.hpp>

#include "algorithms/krylov/projection.hpp"
#include "algorithms/krylov/residual_kernels.hpp"
#include "algorithms/krylov/stopwatch.hpp"

namespace terrace::krylov {

/// On a device, where the threads of a block step beyond the last row, in unsigned numbers.
template <class Space>
using RowIndex = std::conditional_t<analysis::is_host_space<Space>, int, unsigned>;

template <class Space>
Kokkos::RangePolicy<Space, Kokkos::IndexType<RowIndex<Space>>> each_row(const Space& space, std::size_t rows) {
  return {space, 0, static_cast<RowIndex<Space>>(rows)};
}

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
  Kokkos::View<RealOf<Scalar>*, analysis::Device<Space>> norms;  // [columns]
  double* operator_seconds;                                      // null: not measured
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

  /// out = M b: the right-hand sides of the systems that are preconditioned from the left.
  void precondition_input(const Vectors& out) const { M.apply(space, b, out); }

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

  /// r = b - A x, or M (b - A x).
  void residual(const Vectors& r) const {
    const Vectors& plain = left && !M.is_identity() ? scratch : r;
    plain_residual(plain);
    if (left && !M.is_identity()) precondition(scratch, r);
  }

  void plain_residual(const Vectors& r) const {
    multiply(x, r);
    for_each("terrace::krylov::subtract_from", SubtractFrom<Scalar>{inputs_of(b), columns_of(r)});
  }

  /// The residual and its norm, as a method's start.
  void start(const Vectors& r) const {
    residual(r);
    for_each("terrace::krylov::start_residual", StartResidual<Scalar>{inputs_of(r), shared});
  }

  /// Of each column. Waits for the space.
  std::vector<double> norms_of(const RightHandSides& vectors) const {
    for_each("terrace::krylov::norm", Norm<Scalar>{inputs_of(vectors), norms.data()});
    const auto host = Kokkos::create_mirror(norms);
    Kokkos::deep_copy(space, host, norms);
    space.fence("terrace::KrylovSolver::solve");
    return std::vector<double>(host.data(), host.data() + host.extent(0));
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
};

template <class Scalar, class Space>
Kokkos::View<Scalar*, analysis::Device<Space>> make_vector(const Space& space, const char* label, std::size_t length) {
  return analysis::zeros<Scalar>(space, label, length);
}

template <class Scalar, class Space>
auto make_vectors(const Space& space, const char* label, std::size_t rows, std::size_t columns) {
  return typename LinearOperator<Scalar, Space>::output_columns_type(Kokkos::view_alloc(space, std::string(label)),
                                                                     rows, columns);
}

}  // namespace terrace::krylov

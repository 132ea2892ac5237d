// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Terrace behind the interface of the peers: on diagonals, and on compressed rows with its triangular solver.
#pragma once

#include <KokkosBlas1_axpby.hpp>
#include <KokkosBlas1_dot.hpp>
#include <KokkosBlas1_mult.hpp>
#include <KokkosSparse_spmv.hpp>
#include <Kokkos_Core.hpp>
#include <terrace/terrace.hpp>

#include "harness/space_system.hpp"
#include "peers/grid_method.hpp"

namespace terrace::perf {

template <class Space, class T>
auto copy_in_space(const std::vector<T>& numbers) {
  Kokkos::View<T*, Kokkos::Device<Space, typename Space::memory_space>> view("terrace::perf", numbers.size());
  const Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> host(numbers.data(),
                                                                                                numbers.size());
  Kokkos::deep_copy(view, host);
  return view;
}

template <class View>
std::vector<double> copy_to_host(const View& view) {
  std::vector<double> numbers(view.extent(0));
  const Kokkos::View<double*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> host(numbers.data(),
                                                                                               numbers.size());
  Kokkos::deep_copy(host, view);
  return numbers;
}

template <class Space>
class StructuredMethod final : public GridMethod {
  using Device = Kokkos::Device<Space, typename Space::memory_space>;
  using Numbers = Kokkos::View<double*, Device>;

 public:
  void set_up(const GridSystem& s) override {
    b_ = copy_in_space<Space>(s.b);
    out_ = Numbers("out", b_.extent(0));
    const SymmetricDiagonals<double, Space> diagonals{copy_in_space<Space>(s.center), copy_in_space<Space>(s.x),
                                                      copy_in_space<Space>(s.y), copy_in_space<Space>(s.z)};
    A_.emplace(space_, Grid{s.nx, s.ny, s.nz}, diagonals);
    M_.emplace(space_, *A_);
    pcg_.emplace(space_, *A_, StructuredFactorOptions{});
  }

  bool has(GridOperation) const override { return true; }

  void run(GridOperation operation, int iterations) override {
    switch (operation) {
      case GridOperation::Factorize: return M_->refactorize(space_);
      case GridOperation::Apply: return M_->solve(space_, b_, out_);
      case GridOperation::ApplyEight: return apply_eight();
      case GridOperation::Multiply: return A_->multiply(space_, b_, out_);
      case GridOperation::Iterate: break;
    }
    Kokkos::deep_copy(space_, out_, 0.0);
    pcg_->solve(space_, b_, out_, {.tolerance = 1e-100, .max_iterations = iterations, .check_every = iterations});
  }

  void wait() override { space_.fence("terrace::perf::StructuredMethod"); }
  std::vector<double> result(GridOperation operation) override {
    if (operation != GridOperation::ApplyEight) return copy_to_host(out_);
    return copy_to_host(Kokkos::subview(eight_->out, Kokkos::ALL, columns - 1));
  }
  std::string label() const override { return to_string(M_->info().algorithm) + (": " + M_->info().reason); }

 private:
  static constexpr int columns = 8;
  using Columns = Kokkos::View<double**, Kokkos::LayoutLeft, Device>;
  struct Eight {
    StructuredFactor<double, Space> M;
    Columns b, out;
  };

  /// What this needs is made when it is first asked for.
  void apply_eight() {
    if (!eight_) {
      eight_.emplace(Eight{StructuredFactor<double, Space>(space_, *A_, {.right_hand_sides = columns}),
                           Columns("b", b_.extent(0), columns), Columns("out", b_.extent(0), columns)});
      for (int k = 0; k < columns; ++k) Kokkos::deep_copy(Kokkos::subview(eight_->b, Kokkos::ALL, k), b_);
    }
    eight_->M.solve(space_, eight_->b, eight_->out);
  }

  Space space_;
  Numbers b_, out_;
  std::optional<Eight> eight_;
  std::optional<StructuredMatrix<double, Space>> A_;
  std::optional<StructuredFactor<double, Space>> M_;
  std::optional<StructuredPcg<double, Space>> pcg_;
};

/// The same iteration as the textbook's, from TriangularSolver and Kokkos Kernels.
template <class Space>
class CsrMethod final : public GridMethod {
  using Device = Kokkos::Device<Space, typename Space::memory_space>;
  using Numbers = Kokkos::View<double*, Device>;
  using Matrix = KokkosSparse::CrsMatrix<double, int, Device, void, int>;
  using Solver = TriangularSolver<double, int, int, Space>;

 public:
  void set_up(const GridSystem& s) override {
    for (Numbers* v : {&x_, &r_, &y_, &z_, &p_, &q_}) *v = Numbers("v", s.b.size());
    b_ = copy_in_space<Space>(s.b);
    std::vector<double> pivots;
    for (const double inverse : s.inverse) pivots.push_back(1 / inverse);
    pivots_ = copy_in_space<Space>(pivots);
    A_ = make_matrix(s.A, s.n());
    forward_.emplace(space_, make_matrix(s.lower, s.n()), TriangularOptions{.uplo = Uplo::Lower});
    backward_.emplace(space_, make_matrix(s.upper, s.n()), TriangularOptions{.uplo = Uplo::Upper});
  }

  bool has(GridOperation operation) const override {
    return operation != GridOperation::Factorize && operation != GridOperation::ApplyEight;
  }

  void run(GridOperation operation, int iterations) override {
    if (operation == GridOperation::Apply) apply(b_);
    if (operation == GridOperation::Multiply) KokkosSparse::spmv(space_, "N", 1.0, A_, b_, 0.0, q_);
    if (operation == GridOperation::Iterate) iterate(iterations);
  }

  void wait() override { space_.fence("terrace::perf::CsrMethod"); }
  std::vector<double> result(GridOperation operation) override {
    return copy_to_host(operation == GridOperation::Apply ? z_ : operation == GridOperation::Multiply ? q_ : x_);
  }
  std::string label() const override { return std::string(to_string(forward_->info().algorithm)); }

 private:
  static Matrix make_matrix(const Rows& rows, int n) {
    return {"terrace::perf",
            n,
            n,
            static_cast<int>(rows.entries.size()),
            copy_in_space<Space>(rows.values),
            copy_in_space<Space>(rows.row_map),
            copy_in_space<Space>(rows.entries)};
  }

  void apply(const Numbers& r) {
    forward_->solve(space_, r, y_);
    KokkosBlas::mult(space_, 0.0, y_, 1.0, pivots_, y_);
    backward_->solve(space_, y_, z_);
  }

  void iterate(int iterations) {
    Kokkos::deep_copy(space_, x_, 0.0);
    Kokkos::deep_copy(space_, r_, b_);
    double rho = 1.0;
    for (int k = 0; k < iterations; ++k) {
      apply(r_);
      const double before = rho;
      rho = KokkosBlas::dot(space_, r_, z_);
      KokkosBlas::axpby(space_, 1.0, z_, k == 0 ? 0.0 : rho / before, p_);
      KokkosSparse::spmv(space_, "N", 1.0, A_, p_, 0.0, q_);
      const double alpha = rho / KokkosBlas::dot(space_, p_, q_);
      KokkosBlas::axpy(space_, alpha, p_, x_);
      KokkosBlas::axpy(space_, -alpha, q_, r_);
      norm_ = KokkosBlas::dot(space_, r_, r_);
    }
  }

  Space space_;
  Matrix A_;
  Numbers b_, pivots_, x_, r_, y_, z_, p_, q_;
  std::optional<Solver> forward_, backward_;
  double norm_ = 0.0;
};

template <class Space, template <class> class Method>
std::unique_ptr<GridMethod> make_grid_method() {
  return std::make_unique<Method<Space>>();
}

}  // namespace terrace::perf

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Preconditioned conjugate gradients (Saad 2003, algorithm 9.1), three kernels beside A and M, or four where A does not
// make the product with p itself (projection.hpp):
//
//     q = A p;                        alpha = rho / (p, q)
//     x += alpha p;  r -= alpha q;    |r|
//     z = M r;                        rho' = (r, z),  beta = rho' / rho
//     p = z + beta p
//
// The scalar at the right is computed by the reduction at its left. Without a preconditioner z is r, and the second
// reduction gives rho' too. (p, q) <= 0 shows that A is not positive definite, (r, z) < 0 that M is not.
#pragma once

#include "algorithms/krylov/system.hpp"

namespace terrace::krylov {

/// rho from a sum that is complete, and the share of the old direction in the next.
template <class Scalar>
KOKKOS_INLINE_FUNCTION void turn(Recurrence<Scalar>& state, RealOf<Scalar> rho, bool first) {
  if (!state.is_running()) return;
  if (!Kokkos::isfinite(rho)) state.stop(StopReason::NotFinite);
  else if (rho < 0) state.stop(StopReason::Indefinite);
  else if (rho == 0) state.stop(StopReason::Breakdown);
  state.beta = first ? Scalar(0) : rho / state.rho;
  state.rho = rho;
}

template <class Scalar>
struct UpdateIterate {
  static constexpr int sums = 1;
  Columns<const Scalar> p, q;
  Columns<Scalar> x, r;
  Shared<Scalar> shared;
  bool residual_is_direction;  // z is r

  struct Rows {
    Scalar alpha, alpha_of_x;
    const Scalar* p;
    const Scalar* q;
    Scalar* x;
    Scalar* r;
    KOKKOS_FUNCTION void operator()(int row, Sums<Scalar, 1>& sum) const {
      x[row] += alpha_of_x * p[row];
      const Scalar rest = r[row] - alpha * q[row];
      r[row] = rest;
      sum.of[0] += Scalar(square(rest));
    }
  };
  KOKKOS_FUNCTION bool acts_on(int column) const { return shared.of(column).is_running(); }
  KOKKOS_FUNCTION Rows rows_of(int column) const {
    const auto& state = shared.of(column);
    return {state.alpha, state.alpha_of_x, p(column), q(column), x(column), r(column)};
  }
  KOKKOS_FUNCTION void final(int column, const Sums<Scalar, 1>& total) const {
    const auto square = real_part(total.of[0]);
    shared.of(column).record(Kokkos::sqrt(square), shared.history_of(column));
    if (residual_is_direction) turn(shared.of(column), square, false);
  }
};

/// (r, z).
template <class Scalar>
struct UpdateDirection {
  static constexpr int sums = 1;
  Columns<const Scalar> r, z;
  Shared<Scalar> shared;
  bool first;

  struct Rows {
    const Scalar* r;
    const Scalar* z;
    KOKKOS_FUNCTION void operator()(int row, Sums<Scalar, 1>& sum) const { sum.of[0] += conjugate(r[row]) * z[row]; }
  };
  KOKKOS_FUNCTION bool acts_on(int column) const { return shared.of(column).is_running(); }
  KOKKOS_FUNCTION Rows rows_of(int column) const { return {r(column), z(column)}; }
  KOKKOS_FUNCTION void final(int column, const Sums<Scalar, 1>& total) const {
    turn(shared.of(column), real_part(total.of[0]), first);
  }
};

template <class Scalar>
struct NewDirection {
  static constexpr int sums = 0;
  Columns<const Scalar> z;
  Columns<Scalar> p;
  Shared<Scalar> shared;
  bool first;

  struct Rows {
    Scalar beta;
    const Scalar* z;
    Scalar* p;
    bool first;
    KOKKOS_FUNCTION void operator()(int row, Sums<Scalar, 0>&) const {
      p[row] = first ? z[row] : z[row] + beta * p[row];
    }
  };
  KOKKOS_FUNCTION bool acts_on(int column) const { return shared.of(column).is_running(); }
  KOKKOS_FUNCTION Rows rows_of(int column) const { return {shared.of(column).beta, z(column), p(column), first}; }
};

template <class Scalar, class Space>
class ConjugateGradient : public Method<Scalar, Space> {
  using SystemType = System<Scalar, Space>;
  using Vectors = typename SystemType::Vectors;

 public:
  ConjugateGradient(const Space& space, std::size_t rows, std::size_t columns)
      : r_(make_vectors<Scalar>(space, "terrace::krylov::r", rows, columns)),
        z_(make_vectors<Scalar>(space, "terrace::krylov::z", rows, columns)),
        p_(make_vectors<Scalar>(space, "terrace::krylov::p", rows, columns)),
        q_(make_vectors<Scalar>(space, "terrace::krylov::q", rows, columns)) {}

  void start(const SystemType& system) override {
    system.start(r_);
    turn_direction(system, true);
    new_direction(system, true);
  }

  void iterate(const SystemType& system) override {
    system.apply_and_project(p_, q_, Purpose::StepLength, p_);
    system.for_each("terrace::krylov::step_along",
                    UpdateIterate<Scalar>{inputs_of(p_), inputs_of(q_), columns_of(system.x), columns_of(r_),
                                          system.shared, system.M.is_identity()});
    if (!system.M.is_identity()) turn_direction(system, false);
    new_direction(system, false);
  }

 private:
  void turn_direction(const SystemType& system, bool first) const {
    if (!system.M.is_identity()) system.precondition(r_, z_);
    system.for_each("terrace::krylov::turn_direction",
                    UpdateDirection<Scalar>{inputs_of(r_), inputs_of(direction(system)), system.shared, first});
  }

  void new_direction(const SystemType& system, bool first) const {
    system.for_each("terrace::krylov::new_direction",
                    NewDirection<Scalar>{inputs_of(direction(system)), columns_of(p_), system.shared, first});
  }

  const Vectors& direction(const SystemType& system) const { return system.M.is_identity() ? r_ : z_; }

  Vectors r_, z_, p_, q_;
};

}  // namespace terrace::krylov

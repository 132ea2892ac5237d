// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Preconditioned conjugate gradients (Saad 2003, algorithm 9.1), four kernels beside A and M:
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

/// (p, A p), and the length of the step.
template <class Scalar>
struct StepLength {
  using value_type = Sums<Scalar, 1>;
  const Scalar* p;
  const Scalar* q;
  Shared<Scalar> shared;
  KOKKOS_FUNCTION void operator()(int row, value_type& sum) const { sum.of[0] += conjugate(p[row]) * q[row]; }
  KOKKOS_FUNCTION void final(value_type& sum) const {
    auto& state = *shared.state;
    if (!state.is_running()) return;
    const auto curvature = real_part(sum.of[0]);
    if (!Kokkos::isfinite(curvature)) state.stop(StopReason::NotFinite);
    else if (!(curvature > 0)) state.stop(StopReason::Indefinite);
    else state.alpha = state.rho / curvature;
  }
};

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
struct StepAlong {
  using value_type = Sums<RealOf<Scalar>, 1>;
  const Scalar* p;
  const Scalar* q;
  Scalar* x;
  Scalar* r;
  Shared<Scalar> shared;
  bool residual_is_direction;  // z is r
  KOKKOS_FUNCTION void operator()(int row, value_type& sum) const {
    const auto& state = *shared.state;
    if (!state.is_running()) return;
    x[row] += state.alpha * p[row];
    r[row] -= state.alpha * q[row];
    sum.of[0] += square(r[row]);
  }
  KOKKOS_FUNCTION void final(value_type& sum) const {
    shared.state->record(Kokkos::sqrt(sum.of[0]), shared.history);
    if (residual_is_direction) turn(*shared.state, sum.of[0], false);
  }
};

/// (r, z).
template <class Scalar>
struct TurnDirection {
  using value_type = Sums<Scalar, 1>;
  const Scalar* r;
  const Scalar* z;
  Shared<Scalar> shared;
  bool first;
  KOKKOS_FUNCTION void operator()(int row, value_type& sum) const { sum.of[0] += conjugate(r[row]) * z[row]; }
  KOKKOS_FUNCTION void final(value_type& sum) const { turn(*shared.state, real_part(sum.of[0]), first); }
};

template <class Scalar>
struct NewDirection {
  const Scalar* z;
  Scalar* p;
  const Recurrence<Scalar>* state;
  bool first;
  KOKKOS_FUNCTION void operator()(int row) const { p[row] = first ? z[row] : z[row] + state->beta * p[row]; }
};

template <class Scalar, class Space>
class ConjugateGradient : public Method<Scalar, Space> {
  using SystemType = System<Scalar, Space>;

 public:
  ConjugateGradient(const Space& space, std::size_t rows)
      : r_(make_vector<Scalar>(space, "terrace::krylov::r", rows)),
        z_(make_vector<Scalar>(space, "terrace::krylov::z", rows)),
        p_(make_vector<Scalar>(space, "terrace::krylov::p", rows)),
        q_(make_vector<Scalar>(space, "terrace::krylov::q", rows)) {}

  void start(const SystemType& system) override {
    system.start(r_);
    turn_direction(system, true);
    new_direction(system, true);
  }

  void iterate(const SystemType& system) override {
    const auto each = each_row(system.space, system.rows());
    system.multiply(p_, q_);
    Kokkos::parallel_reduce("terrace::krylov::step_length", each,
                            StepLength<Scalar>{p_.data(), q_.data(), system.shared});
    Kokkos::parallel_reduce(
        "terrace::krylov::step_along", each,
        StepAlong<Scalar>{p_.data(), q_.data(), system.x.data(), r_.data(), system.shared, system.M.is_identity()});
    if (!system.M.is_identity()) turn_direction(system, false);
    new_direction(system, false);
  }

 private:
  void turn_direction(const SystemType& system, bool first) const {
    if (!system.M.is_identity()) system.precondition(r_, z_);
    Kokkos::parallel_reduce("terrace::krylov::turn_direction", each_row(system.space, system.rows()),
                            TurnDirection<Scalar>{r_.data(), direction(system), system.shared, first});
  }

  void new_direction(const SystemType& system, bool first) const {
    Kokkos::parallel_for("terrace::krylov::new_direction", each_row(system.space, system.rows()),
                         NewDirection<Scalar>{direction(system), p_.data(), system.shared.state, first});
  }

  const Scalar* direction(const SystemType& system) const { return system.M.is_identity() ? r_.data() : z_.data(); }

  typename SystemType::Vector r_, z_, p_, q_;
};

}  // namespace terrace::krylov

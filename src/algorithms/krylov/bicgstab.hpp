// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Preconditioned BiCGStab (van der Vorst 1992; Saad 2003, algorithm 7.7), five kernels beside A and M, r~ the first
// residual:
//
//     p' = M p;  v = A p';                     alpha = rho / (r~, v)
//     s = r - alpha v;                         |s|
//     s' = M s;  t = A s';                     omega = (t, s) / (t, t)
//     x += alpha p' + omega s';  r = s - omega t;    |r|,  rho' = (r~, r),  beta = (rho' / rho) (alpha / omega)
//     p = r + beta (p - omega v)
//
// When |s| is small enough already, omega is zero and the iteration ends there.
#pragma once

#include "algorithms/krylov/system.hpp"

namespace terrace::krylov {

/// rho = (r~, r) at the start, where they are the same.
template <class Scalar>
struct StartBiCGStab {
  const Scalar* r;
  Scalar* shadow;
  Scalar* p;
  Recurrence<Scalar>* state;
  KOKKOS_FUNCTION void operator()(int row) const {
    shadow[row] = p[row] = r[row];
    if (row != 0) return;
    state->rho = state->residual * state->residual;
    state->shadow = state->residual;
  }
};

template <class Scalar>
struct ShadowProduct {
  using value_type = Sums<Scalar, 1>;
  const Scalar* shadow;
  const Scalar* v;
  Shared<Scalar> shared;
  KOKKOS_FUNCTION void operator()(int row, value_type& sum) const { sum.of[0] += conjugate(shadow[row]) * v[row]; }
  KOKKOS_FUNCTION void final(value_type& sum) const {
    auto& state = *shared.state;
    if (!state.is_running()) return;
    if (!triangular::is_finite(sum.of[0])) state.stop(StopReason::NotFinite);
    else if (sum.of[0] == Scalar(0)) state.stop(StopReason::Breakdown);
    else state.alpha = state.rho / sum.of[0];
  }
};

/// The residual after half a step, in place of r.
template <class Scalar>
struct HalfStep {
  using value_type = Sums<RealOf<Scalar>, 1>;
  const Scalar* v;
  Scalar* r;
  Shared<Scalar> shared;
  KOKKOS_FUNCTION void operator()(int row, value_type& sum) const {
    const auto& state = *shared.state;
    if (!state.is_running()) return;
    r[row] -= state.alpha * v[row];
    sum.of[0] += square(r[row]);
  }
  KOKKOS_FUNCTION void final(value_type& sum) const {
    if (shared.state->is_running()) shared.state->residual = Kokkos::sqrt(sum.of[0]);
  }
};

/// (t, s) and (t, t).
template <class Scalar>
struct Smoothing {
  using value_type = Sums<Scalar, 2>;
  const Scalar* s;
  const Scalar* t;
  Shared<Scalar> shared;
  KOKKOS_FUNCTION void operator()(int row, value_type& sum) const {
    sum.of[0] += conjugate(t[row]) * s[row];
    sum.of[1] += Scalar(square(t[row]));
  }
  KOKKOS_FUNCTION void final(value_type& sum) const {
    auto& state = *shared.state;
    if (!state.is_running()) return;
    if (state.residual <= state.target) state.omega = Scalar(0);
    else if (!triangular::is_finite(sum.of[0])) state.stop(StopReason::NotFinite);
    else if (sum.of[1] == Scalar(0)) state.stop(StopReason::Breakdown);
    else state.omega = sum.of[0] / sum.of[1];
  }
};

/// The rest of the step; s stands in r.
template <class Scalar>
struct WholeStep {
  using value_type = Sums<Scalar, 2>;
  const Scalar* shadow;
  const Scalar* p;
  const Scalar* s;
  const Scalar* t;
  Scalar* x;
  Scalar* r;
  Shared<Scalar> shared;
  KOKKOS_FUNCTION void operator()(int row, value_type& sum) const {
    const auto& state = *shared.state;
    if (!state.is_running()) return;
    x[row] += state.alpha * p[row];
    if (state.omega != Scalar(0)) {
      x[row] += state.omega * s[row];
      r[row] -= state.omega * t[row];
    }
    sum.of[0] += conjugate(shadow[row]) * r[row];
    sum.of[1] += Scalar(square(r[row]));
  }
  KOKKOS_FUNCTION void final(value_type& sum) const {
    auto& state = *shared.state;
    state.record(Kokkos::sqrt(real_part(sum.of[1])), shared.history);
    if (!state.is_running()) return;
    const auto unit = Kokkos::Experimental::epsilon_v<RealOf<Scalar>>;
    if (Kokkos::abs(sum.of[0]) <= unit * unit * state.shadow * state.residual || state.omega == Scalar(0))
      state.stop(StopReason::Breakdown);
    else state.beta = (sum.of[0] / state.rho) * (state.alpha / state.omega);
    state.rho = sum.of[0];
  }
};

template <class Scalar>
struct NewBiCGStabDirection {
  const Scalar* r;
  const Scalar* v;
  Scalar* p;
  const Recurrence<Scalar>* state;
  KOKKOS_FUNCTION void operator()(int row) const { p[row] = r[row] + state->beta * (p[row] - state->omega * v[row]); }
};

template <class Scalar, class Space>
class BiCGStab : public Method<Scalar, Space> {
  using SystemType = System<Scalar, Space>;
  using Vector = typename SystemType::Vector;

 public:
  BiCGStab(const Space& space, std::size_t rows)
      : r_(make_vector<Scalar>(space, "terrace::krylov::r", rows)),
        shadow_(make_vector<Scalar>(space, "terrace::krylov::shadow", rows)),
        p_(make_vector<Scalar>(space, "terrace::krylov::p", rows)),
        v_(make_vector<Scalar>(space, "terrace::krylov::v", rows)),
        t_(make_vector<Scalar>(space, "terrace::krylov::t", rows)),
        preconditioned_p_(make_vector<Scalar>(space, "terrace::krylov::preconditioned_p", rows)),
        preconditioned_s_(make_vector<Scalar>(space, "terrace::krylov::preconditioned_s", rows)) {}

  void start(const SystemType& system) override {
    system.start(r_);
    Kokkos::parallel_for("terrace::krylov::start_bicgstab", each_row(system.space, system.rows()),
                         StartBiCGStab<Scalar>{r_.data(), shadow_.data(), p_.data(), system.shared.state});
  }

  void iterate(const SystemType& system) override {
    const auto each = each_row(system.space, system.rows());
    const Vector p = preconditioned(system, p_, preconditioned_p_);
    system.apply(p, v_);
    Kokkos::parallel_reduce("terrace::krylov::shadow_product", each,
                            ShadowProduct<Scalar>{shadow_.data(), v_.data(), system.shared});
    Kokkos::parallel_reduce("terrace::krylov::half_step", each, HalfStep<Scalar>{v_.data(), r_.data(), system.shared});
    const Vector s = preconditioned(system, r_, preconditioned_s_);
    system.apply(s, t_);
    Kokkos::parallel_reduce("terrace::krylov::smoothing", each, Smoothing<Scalar>{r_.data(), t_.data(), system.shared});
    Kokkos::parallel_reduce(
        "terrace::krylov::whole_step", each,
        WholeStep<Scalar>{shadow_.data(), p.data(), s.data(), t_.data(), system.x.data(), r_.data(), system.shared});
    Kokkos::parallel_for("terrace::krylov::new_bicgstab_direction", each,
                         NewBiCGStabDirection<Scalar>{r_.data(), v_.data(), p_.data(), system.shared.state});
  }

 private:
  static Vector preconditioned(const SystemType& system, const Vector& vector, const Vector& result) {
    if (!system.preconditions_inside()) return vector;
    system.precondition(vector, result);
    return result;
  }

  Vector r_, shadow_, p_, v_, t_, preconditioned_p_, preconditioned_s_;
};

}  // namespace terrace::krylov

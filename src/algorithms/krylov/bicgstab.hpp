// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Preconditioned BiCGStab (van der Vorst 1992; Saad 2003, algorithm 7.7), three kernels beside A and M, or five where A
// does not make the products with v and t itself (projection.hpp); r~ is the first residual:
//
//     p' = M p;  v = A p';                     alpha = rho / (r~, v)
//     s = r - alpha v;                         |s|
//     s' = M s;  t = A s';                     omega = (t, s) / (t, t)
//     x += alpha p' + omega s';  r = s - omega t;    |r|,  rho' = (r~, r),  beta = (rho' / rho) (alpha / omega)
//     p = r + beta (p - omega v)
//
// When |s| is small enough already, omega is zero and the iteration ends there.
//
// Where (t, t) would overflow or vanish, s and what follows from it change their unit by a power of two between the
// halves of a step (Recurrence::shift). beta takes p and v along: rho' is in the new unit and rho in the old one.
#pragma once

#include "algorithms/krylov/system.hpp"

namespace terrace::krylov {

/// rho = (r~, r) at the start, where they are the same.
template <class Scalar>
struct StartBiCGStab {
  static constexpr int sums = 0;
  Columns<const Scalar> r;
  Columns<Scalar> shadow, p;
  Shared<Scalar> shared;

  struct Rows {
    const Scalar* r;
    Scalar* shadow;
    Scalar* p;
    Recurrence<Scalar>* state;
    KOKKOS_FUNCTION void operator()(int row, Sums<Scalar, 0>&) const {
      shadow[row] = p[row] = r[row];
      if (row != 0) return;
      state->rho = state->norm * state->norm;
      state->shadow = state->norm;
    }
  };
  KOKKOS_FUNCTION bool acts_on(int column) const { return shared.of(column).is_running(); }
  KOKKOS_FUNCTION Rows rows_of(int column) const { return {r(column), shadow(column), p(column), &shared.of(column)}; }
};

/// The residual after half a step, in place of r and in units that may have changed. That of x stays on record until x
/// follows.
template <class Scalar>
struct HalfStep {
  static constexpr int sums = 1;
  Columns<const Scalar> v;
  Columns<Scalar> r;
  Shared<Scalar> shared;

  struct Rows {
    Scalar alpha;
    RealOf<Scalar> scale;
    const Scalar* v;
    Scalar* r;
    KOKKOS_FUNCTION void operator()(int row, Sums<Scalar, 1>& sum) const {
      const Scalar rest = (r[row] - alpha * v[row]) * scale;
      r[row] = rest;
      sum.of[0] += Scalar(square(rest));
    }
  };
  KOKKOS_FUNCTION bool acts_on(int column) const { return shared.of(column).is_running(); }
  KOKKOS_FUNCTION Rows rows_of(int column) const {
    const auto& state = shared.of(column);
    return {state.alpha, parallel::power_of_two<RealOf<Scalar>>(state.shift), v(column), r(column)};
  }
  KOKKOS_FUNCTION void final(int column, const Sums<Scalar, 1>& total) const {
    auto& state = shared.of(column);
    if (state.shift != 0) state.shift_exponent();
    state.half = Kokkos::sqrt(real_part(total.of[0]));
  }
};

/// The rest of the step; s stands in r.
template <class Scalar>
struct WholeStep {
  static constexpr int sums = 2;
  Columns<const Scalar> shadow, p, s, t;
  Columns<Scalar> x, r;
  Shared<Scalar> shared;

  struct Rows {
    Scalar alpha_of_x, omega, omega_of_x;
    const Scalar* shadow;
    const Scalar* p;
    const Scalar* s;
    const Scalar* t;
    Scalar* x;
    Scalar* r;
    KOKKOS_FUNCTION void operator()(int row, Sums<Scalar, 2>& sum) const {
      Scalar step = alpha_of_x * p[row], rest = r[row];
      if (omega != Scalar(0)) {
        step += omega_of_x * s[row];
        rest -= omega * t[row];
        r[row] = rest;
      }
      x[row] += step;
      sum.of[0] += conjugate(shadow[row]) * rest;
      sum.of[1] += Scalar(square(rest));
    }
  };
  KOKKOS_FUNCTION bool acts_on(int column) const { return shared.of(column).is_running(); }
  KOKKOS_FUNCTION Rows rows_of(int column) const {
    const auto& state = shared.of(column);
    return {state.alpha_of_x, state.omega, state.omega_of_x, shadow(column), p(column),
            s(column),        t(column),   x(column),        r(column)};
  }
  KOKKOS_FUNCTION void final(int column, const Sums<Scalar, 2>& total) const {
    auto& state = shared.of(column);
    state.record(Kokkos::sqrt(real_part(total.of[1])), shared.history_of(column));
    if (!state.is_running()) return;
    const auto unit = Kokkos::Experimental::epsilon_v<RealOf<Scalar>>;
    if (Kokkos::abs(total.of[0]) <= unit * unit * state.shadow * state.norm || state.omega == Scalar(0))
      state.stop(StopReason::Breakdown);
    else state.beta = (total.of[0] / state.rho) * (state.alpha / state.omega);
    state.rho = total.of[0];
  }
};

template <class Scalar>
struct NewBiCGStabDirection {
  static constexpr int sums = 0;
  Columns<const Scalar> r, v;
  Columns<Scalar> p;
  Shared<Scalar> shared;

  struct Rows {
    Scalar beta, omega;
    const Scalar* r;
    const Scalar* v;
    Scalar* p;
    KOKKOS_FUNCTION void operator()(int row, Sums<Scalar, 0>&) const {
      p[row] = r[row] + beta * (p[row] - omega * v[row]);
    }
  };
  KOKKOS_FUNCTION bool acts_on(int column) const { return shared.of(column).is_running(); }
  KOKKOS_FUNCTION Rows rows_of(int column) const {
    return {shared.of(column).beta, shared.of(column).omega, r(column), v(column), p(column)};
  }
};

template <class Scalar, class Space>
class BiCGStab : public Method<Scalar, Space> {
  using SystemType = System<Scalar, Space>;
  using Vectors = typename SystemType::Vectors;

 public:
  BiCGStab(const Space& space, std::size_t rows, std::size_t columns)
      : r_(make_vectors<Scalar>(space, "terrace::krylov::r", rows, columns)),
        shadow_(make_vectors<Scalar>(space, "terrace::krylov::shadow", rows, columns)),
        p_(make_vectors<Scalar>(space, "terrace::krylov::p", rows, columns)),
        v_(make_vectors<Scalar>(space, "terrace::krylov::v", rows, columns)),
        t_(make_vectors<Scalar>(space, "terrace::krylov::t", rows, columns)),
        preconditioned_p_(make_vectors<Scalar>(space, "terrace::krylov::preconditioned_p", rows, columns)),
        preconditioned_s_(make_vectors<Scalar>(space, "terrace::krylov::preconditioned_s", rows, columns)) {}

  void start(const SystemType& system) override {
    system.start(r_);
    system.for_each("terrace::krylov::start_bicgstab",
                    StartBiCGStab<Scalar>{inputs_of(r_), columns_of(shadow_), columns_of(p_), system.shared});
  }

  void iterate(const SystemType& system) override {
    const Vectors p = preconditioned(system, p_, preconditioned_p_);
    system.apply_and_project(p, v_, Purpose::ShadowProduct, shadow_);
    system.for_each("terrace::krylov::half_step", HalfStep<Scalar>{inputs_of(v_), columns_of(r_), system.shared});
    const Vectors s = preconditioned(system, r_, preconditioned_s_);
    system.apply_and_project(s, t_, Purpose::Smoothing, r_);
    system.for_each("terrace::krylov::whole_step",
                    WholeStep<Scalar>{inputs_of(shadow_), inputs_of(p), inputs_of(s), inputs_of(t_),
                                      columns_of(system.x), columns_of(r_), system.shared});
    system.for_each("terrace::krylov::new_bicgstab_direction",
                    NewBiCGStabDirection<Scalar>{inputs_of(r_), inputs_of(v_), columns_of(p_), system.shared});
  }

  Vectors spare_vectors() const override { return t_; }

 private:
  static Vectors preconditioned(const SystemType& system, const Vectors& vectors, const Vectors& result) {
    if (!system.preconditions_inside()) return vectors;
    system.precondition(vectors, result);
    return result;
  }

  Vectors r_, shadow_, p_, v_, t_, preconditioned_p_, preconditioned_s_;
};

}  // namespace terrace::krylov

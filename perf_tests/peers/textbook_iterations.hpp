// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The iterations as a textbook writes them (Saad, Iterative Methods for Sparse Linear Systems, 2003), once for all
// peers that are made of calls or loops for single operations. `Tools` has these operations:
//
//     Vector vector()               zeros
//     clear(v)   start(r)           v = 0; r = b
//     copy(v, w)                    w = v
//     dot(v, w)
//     add(a, v, w)                  w += a v
//     add_to_scaled(v, a, w)        w = v + a w
//     advance(a, p, q, x, r)        x += a p; r -= a q; returns the norm of r
//     multiply(v, w)                w = A v
//     precondition(v, w)            w = M^-1 v
#pragma once

namespace terrace::perf {

/// Algorithm 9.1, from x = 0.
template <class Tools>
class ConjugateGradients {
 public:
  explicit ConjugateGradients(Tools& tools)
      : tools_(tools),
        x_(tools.vector()),
        r_(tools.vector()),
        z_(tools.vector()),
        p_(tools.vector()),
        q_(tools.vector()) {}

  /// Returns the norm of the residual.
  double run(int steps) {
    tools_.clear(x_);
    tools_.start(r_);
    double rho = 0.0, norm = 0.0;
    for (int k = 0; k < steps; ++k) {
      tools_.precondition(r_, z_);
      const double before = rho;
      rho = tools_.dot(r_, z_);
      if (k == 0) tools_.copy(z_, p_);
      else tools_.add_to_scaled(z_, rho / before, p_);
      tools_.multiply(p_, q_);
      norm = tools_.advance(rho / tools_.dot(p_, q_), p_, q_, x_, r_);
    }
    return norm;
  }

  const auto& solution() const { return x_; }

 private:
  Tools& tools_;
  typename Tools::Vector x_, r_, z_, p_, q_;
};

/// Algorithm 7.7, preconditioned from the right, from x = 0; the shadow residual is the first.
template <class Tools>
class BiCGStab {
 public:
  explicit BiCGStab(Tools& tools)
      : tools_(tools),
        x_(tools.vector()),
        r_(tools.vector()),
        shadow_(tools.vector()),
        p_(tools.vector()),
        v_(tools.vector()),
        t_(tools.vector()),
        y_(tools.vector()) {
    tools_.start(shadow_);
  }

  /// Returns the norm of the residual.
  double run(int steps) {
    tools_.clear(x_);
    tools_.start(r_);
    tools_.copy(r_, p_);
    double rho = tools_.dot(shadow_, r_), norm = 0.0;
    for (int k = 0; k < steps; ++k) {
      tools_.precondition(p_, y_);
      tools_.multiply(y_, v_);
      const double alpha = rho / tools_.dot(shadow_, v_);
      tools_.add(-alpha, v_, r_);
      tools_.add(alpha, y_, x_);
      tools_.precondition(r_, y_);
      tools_.multiply(y_, t_);
      const double omega = tools_.dot(t_, r_) / tools_.dot(t_, t_);
      norm = tools_.advance(omega, y_, t_, x_, r_);
      const double next = tools_.dot(shadow_, r_);
      tools_.add(-omega, v_, p_);
      tools_.add_to_scaled(r_, next / rho * alpha / omega, p_);
      rho = next;
    }
    return norm;
  }

 private:
  Tools& tools_;
  typename Tools::Vector x_, r_, shadow_, p_, v_, t_, y_;
};

}  // namespace terrace::perf

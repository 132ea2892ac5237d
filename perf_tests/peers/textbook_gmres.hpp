// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GMRES as a textbook writes it (Saad, Iterative Methods for Sparse Linear Systems, 2003, algorithms 6.9 and 9.5):
// preconditioned from the right, restarted, with classical Gram-Schmidt, once for all peers. `Tools` has these
// operations:
//
//     Vector vector()                    zeros
//     Basis basis(int columns)           the vectors v_0, v_1, ...
//     clear(v)
//     add(a, v, w)                       w += a v
//     start(x, V)                        v_0 = b - A x, made a unit vector; returns its norm
//     precondition(V, j, z)              z = M^-1 v_j
//     multiply(z, V, j)                  v_j = A z
//     orthogonalize(V, j, h)             h_i = v_i^T v_j for i < j, v_j -= sum h_i v_i; then v_j is made a unit vector;
//                                        h_j is its norm
//     combine(V, y, w)                   w = sum y_i v_i
//     precondition(v, w)                 w = M^-1 v
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace terrace::perf {

template <class Tools>
class Gmres {
 public:
  /// Residuals relative to that of x = 0: by the recursion, and computed anew.
  struct Outcome {
    int steps = 0;
    double recursive = 1.0, computed = 1.0;
  };

  Gmres(Tools& tools, int restart)
      : tools_(tools),
        restart_(restart),
        x_(tools.vector()),
        w_(tools.vector()),
        z_(tools.vector()),
        V_(tools.basis(restart + 1)) {}

  /// From x = 0.
  Outcome run(int steps, double tolerance) {
    tools_.clear(x_);
    Outcome outcome;
    const double first = tools_.start(x_, V_);
    double norm = first;
    while (outcome.steps < steps && norm > tolerance * first) {
      outcome.recursive = cycle(norm, std::min(restart_, steps - outcome.steps), tolerance * first, outcome.steps) / first;
      norm = tools_.start(x_, V_);
    }
    outcome.computed = norm / first;
    return outcome;
  }

 private:
  double cycle(double norm, int count, double bound, int& steps) {
    H_.assign(static_cast<std::size_t>(count), {});
    g_.assign(1, norm);
    rotations_.clear();
    int done = 0;
    while (done < count && std::abs(g_.back()) > bound) {
      tools_.precondition(V_, done, z_);
      tools_.multiply(z_, V_, done + 1);
      H_[done].resize(static_cast<std::size_t>(done) + 2);
      tools_.orthogonalize(V_, done + 1, H_[done]);
      rotate(H_[done]);
      ++done;
    }
    update(done);
    steps += done;
    return std::abs(g_.back());
  }

  struct Rotation {
    double cosine, sine;
  };

  void rotate(std::vector<double>& h) {
    const auto apply = [](const Rotation& by, double& upper, double& lower) {
      const double before = upper;
      upper = by.cosine * before + by.sine * lower;
      lower = by.cosine * lower - by.sine * before;
    };
    for (std::size_t i = 0; i < rotations_.size(); ++i) apply(rotations_[i], h[i], h[i + 1]);
    const std::size_t last = h.size() - 2;
    const double length = std::hypot(h[last], h[last + 1]);
    rotations_.push_back({h[last] / length, h[last + 1] / length});
    apply(rotations_.back(), h[last], h[last + 1]);
    g_.push_back(0.0);
    apply(rotations_.back(), g_[last], g_[last + 1]);
  }

  /// x += M^-1 V y with the y that minimizes the residual.
  void update(int done) {
    std::vector<double> y(static_cast<std::size_t>(done));
    for (int i = done - 1; i >= 0; --i) {
      y[i] = g_[i];
      for (int j = i + 1; j < done; ++j) y[i] -= H_[j][i] * y[j];
      y[i] /= H_[i][i];
    }
    tools_.combine(V_, y, w_);
    tools_.precondition(w_, z_);
    tools_.add(1.0, z_, x_);
  }

  Tools& tools_;
  int restart_;
  typename Tools::Vector x_, w_, z_;
  typename Tools::Basis V_;
  std::vector<std::vector<double>> H_;
  std::vector<double> g_;
  std::vector<Rotation> rotations_;
};

}  // namespace terrace::perf

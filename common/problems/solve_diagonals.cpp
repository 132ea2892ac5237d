// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Preconditioned conjugate gradients as the textbook has them (Saad 2003, algorithm 9.1).
//
// M = (D + L) D^-1 (D + L)^T with the L of A is its IC(0), for on these grids elimination without fill changes the
// diagonal alone: d_c = a_c - sum of a_cm^2 / d_m over the neighbors m before c. Vectors are padded with a plane of
// zeros before and behind the grid, so that no row is special. Cost of an iteration: a product and two substitutions,
// some 40 n operations. On SPE10's permeability the modified factorization takes more iterations.
#include "common/problems/solve_diagonals.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <terrace/error.hpp>

namespace terrace::common {
namespace {

using Vector = std::vector<double>;

constexpr int max_iterations = 10000;

double dot(const Vector& a, const Vector& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

/// y += a x
void add(double a, const Vector& x, Vector& y) {
  for (std::size_t c = 0; c < y.size(); ++c) y[c] += a * x[c];
}

class PaddedMatrix {
 public:
  explicit PaddedMatrix(const GridProblem& A)
      : n_(A.center.size()),
        steps_(A.grid),
        first_(steps_.along[2]),
        center_(padded(A.center)),
        x_(padded(A.x)),
        y_(padded(A.y)),
        z_(padded(A.z)),
        inverse_(padded({})) {
    const auto [i, j, k] = steps_.along;
    const auto square = [this](const Vector& coupling, std::size_t c) {
      return coupling[c] * coupling[c] * inverse_[c];
    };
    for (std::size_t c = first_; c < first_ + n_; ++c)
      inverse_[c] = 1 / (center_[c] - square(x_, c - i) - square(y_, c - j) - square(z_, c - k));
  }

  Vector padded(const Vector& numbers) const {
    Vector result(n_ + 2 * first_, 0.0);
    std::copy(numbers.begin(), numbers.end(), result.begin() + static_cast<std::ptrdiff_t>(first_));
    return result;
  }

  Vector without_padding(const Vector& numbers) const {
    const auto begin = numbers.begin() + static_cast<std::ptrdiff_t>(first_);
    return {begin, begin + static_cast<std::ptrdiff_t>(n_)};
  }

  /// q = A p
  void multiply(const Vector& p, Vector& q) const {
    const auto [i, j, k] = steps_.along;
    for (std::size_t c = first_; c < first_ + n_; ++c)
      q[c] = center_[c] * p[c] + x_[c] * p[c + i] + y_[c] * p[c + j] + z_[c] * p[c + k] + x_[c - i] * p[c - i] +
             y_[c - j] * p[c - j] + z_[c - k] * p[c - k];
  }

  /// s = M^-1 r
  void precondition(const Vector& r, Vector& s) const {
    const auto [i, j, k] = steps_.along;
    for (std::size_t c = first_; c < first_ + n_; ++c)
      s[c] = (r[c] - z_[c - k] * s[c - k] - y_[c - j] * s[c - j] - x_[c - i] * s[c - i]) * inverse_[c];
    for (std::size_t c = first_ + n_; c-- > first_;)
      s[c] -= (z_[c] * s[c + k] + y_[c] * s[c + j] + x_[c] * s[c + i]) * inverse_[c];
  }

 private:
  std::size_t n_;
  GridSteps steps_;
  std::size_t first_;  ///< cell, behind the padding
  Vector center_, x_, y_, z_;
  Vector inverse_;  ///< 1 / D
};

}  // namespace

std::vector<double> solve_diagonals(const GridProblem& problem, double tolerance, const WatchResidual& watch) {
  const PaddedMatrix A(problem);
  Vector r = A.padded(problem.b), x = A.padded({}), s = x, q = x;
  A.precondition(r, s);
  Vector p = s;
  double rho = dot(r, s);
  const double size = std::sqrt(dot(r, r));
  double residual = size > 0 ? 1 : 0;
  for (int iteration = 0; !(residual <= tolerance); ++iteration) {
    if (iteration == max_iterations || !std::isfinite(residual))
      throw Error(ErrorCode::NotPositive,
                  problem.description + " has no solution that conjugate gradients find: the residual is " +
                      std::to_string(residual) + " after " + std::to_string(iteration) + " iterations");
    A.multiply(p, q);
    const double alpha = rho / dot(p, q);
    add(alpha, p, x);
    add(-alpha, q, r);
    residual = std::sqrt(dot(r, r)) / size;
    if (watch) watch(residual);
    A.precondition(r, s);
    const double before = rho;
    rho = dot(r, s);
    for (std::size_t c = 0; c < p.size(); ++c) p[c] = s[c] + rho / before * p[c];
  }
  return A.without_padding(x);
}

}  // namespace terrace::common

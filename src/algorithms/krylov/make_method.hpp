// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the options of a Krylov solver mean: the method, and when it stagnates.
#pragma once

#include <cmath>
#include <limits>
#include <string>

#include "algorithms/krylov/bicgstab.hpp"
#include "algorithms/krylov/conjugate_gradient.hpp"
#include "algorithms/krylov/gmres.hpp"

namespace terrace::krylov {

inline void check_options(const KrylovOptions& options) {
  const auto fail = [](const std::string& what) { throw Error(ErrorCode::InvalidOption, what); };
  if (!(options.tolerance >= 0) || !std::isfinite(options.tolerance)) fail("tolerance must not be negative");
  if (options.max_iterations < 0) fail("max_iterations must not be negative");
  if (options.restart < 1) fail("restart must be at least 1");
  if (options.check_every < 1) fail("check_every must be at least 1");
  if (options.stagnation_window < 1) fail("stagnation_window must be at least 1");
}

template <class Scalar, class Space>
std::unique_ptr<Method<Scalar, Space>> make_method(const Space& space, std::size_t rows, std::size_t columns,
                                                   const KrylovOptions& options) {
  switch (options.method) {
    case KrylovMethod::ConjugateGradient:
      return std::make_unique<ConjugateGradient<Scalar, Space>>(space, rows, columns);
    case KrylovMethod::BiCGStab: return std::make_unique<BiCGStab<Scalar, Space>>(space, rows, columns);
    default: break;
  }
  const bool flexible = options.method == KrylovMethod::FlexibleGmres;
  return std::make_unique<Gmres<Scalar, Space>>(space, rows, options.restart, flexible);
}

inline void check_columns(const KrylovOptions& options, std::size_t columns) {
  if (columns <= 1 || options.method == KrylovMethod::ConjugateGradient || options.method == KrylovMethod::BiCGStab)
    return;
  throw Error(ErrorCode::InvalidOption, std::string(to_string(options.method)) +
                                            " solves for one right-hand side, not " + std::to_string(columns) +
                                            "; cg and bicgstab take several");
}

/// Notices when the residual has not been lower than before for a while. A thousandth counts as lower.
class StagnationWatch {
 public:
  explicit StagnationWatch(int window) : window_(window) {}

  bool stagnates(int iterations, double residual) {
    if (residual < 0.999 * lowest_) {
      lowest_ = residual;
      since_ = iterations;
    }
    return iterations - since_ >= window_;
  }

 private:
  int window_;
  double lowest_ = std::numeric_limits<double>::infinity();
  int since_ = 0;
};

}  // namespace terrace::krylov

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory of a Krylov method for so many right-hand sides. It is made whole or not at all: a solver builds one for
// another number of columns beside the one that it has, so that an allocation that fails leaves the solver as it was.
//
// The device keeps the residuals since the last look alone, and the host collects them then, so that memory grows with
// the iterations that were done and not with those that would be allowed.
#pragma once

#include "algorithms/krylov/make_method.hpp"

namespace terrace::krylov {

/// Iterations between two looks at most.
inline constexpr int max_ahead = 4096;

inline int iterations_between_looks(const KrylovOptions& options) {
  return std::max(1, std::min({options.check_every, options.max_iterations, max_ahead}));
}

template <class Scalar, class Space>
struct Memory {
  using Real = RealOf<Scalar>;
  using Device = analysis::Device<Space>;
  template <class T>
  using Array = Kokkos::View<T*, Device>;

  std::size_t columns = 0;
  int history_length = 0;
  std::unique_ptr<Method<Scalar, Space>> method;
  Array<Recurrence<Scalar>> recurrence;
  std::vector<Recurrence<Scalar>> host;
  Array<Real> history;
  std::vector<Real> host_history;
  Array<ScaledNorm<Real>> norms;
  Array<int> exponents;
  typename System<Scalar, Space>::Vectors scratch;
  GatheringMemory<Scalar, Space> gathering;

  Memory() = default;
  Memory(const Space& space, std::size_t rows, std::size_t count, const KrylovOptions& options)
      : columns(count),
        history_length(iterations_between_looks(options)),
        method(make_method<Scalar>(space, rows, count, options)),
        recurrence(analysis::zeros<Recurrence<Scalar>>(space, "terrace::krylov::recurrence", count)),
        host(count),
        history(make_vector<Real>(space, "terrace::krylov::history", count * static_cast<std::size_t>(history_length))),
        host_history(history.extent(0)),
        norms(make_vector<ScaledNorm<Real>>(space, "terrace::krylov::norms", count)),
        exponents(make_vector<int>(space, "terrace::krylov::exponents", count)),
        scratch(make_vectors<Scalar>(space, "terrace::krylov::scratch", rows, count)),
        gathering(space, count) {}

  Shared<Scalar> for_kernels() const { return {recurrence.data(), history.data(), history_length, exponents.data()}; }

  /// The state of the iteration, and the residuals since the last look. Waits for the space.
  void read(const Space& space) {
    const char* label = "terrace::KrylovSolver::solve";
    copy_to_host(space, analysis::Numbers<Recurrence<Scalar>>{recurrence.data(), columns}, host.data(), label);
    if (history_length > 1)
      copy_to_host(space, analysis::Numbers<Real>{history.data(), host_history.size()}, host_history.data(), label);
  }

  void write(const Space& space) {
    Kokkos::deep_copy(space, recurrence, analysis::on_host(host.data(), columns));
    space.fence("terrace::KrylovSolver::solve");
  }

  /// Of an iteration since the last look.
  double residual_of(std::size_t column, int iteration) const {
    if (history_length == 1) return static_cast<double>(host[column].residual);
    const auto length = static_cast<std::size_t>(history_length);
    return static_cast<double>(host_history[column * length + static_cast<std::size_t>(iteration) % length]);
  }
};

}  // namespace terrace::krylov

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory of a Krylov method for so many right-hand sides. It is made whole or not at all: a solver builds one for
// another number of columns beside the one that it has, so that an allocation that fails leaves the solver as it was.
//
// The device keeps the residuals since the last look alone, and the host collects them then, so that memory grows with
// the iterations that were done and not with those that would be allowed.
#pragma once

#include <memory>
#include <type_traits>

#include "algorithms/krylov/make_method.hpp"
#include "parallel/watched_work.hpp"

namespace terrace::krylov {

/// Iterations between two looks at most.
inline constexpr int max_ahead = 4096;

inline int iterations_between_looks(const KrylovOptions& options) {
  return std::max(1, std::min({options.check_every, options.max_iterations, max_ahead}));
}

template <class Scalar, class Space>
struct Memory {
  using Real = RealOf<Scalar>;
  using State = Recurrence<Scalar>;
  static_assert(std::is_trivially_copyable_v<State> && alignof(State) >= alignof(Real));
  using Device = parallel::Device<Space>;
  template <class T>
  using Array = Kokkos::View<T*, Device>;

  std::size_t columns = 0;
  int history_length = 0;
  std::unique_ptr<Method<Scalar, Space>> method;
  // What a look sees comes to the host in one copy: the states of all columns, and behind them the residuals since the
  // last look.
  Array<char> looked_at;
  std::vector<char> on_host;
  Array<ScaledNorm<Real>> norms;
  Array<int> exponents;
  typename System<Scalar, Space>::Vectors scratch;
  GatheringMemory<Scalar, Space> gathering;
  parallel::WatchedWork<> iterations;  // of a host: by several threads, or one where the machine is too busy for them

  Memory() = default;
  Memory(const Space& space, std::size_t rows, std::size_t count, const KrylovOptions& options)
      : columns(count),
        history_length(iterations_between_looks(options)),
        method(make_method<Scalar>(space, rows, count, options)),
        looked_at(
            make_vector<char>(space, "terrace::krylov::looked_at",
                              bytes_of_states() + count * static_cast<std::size_t>(history_length) * sizeof(Real))),
        on_host(looked_at.extent(0)),
        norms(make_vector<ScaledNorm<Real>>(space, "terrace::krylov::norms", count)),
        exponents(make_vector<int>(space, "terrace::krylov::exponents", count)),
        scratch(make_vectors<Scalar>(space, "terrace::krylov::scratch", rows, count)),
        gathering(space, count) {
    constexpr double seconds_per_row = 50e-9;  // of an iteration: a guess, which the watch replaces
    if (parallel::is_host_space<Space> && space.concurrency() > 1)
      iterations = parallel::WatchedWork<>(seconds_per_row * static_cast<double>(rows * count));
    parallel::prepare_teams(space);
    std::uninitialized_value_construct_n(&state_of(0), count);
  }

  State& state_of(std::size_t column) { return reinterpret_cast<State*>(on_host.data())[column]; }
  const State& state_of(std::size_t column) const { return reinterpret_cast<const State*>(on_host.data())[column]; }

  Shared<Scalar> for_kernels() const {
    char* const first = looked_at.data();
    return {reinterpret_cast<State*>(first), reinterpret_cast<Real*>(first + bytes_of_states()), history_length,
            exponents.data()};
  }

  /// The state of the iteration, and the residuals since the last look. Waits for the space.
  void read(const Space& space) {
    const std::size_t bytes = history_length > 1 ? on_host.size() : bytes_of_states();
    copy_to_host(space, parallel::Numbers<char>{looked_at.data(), bytes}, on_host.data(),
                 "terrace::KrylovSolver::solve");
  }

  void write(const Space& space) {
    Kokkos::deep_copy(space, Kokkos::subview(looked_at, std::make_pair(std::size_t(0), bytes_of_states())),
                      parallel::on_host(on_host.data(), bytes_of_states()));
    space.fence("terrace::KrylovSolver::solve");
  }

  /// Of an iteration since the last look.
  double residual_of(std::size_t column, int iteration) const {
    if (history_length == 1) return static_cast<double>(state_of(column).residual);
    const auto length = static_cast<std::size_t>(history_length);
    const auto* residuals = reinterpret_cast<const Real*>(on_host.data() + bytes_of_states());
    return static_cast<double>(residuals[column * length + static_cast<std::size_t>(iteration) % length]);
  }

 private:
  std::size_t bytes_of_states() const { return columns * sizeof(State); }
};

}  // namespace terrace::krylov

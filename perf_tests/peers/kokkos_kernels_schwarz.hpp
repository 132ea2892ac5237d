// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kokkos Kernels' level-scheduled triangular solves of the factor of all blocks, with gather and scatter, as a method.
// The factor is that of the serial loops.
#pragma once

#include "peers/kokkos_kernels_factor.hpp"
#include "schwarz/schwarz_problem.hpp"

namespace terrace::perf {

/// to(k) = from(source(k))
template <class Indices, class From, class To>
struct Gather {
  Indices source;
  From from;
  To to;
  KOKKOS_FUNCTION void operator()(int k) const { to(k) = from(source(k)); }
};

template <class Space>
class KokkosKernelsSchwarz final : public Method {
  using Indices = Kokkos::View<int*, DeviceOf<Space>>;
  using Numbers = Kokkos::View<double*, DeviceOf<Space>>;

 public:
  explicit KokkosKernelsSchwarz(const SchwarzProblem& problem)
      : factor_(problem.serial().factor()),
        rows_(upload<Space>(problem.serial().rows())),
        owner_(upload<Space>(problem.serial().owner())),
        r_(upload<Space>(problem.r())),
        z_("z", r_.extent(0)),
        gathered_("gathered", rows_.extent(0)),
        solved_("solved", rows_.extent(0)) {}

  /// The analysis of both triangles.
  void run(Phase phase, int) override {
    if (phase == Phase::Factorize) return factor_.analyze(space_);
    gather(rows_, r_, gathered_);
    factor_.solve(gathered_, solved_);
    gather(owner_, solved_, z_);
  }

  void wait() override { space_.fence("terrace::perf::KokkosKernelsSchwarz"); }
  std::vector<double> result(Phase phase) override {
    return phase == Phase::Apply ? download(z_) : std::vector<double>();
  }

 private:
  void gather(const Indices& source, const Numbers& from, const Numbers& to) const {
    Kokkos::parallel_for("terrace::perf::gather", Kokkos::RangePolicy<Space>(space_, 0, to.extent_int(0)),
                         Gather<Indices, Numbers, Numbers>{source, from, to});
  }

  Space space_;
  KokkosKernelsFactor<Space> factor_;
  Indices rows_, owner_;
  Numbers r_, z_, gathered_, solved_;
};

}  // namespace terrace::perf

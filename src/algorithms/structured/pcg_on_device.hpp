// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state of an iteration on the device, and its way to the host.
#pragma once

#include "algorithms/structured/pcg_engine.hpp"

namespace terrace::structured {

struct EmptyHistory {
  PcgState* state;
  KOKKOS_FUNCTION void operator()(int) const { state->since_check = 0; }
};

template <class Space>
class PcgOnDevice {
 public:
  explicit PcgOnDevice(const Space& space)
      : state_(analysis::zeros<PcgState>(space, "terrace::structured::pcg_state", 1)),
        host_state_(Kokkos::create_mirror(Kokkos::HostSpace(), state_)) {}

  PcgState* data() const { return state_.data(); }

  /// As PcgEngine::read.
  PcgState read(const Space& space) {
    Kokkos::deep_copy(space, host_state_, state_);
    Kokkos::parallel_for("terrace::structured::empty_history", Kokkos::RangePolicy<Space>(space, 0, 1),
                         EmptyHistory{state_.data()});
    space.fence("terrace::StructuredPcg::solve");
    return host_state_(0);
  }

 private:
  Kokkos::View<PcgState*, analysis::Device<Space>> state_;
  typename Kokkos::View<PcgState*, analysis::Device<Space>>::HostMirror host_state_;
};

}  // namespace terrace::structured

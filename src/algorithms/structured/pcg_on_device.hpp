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
      : state_(parallel::zeros<PcgState>(space, "terrace::structured::pcg_state", 1)) {}

  PcgState* data() const { return state_.data(); }

  /// As PcgEngine::read.
  PcgState read(const Space& space) {
    PcgState found;
    if constexpr (parallel::is_host_space<Space>) {  // no kernel, whose threads would wait for each other
      space.fence("terrace::StructuredPcg::solve");
      found = *state_.data();
      EmptyHistory{state_.data()}(0);
    } else {
      Kokkos::deep_copy(space, parallel::on_host(&found, 1), state_);
      Kokkos::parallel_for("terrace::structured::empty_history", Kokkos::RangePolicy<Space>(space, 0, 1),
                           EmptyHistory{state_.data()});
      space.fence("terrace::StructuredPcg::solve");
    }
    return found;
  }

 private:
  Kokkos::View<PcgState*, parallel::Device<Space>> state_;
};

}  // namespace terrace::structured

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the generic engines of the iteration share: vectors, the state on the device, and its way to the host.
#pragma once

#include "algorithms/structured/pcg_engine.hpp"
#include "algorithms/structured/staggered.hpp"

namespace terrace::structured {

struct EmptyHistory {
  PcgState* state;
  KOKKOS_FUNCTION void operator()(int) const { state->since_check = 0; }
};

template <class Scalar, class Space>
class PcgBase : public PcgEngine<Scalar, Space> {
 public:
  PcgBase(const Space& space, const PcgProblem<Scalar, Space>& problem)
      : problem_(problem),
        state_(analysis::zeros<PcgState>(space, "terrace::structured::pcg_state", 1)),
        host_state_(Kokkos::create_mirror(Kokkos::HostSpace(), state_)) {
    for (std::size_t k = 0; k < vectors_held; ++k)
      vectors_[k] = make_staggered<Scalar>(space, "terrace::structured::pcg_vector", cells(), k);
  }

  PcgState read(const Space& space) override {
    Kokkos::deep_copy(space, host_state_, state_);
    Kokkos::parallel_for("terrace::structured::empty_history", Kokkos::RangePolicy<Space>(space, 0, 1),
                         EmptyHistory{state_.data()});
    space.fence("terrace::StructuredPcg::solve");
    return host_state_(0);
  }

  std::size_t bytes_held() const override { return vectors_held * cells() * sizeof(Scalar) + sizeof(PcgState); }

 protected:
  static constexpr std::size_t vectors_held = 4;

  std::size_t cells() const { return static_cast<std::size_t>(problem_.A.grid().cells()); }
  bool has_preconditioner() const { return problem_.inverse_pivots.data() != nullptr; }
  const Scalar* inverse_pivots() const { return problem_.inverse_pivots.data(); }
  Stencil<Scalar> stencil() const { return make_stencil(problem_.A); }
  PcgState* state() const { return state_.data(); }

  /// Where x stands changes from solve to solve.
  void set_x(Scalar* x) { x_ = x; }
  PcgVectors<Scalar> vectors() const {
    return {x_, vectors_[0].data(), vectors_[1].data(), vectors_[2].data(), vectors_[3].data()};
  }

 private:
  PcgProblem<Scalar, Space> problem_;
  Kokkos::View<Scalar*, analysis::Device<Space>> vectors_[vectors_held];  // r, p, q, y
  Kokkos::View<PcgState*, analysis::Device<Space>> state_;
  typename Kokkos::View<PcgState*, analysis::Device<Space>>::HostMirror host_state_;
  Scalar* x_ = nullptr;
};

}  // namespace terrace::structured

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the generic engines of the iteration share: vectors, and the state on the device.
#pragma once

#include "algorithms/structured/pcg_on_device.hpp"
#include "algorithms/structured/staggered.hpp"

namespace terrace::structured {

template <class Scalar, class Space>
class PcgBase : public PcgEngine<Scalar, Space> {
 public:
  PcgBase(const Space& space, const PcgProblem<Scalar, Space>& problem) : problem_(problem), state_(space) {
    for (std::size_t k = 0; k < vectors_held; ++k)
      vectors_[k] = make_staggered<Scalar>(space, "terrace::structured::pcg_vector", cells(), k);
  }

  PcgState read(const Space& space) override { return state_.read(space); }

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
  Kokkos::View<Scalar*, parallel::Device<Space>> vectors_[vectors_held];  // r, p, q, y
  PcgOnDevice<Space> state_;
  Scalar* x_ = nullptr;
};

}  // namespace terrace::structured

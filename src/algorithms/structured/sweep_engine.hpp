// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the generic engines share: both visit cells in dependency order and differ in how (TileVisitor,
// WavefrontVisitor).
#pragma once

#include <utility>

#include "algorithms/structured/engine.hpp"
#include "algorithms/structured/pivots.hpp"
#include "algorithms/structured/staggered.hpp"
#include "algorithms/structured/tile_visitor.hpp"
#include "algorithms/structured/vectors.hpp"
#include "algorithms/structured/wavefront_visitor.hpp"

namespace terrace::structured {

template <class Scalar, class Space, class Visitor>
class SweepEngine : public Engine<Scalar, Space> {
  using Base = Engine<Scalar, Space>;

 public:
  SweepEngine(const Space& space, const StructuredMatrix<Scalar, Space>& A, Visitor visitor, std::string reason)
      : A_(A),
        visitor_(std::move(visitor)),
        reason_(std::move(reason)),
        inverse_(make_staggered<Scalar>(space, "terrace::structured::inverse_pivots",
                                        static_cast<std::size_t>(A.grid().cells()), 4)) {}

  void factorize(const Space& space, double relaxation, double shift, std::int64_t* breakdown) override {
    visitor_.visit_cells(space, "terrace::structured::pivots",
                         Pivots<Scalar>{make_stencil(A_), static_cast<Scalar>(relaxation), static_cast<Scalar>(shift),
                                        A_.is_symmetric(), inverse_.data(), breakdown});
  }

  void solve(const Space& space, const typename Base::const_vectors& b, const typename Base::vectors& x, Part part,
             Op op) override {
    const auto stencil = make_stencil(A_, op);
    for_each_column(b, x, [&](const auto& right, const auto& unknowns) {
      if (part != Part::Backward) sweep<false>(space, stencil, right, unknowns);
      if (part == Part::Backward) sweep<true>(space, stencil, right, unknowns);
      if (part == Part::Both) sweep<true>(space, stencil, as_const(unknowns), unknowns);
    });
  }

  Kokkos::View<const Scalar*, parallel::Device<Space>> inverse_pivots() const override { return inverse_; }

  void describe(StructuredFactorInfo& info) const override {
    visitor_.describe(info);
    info.reason = reason_;
    info.bytes_held = inverse_.span() * sizeof(Scalar) + visitor_.bytes_held();
  }

  void describe_changes(StructuredFactorInfo& info) const override {
    visitor_.describe(info);
    info.reason = reason_;
    describe_one_thread(visitor_.reason_for_one_thread(), info);
  }

 private:
  template <bool Contiguous>
  static Vector<const Scalar, Contiguous> as_const(const Vector<Scalar, Contiguous>& v) {
    return {v.data, v.stride};
  }

  template <bool Backward, bool Contiguous>
  void sweep(const Space& space, const Stencil<Scalar>& stencil, const Vector<const Scalar, Contiguous>& b,
             const Vector<Scalar, Contiguous>& x) {
    visitor_.sweep(space, Backward ? "terrace::structured::sweep_backward" : "terrace::structured::sweep_forward",
                   Sweep<Scalar, Backward, Contiguous>(stencil, inverse_.data(), x),
                   PlainCell<Scalar, Contiguous>{b, x});
  }

  StructuredMatrix<Scalar, Space> A_;
  Visitor visitor_;
  std::string reason_;
  Kokkos::View<Scalar*, parallel::Device<Space>> inverse_;
};

}  // namespace terrace::structured

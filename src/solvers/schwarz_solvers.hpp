// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The application of all blocks by triangular solvers on M as a whole: gather, L, U, scatter.
#pragma once

#include "algorithms/schwarz/engine.hpp"
#include "solvers/factor_solves.hpp"

namespace terrace::schwarz {

template <class Scalar, class Ordinal, class Space>
struct GatherPlaces {
  Transfer<Scalar, Ordinal> transfer;
  detail::MultiVector<const Scalar, Space> r;
  detail::MultiVector<Scalar, Space> y;
  KOKKOS_FUNCTION void operator()(Ordinal place) const {
    for (std::ptrdiff_t column = 0; column < static_cast<std::ptrdiff_t>(r.columns); ++column)
      y(place, column) = transfer.read(r, place, column);
  }
};

template <class Scalar, class Ordinal, class Space>
struct ScatterPlaces {
  Transfer<Scalar, Ordinal> transfer;
  detail::MultiVector<const Scalar, Space> y;
  detail::MultiVector<Scalar, Space> z;
  KOKKOS_FUNCTION void operator()(Ordinal place) const {
    for (std::ptrdiff_t column = 0; column < static_cast<std::ptrdiff_t>(y.columns); ++column)
      transfer.write(z, place, column, y(place, column));
  }
};

template <class Scalar, class Ordinal, class Offset, class Space>
class SolverEngine : public BlockEngine<Scalar, Ordinal, Offset, Space> {
  using Base = BlockEngine<Scalar, Ordinal, Offset, Space>;
  using Solves = incomplete::FactorSolves<Scalar, Ordinal, Offset, Space>;

 public:
  /// `solved` is memory that applications use, for as many columns at a time; Z may be it.
  SolverEngine(Solves solves, const parallel::Columns<Scalar, Space>& solved)
      : solves_(std::move(solves)), solved_(solved) {}

  void update_values(const Space& space, const typename Base::values_type& values) override {
    solves_.update_values(space, values);
  }

  void apply(const Space& space, const typename Base::const_vectors& R, const typename Base::vectors& Z, Op op,
             const Transfer<Scalar, Ordinal>& transfer) override {
    const Kokkos::RangePolicy<Space> each_place(space, 0, static_cast<Ordinal>(solved_.extent(0)));
    const std::size_t columns = solved_.extent(1);
    for (std::size_t first = 0; first < R.columns; first += columns) {
      const std::size_t count = std::min(columns, R.columns - first);
      const auto y = parallel::columns_of(typename Base::vectors(solved_), 0, count);
      Kokkos::parallel_for("terrace::schwarz::gather_places", each_place,
                           GatherPlaces<Scalar, Ordinal, Space>{transfer, parallel::columns_of(R, first, count), y});
      solves_.apply(space, y, y, op);
      Kokkos::parallel_for("terrace::schwarz::scatter_places", each_place,
                           ScatterPlaces<Scalar, Ordinal, Space>{transfer, y, parallel::columns_of(Z, first, count)});
    }
  }

  std::int64_t levels() const { return solves_.levels(); }
  std::size_t bytes_held() const override { return solves_.bytes_held(); }

 private:
  Solves solves_;
  parallel::Columns<Scalar, Space> solved_;
};

}  // namespace terrace::schwarz

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The numbers of an incomplete factorization with a given pattern, without the solves: eliminate, again with a shift
// where the options ask for it, and say what became of the pivots. IluFactor and SchwarzFactor hold one.
#pragma once

#include <terrace/ilu.hpp>

#include "algorithms/incomplete/shift_restarts.hpp"
#include "backends/failures.hpp"
#include "solvers/ilu_symbolic.hpp"

namespace terrace::incomplete {

inline void check_factor_options(const IluFactorOptions& options) {
  if (!(options.relaxation >= 0 && options.relaxation <= 1))
    throw Error(ErrorCode::InvalidOption, "relaxation must lie between 0 and 1");
  if (options.right_hand_sides < 1) throw Error(ErrorCode::InvalidOption, "right_hand_sides must be at least 1");
  check_pivot_options(options.pivots);
}

template <class Scalar, class Ordinal, class Offset, class Space>
struct IluNumeric {
  using Real = RealOf<Scalar>;
  using Entries = MatrixEntries<Scalar, Ordinal, Offset>;
  using values_type = Kokkos::View<const Scalar*, parallel::Device<Space>>;
  using Arrays = parallel::JoinedArrays<Space>;

  IluSymbolic<Ordinal, Offset, Space> symbolic;
  IluFactorOptions options;
  Kokkos::View<Scalar*, parallel::Device<Space>> values;
  Kokkos::View<Ordinal*, parallel::Device<Space>> diagnostics;
  EliminationEnginePointer<Scalar, Ordinal, Offset, Space> engine;
  RowArrays<Scalar, Ordinal, Space> arrays;
  Kokkos::View<Real*, parallel::Device<Space>> scale;  // empty: ones
  IluInfo info;
  bool is_unread = false;              // there are pivots that info() has not yet looked at,
  parallel::Moment<Space> eliminated;  // and they are there from then on
  parallel::SharedMemory<Space> memory = {}, memory_of_values = {};  // which diagnostics and values do not own
  Kokkos::View<Scalar*, parallel::Device<Space>> upper_sums = {};    // see Elimination; empty without a relaxation

  const auto& pattern() const { return detail::Access::state(symbolic); }
  Ordinal rows() const { return pattern().merged.count; }
  bool is_cholesky() const { return is_symmetric(symbolic.options().factorization); }
  bool is_hermitian() const { return symbolic.options().factorization == Factorization::HermitianCholesky; }

  /// For a matrix that has rows.
  void allocate(const Space& space) {
    allocate_diagnostics(space);
    const std::size_t entries = symbolic.entries().extent(0);
    Arrays arrays_of_values(space, "terrace::incomplete::values", Arrays::template bytes<Scalar>(entries));
    values = arrays_of_values.template take_view<Scalar>(entries);
    memory_of_values = arrays_of_values.share();
    engine = make_elimination_engine<Scalar>(space, pattern().plan);
    arrays = {space, pattern().merged, symbolic.info().operations, options.relaxation != 0};
    if (options.relaxation != 0)
      upper_sums = parallel::uninitialized<Scalar>(space, "terrace::incomplete::upper_sums",
                                                   2 * static_cast<std::size_t>(rows()));
  }

  /// What describe() needs.
  void allocate_diagnostics(const Space& space) {
    Arrays arrays_of_pivots(space, "terrace::incomplete::diagnostics",
                            Arrays::template bytes<Ordinal>(PivotDiagnostics));
    diagnostics = arrays_of_pivots.template take_view<Ordinal>(PivotDiagnostics);
    memory = arrays_of_pivots.share();
    if (options.scaling == Scaling::Diagonal)
      scale = parallel::uninitialized<Real>(space, "terrace::incomplete::scale", static_cast<std::size_t>(rows()));
  }

  /// The entries of P D A D P^T. Finds D.
  Entries entries_of(const Space& space, const values_type& matrix) const {
    const auto& state = pattern();
    Entries entries = plain_entries(state.merged, matrix.data(), symbolic.permutation().data(), is_hermitian(),
                                    state.options.uplo == Uplo::Upper);
    if (options.scaling == Scaling::Diagonal)
      scale_entries(space, entries, rows(), state.merged.diagonal.data(), scale.data());
    return entries;
  }

  Elimination<Scalar, Ordinal, Offset, Space> describe(const Entries& matrix, double shift) const {
    const auto& state = pattern();
    const auto pivots = pivot_rule<Scalar>(options.pivots, state.options.factorization, diagnostics.data());
    Elimination<Scalar, Ordinal, Offset, Space> elimination{state.merged.view(),
                                                            matrix,
                                                            values.data(),
                                                            pivots,
                                                            arrays,
                                                            static_cast<Real>(options.relaxation),
                                                            static_cast<Real>(1.0 + shift),
                                                            is_cholesky(),
                                                            is_hermitian()};
    elimination.upper_sums = upper_sums.data();
    return elimination;
  }

  void eliminate(const Space& space, const Entries& matrix, double shift) {
    engine->eliminate(space, describe(matrix, shift));
    is_unread = true;
  }

  void factorize(const Space& space, const values_type& matrix) {
    const Entries entries = entries_of(space, matrix);
    eliminate_with_shifts(
        options.pivots, info, [&](double shift) { eliminate(space, entries, shift); },
        [&] { read_diagnostics(space); });
  }

  /// Waits for the space.
  void read_diagnostics(const Space& space) {
    read_pivot_diagnostics<Ordinal, Space>(space, diagnostics, rows(), info);
    name_original_rows<Ordinal, Space>(space, symbolic.permutation(), info);
    is_unread = false;
  }

  /// On an instance of its own: that of the last refactorize may be gone.
  void read_diagnostics_later(const char* label) {
    if (!is_unread) return;
    eliminated.wait(label);
    read_diagnostics(Space());
  }

  std::size_t bytes_held() const {
    return values.span() * sizeof(Scalar) + (engine ? engine->bytes_held() : 0) + arrays.bytes_held() +
           scale.span() * sizeof(Real) + upper_sums.span() * sizeof(Scalar);
  }
};

}  // namespace terrace::incomplete

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows of a factorization by thresholds, without the solves: eliminate, again with a shift where the options ask
// for it, collect. IlutFactor and SchwarzFactor hold one.
#pragma once

#include <terrace/ilut.hpp>

#include "algorithms/incomplete/renumber.hpp"
#include "algorithms/incomplete/shift_restarts.hpp"
#include "algorithms/incomplete/threshold/claim_runs.hpp"
#include "algorithms/incomplete/threshold/collect_rows.hpp"
#include "backends/failures.hpp"
#include "backends/threshold.hpp"

namespace terrace::incomplete {

/// The options of the other factorizations that mean the same here.
inline IluSymbolicOptions pattern_options(const IlutOptions& options) {
  return {.factorization = options.factorization,
          .uplo = options.uplo,
          .insert_missing_diagonal = options.insert_missing_diagonal,
          .ordering = options.ordering,
          .permutation = options.permutation,
          .check_structure = options.check_structure};
}

inline void check_threshold_options(const IlutOptions& options) {
  if (options.fill < 0)
    throw Error(ErrorCode::InvalidOption, "fill is " + std::to_string(options.fill) + "; it must not be negative");
  if (!(options.drop_tolerance >= 0) || !std::isfinite(options.drop_tolerance))
    throw Error(ErrorCode::InvalidOption, "drop_tolerance must be a number of at least 0");
  if (options.right_hand_sides < 1) throw Error(ErrorCode::InvalidOption, "right_hand_sides must be at least 1");
  check_pivot_options(options.pivots);
}

/// A capacity that suffices where rows are as long as in A, or where p says that none will be longer.
inline std::size_t first_capacity(std::size_t rows, std::size_t entries, int fill) {
  const std::size_t kept = std::min(static_cast<std::size_t>(fill), rows);
  return std::min(rows * (2 * kept + 1), 2 * entries + rows);
}

/// What one factorization leaves behind: made aside, so that the factor is what it was when anything fails.
template <class Scalar, class Ordinal, class Offset, class Space>
struct IlutResult {
  MergedFactor<Scalar, Ordinal, Offset, Space> factor;
  Kokkos::View<RealOf<Scalar>*, parallel::Device<Space>> scale;  // empty: ones
  IlutInfo info;
};

template <class Scalar, class Ordinal, class Offset, class Space>
struct IlutNumeric {
  using Real = RealOf<Scalar>;
  using Elimination = ThresholdElimination<Scalar, Ordinal, Offset>;
  using Result = IlutResult<Scalar, Ordinal, Offset, Space>;
  using Scale = Kokkos::View<Real*, parallel::Device<Space>>;
  using Entries = MatrixEntries<Scalar, Ordinal, Offset>;
  using values_type = Kokkos::View<const Scalar*, parallel::Device<Space>>;

  IlutOptions options;
  MergedPattern<Ordinal, Offset, Space> matrix;  // renumbered
  ordering::Renumbering<Ordinal, Space> renumbering;
  Kokkos::View<const Ordinal*, parallel::Device<Space>> claim_order;  // empty: ascending
  Result last;
  Kokkos::View<const Ordinal*, parallel::Device<Space>> run_map = {};  // of rows claimed together; empty: one by one

  bool is_cholesky() const { return is_symmetric(options.factorization); }

  /// The entries of P D A D P^T. Finds D.
  Entries entries_of(const Space& space, const values_type& values, const Scale& new_scale) const {
    Entries entries =
        plain_entries(matrix, values.data(), renumbering.original.data(),
                      options.factorization == Factorization::HermitianCholesky, options.uplo == Uplo::Upper);
    if (options.scaling == Scaling::Diagonal)
      scale_entries(space, entries, matrix.count, matrix.diagonal.data(), new_scale.data());
    return entries;
  }

  Scale make_scale(const Space& space) const {
    if (options.scaling != Scaling::Diagonal) return {};
    return parallel::uninitialized<Real>(space, "terrace::incomplete::scale", static_cast<std::size_t>(matrix.count));
  }

  /// The factor of these entries, mirrored where it is symmetric. `options.pivots` may shift all rows together.
  Result eliminate(const Space& space, const Entries& entries, const Scale& new_scale) const {
    Result found{{}, new_scale, last.info};
    const auto rows = static_cast<std::size_t>(matrix.count);
    const auto diagnostics =
        parallel::uninitialized<Ordinal>(space, "terrace::incomplete::diagnostics", PivotDiagnostics);
    const auto before = static_cast<std::size_t>(found.info.factor_entries);  // twice what is stored where symmetric
    const auto engine = make_threshold_engine<Scalar>(
        space, matrix, options.fill,
        before > 0 ? before + before / 8 : first_capacity(rows, matrix.entries.extent(0), options.fill));
    auto elimination = describe(entries, diagnostics.data());
    eliminate_with_shifts(
        options.pivots, found.info,
        [&](double shift) {
          forget_pivots(space, diagnostics.data(), matrix.count);
          elimination.diagonal_factor = static_cast<Real>(1.0 + shift);
          found.info.dropped_entries = engine->run(elimination);
        },
        [&] { read_pivot_diagnostics<Ordinal, Space>(space, diagnostics, matrix.count, found.info); });
    read_pivot_diagnostics<Ordinal, Space>(space, diagnostics, matrix.count, found.info);
    name_original_rows<Ordinal, Space>(space, renumbering.original, found.info);
    found.info.workers = static_cast<int>(engine->workers());
    found.factor = collect_rows<Scalar, Ordinal, Offset, Space>(space, matrix.count, engine->finished_rows());
    if (is_cholesky()) found.factor = mirror_rows(space, found.factor, options.factorization);
    found.info.factor_entries = static_cast<std::int64_t>(found.factor.entries.extent(0));
    return found;
  }

  /// Of the matrix and of what `result` holds.
  std::size_t bytes_held(const Result& result) const {
    return matrix.bytes_held() + renumbering.bytes_held() + (claim_order.span() + run_map.span()) * sizeof(Ordinal) +
           result.scale.span() * sizeof(Real) + result.factor.bytes_held();
  }

 private:
  /// All of the elimination but its memory and the shift.
  Elimination describe(const Entries& entries, Ordinal* diagnostics) const {
    Elimination elimination{};
    elimination.pattern = matrix.view();
    elimination.matrix = entries;
    elimination.finished.claim_order = claim_order.data();
    if (run_map.extent(0) > 0) {
      elimination.finished.run_map = run_map.data();
      elimination.finished.runs = static_cast<Ordinal>(run_map.extent(0)) - 1;
    }
    elimination.pivots = pivot_rule<Scalar>(options.pivots, options.factorization, diagnostics);
    elimination.fill = static_cast<unsigned>(options.fill);
    elimination.drop_tolerance = static_cast<Real>(options.drop_tolerance);
    elimination.symmetric = is_cholesky();
    return elimination;
  }
};

}  // namespace terrace::incomplete

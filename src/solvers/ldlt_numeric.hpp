// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The numbers of a direct factorization in one precision: the engine, and what is done before and after it (entries and
// vectors that are scaled, permuted and rounded). LdltFactor sees the base, which knows the precision of the matrix
// alone.
#pragma once

#include <algorithm>
#include <memory>

#include "algorithms/ldlt/matrix_values.hpp"
#include "algorithms/ldlt/vectors.hpp"
#include "backends/copy_to_host.hpp"
#include "backends/repeated_work.hpp"
#include "parallel/single_of.hpp"
#include "solvers/ldlt_symbolic.hpp"

namespace terrace::ldlt {

template <class Scalar, class Offset, class Space>
class Numeric {
 public:
  using const_vectors = detail::MultiVector<const Scalar, Space>;
  using vectors = detail::MultiVector<Scalar, Space>;

  virtual ~Numeric() = default;
  virtual void factorize(const Space& space, const EntryView<Scalar, Offset>& entries) = 0;
  virtual void solve(const Space& space, const const_vectors& B, const vectors& X, LdltPart part, bool conjugate) = 0;
  virtual void read_record(const Space& space, LdltInfo& info) const = 0;  ///< waits; rows in the order of elimination
  virtual std::size_t bytes_held() const = 0;
};

template <class Scalar, class FactorScalar, class Ordinal, class Offset, class Space>
class NumericIn : public Numeric<Scalar, Offset, Space> {
  using Base = Numeric<Scalar, Offset, Space>;
  using Real = RealOf<FactorScalar>;
  using State = SymbolicState<Ordinal, Offset, Space>;
  static constexpr bool is_single = !std::is_same_v<Scalar, FactorScalar>;

 public:
  using const_vectors = typename Base::const_vectors;
  using vectors = typename Base::vectors;

  NumericIn(const Space& space, const State& state, const LdltFactorOptions& options)
      : state_(state),
        scaling_(options.scaling, is_single),
        replace_(options.pivots.policy == PivotPolicy::Replace),
        threshold_(options.pivots.threshold > 0 ? static_cast<Real>(options.pivots.threshold)
                                                : std::sqrt(std::numeric_limits<Real>::epsilon() / 2)),
        engine_(make_ldlt_engine<FactorScalar>(space, state.plan, state.options.right_hand_sides)),
        factorizations_(state.plan->kind() == EngineKind::OfSpace),
        solves_(state.plan->kind() == EngineKind::OfSpace) {
    using Arrays = parallel::JoinedArrays<Space>;
    const auto rows = static_cast<std::size_t>(state.rows());
    const std::size_t shared = std::max(count(), rows * columns());
    memory_ = Arrays(space, "terrace::ldlt::numeric",
                     Arrays::template bytes<FactorScalar>(shared) + Arrays::template bytes<PivotRecord<Real>>(1) +
                         Arrays::template bytes<int>(columns()) + scaling_.bytes(rows));
    entries_ = memory_.template take<FactorScalar>(shared);
    vectors_ = parallel::Columns<FactorScalar, Space>(entries_, rows, columns());
    record_ = memory_.template take<PivotRecord<Real>>(1);
    if (is_single) cells_ = memory_.template take<int>(columns());
    scaling_.take(memory_, rows);
  }

  void factorize(const Space& space, const EntryView<Scalar, Offset>& entries) override {
    factorizations_(space, entries.values, [&] {
      scale_entries(space, scaling_, entries, entries_, record_);
      engine_->factorize(space, entries_, {threshold_, replace_, record_});
    });
  }

  void solve(const Space& space, const const_vectors& B, const vectors& X, LdltPart part, bool conjugate) override {
    for (std::size_t first = 0; first < B.columns; first += columns()) {
      const std::size_t some = std::min(columns(), B.columns - first);
      const Solve solve{parallel::columns_of(B, first, some), parallel::columns_of(X, first, some), part, conjugate};
      solves_(space, solve, [&] { enqueue(space, solve); });
    }
  }

  void read_record(const Space& space, LdltInfo& info) const override {
    PivotRecord<Real> record;
    copy_to_host(space, parallel::Numbers<PivotRecord<Real>>{record_, 1}, &record, "terrace::LdltFactor::info");
    const auto row = [&](int found) {
      return found == state_.rows() ? std::nullopt : std::optional<std::int64_t>(found);
    };
    info.first_zero_pivot = row(record.first_zero);
    info.first_tiny_pivot = row(record.first_tiny);
    info.first_nonfinite_row = row(record.first_nonfinite);
    info.replaced_pivots = record.replaced;
    info.smallest_pivot = static_cast<double>(record.smallest_pivot);
    info.largest_pivot = static_cast<double>(record.largest_pivot);
    info.largest_entry = static_cast<double>(record.largest_entry);
    info.growth = static_cast<double>(record.growth);
  }

  std::size_t bytes_held() const override { return engine_->bytes_held() + memory_.bytes_held(); }

 private:
  struct Solve {
    const_vectors B;
    vectors X;
    LdltPart part;
    bool conjugate;
    bool operator==(const Solve&) const = default;
  };

  std::size_t count() const { return static_cast<std::size_t>(state_.info.matrix_entries); }
  std::size_t columns() const {
    return static_cast<std::size_t>(state_.plan->columns_at_once(state_.options.right_hand_sides));
  }

  void enqueue(const Space& space, const Solve& solve) {
    const auto& [B, X, part, conjugate] = solve;
    const bool scales_in = part == LdltPart::All || part == LdltPart::Forward;
    const bool scales_out = part == LdltPart::All || part == LdltPart::Backward;
    const parallel::RepeatableLoops<Space> loops(space);
    if (is_single) {
      loops.for_each("terrace::ldlt::forget_columns", static_cast<int>(columns()), ForgetColumns{cells_});
      loops.for_each(
          "terrace::ldlt::note_columns", static_cast<int>(state_.rows()),
          NoteColumns<Scalar, Space>{B, state_.original.data(), scales_in ? scaling_.exponents() : nullptr, cells_});
    }
    const auto Y = working_vectors(B.columns);
    const RowPairs<Space> pairs{state_.original.data(), state_.place.data(), state_.rows(), B.columns};
    loops.for_each("terrace::ldlt::gather_rows", pairs.pieces(),
                   GatherRows<Scalar, FactorScalar, Space>{B, Y, pairs, scales_in ? scaling_.exponents() : nullptr,
                                                           cells_, conjugate});
    engine_->solve(space, Y, part);
    loops.for_each("terrace::ldlt::scatter_rows", pairs.pieces(),
                   ScatterRows<Scalar, FactorScalar, Space>{Y, X, pairs, scales_out ? scaling_.exponents() : nullptr,
                                                            cells_, conjugate});
  }

  /// As the engine wants them.
  detail::MultiVector<FactorScalar, Space> working_vectors(std::size_t count) const {
    auto Y = parallel::columns_of(detail::MultiVector<FactorScalar, Space>(vectors_), 0, count);
    if (engine_->solves_by_rows()) {
      Y.row_stride = static_cast<std::ptrdiff_t>(count);
      Y.column_stride = 1;
    }
    return Y;
  }

  const State& state_;  // LdltFactor holds it too
  MatrixScaling<Space> scaling_;
  bool replace_;
  Real threshold_;
  LdltEnginePointer<FactorScalar, Space> engine_;   // first of what is large: when it fits, the rest does
  parallel::JoinedArrays<Space> memory_;            // of what follows, and of scaling
  FactorScalar* entries_ = nullptr;                 // of a factorization
  parallel::Columns<FactorScalar, Space> vectors_;  // of a solve, in the same memory
  PivotRecord<Real>* record_ = nullptr;
  int* cells_ = nullptr;  // exponents of the columns of right-hand sides, in single precision
  parallel::RepeatedWork<Space, const Scalar*> factorizations_;
  parallel::RepeatedWork<Space, Solve> solves_;
};

template <class Scalar, class Ordinal, class Offset, class Space>
std::unique_ptr<Numeric<Scalar, Offset, Space>> make_numeric(const Space& space,
                                                             const SymbolicState<Ordinal, Offset, Space>& state,
                                                             const LdltFactorOptions& options) {
  using Single = parallel::SingleOf<Scalar>;
  if constexpr (!std::is_same_v<Single, Scalar>)
    if (options.precision == FactorPrecision::Single)
      return std::make_unique<NumericIn<Scalar, Single, Ordinal, Offset, Space>>(space, state, options);
  return std::make_unique<NumericIn<Scalar, Scalar, Ordinal, Offset, Space>>(space, state, options);
}

}  // namespace terrace::ldlt

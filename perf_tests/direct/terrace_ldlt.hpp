// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Terrace's direct factorization as a method.
#pragma once

#include <terrace/terrace.hpp>

#include "common/median.hpp"
#include "direct/direct_problem.hpp"
#include "harness/upload.hpp"

namespace terrace::perf {

#if defined(TERRACE_PERF_COMPLEX)
inline constexpr bool has_complex_scalars = true;
#else
inline constexpr bool has_complex_scalars = false;
#endif

template <class Number>
struct ScalarOf {
  using type = Number;
};
template <class Part>
struct ScalarOf<std::complex<Part>> {
  using type = Kokkos::complex<Part>;
};

struct LdltSettings {
  LdltSymbolicOptions symbolic;
  FactorPrecision precision = FactorPrecision::Same;
  std::optional<Scaling> scaling;  ///< none: Equilibrate for stored matrices
};

/// A pattern on the device.
template <class Space>
struct PatternOn {
  using Indices = Kokkos::View<const int*, DeviceOf<Space>>;
  template <class Number>
  explicit PatternOn(const SymmetricRows<Number>& A)
      : row_map(upload<Space>(A.row_map)), entries(upload<Space>(A.entries)) {}
  Indices row_map, entries;
};

/// By METIS, without the zeros of amalgamation.
template <class Space, class Number>
FactorCounts count_by_nested_dissection(const SymmetricRows<Number>& A) {
  const PatternOn<Space> pattern(A);
  const LdltSymbolic<int, int, Space> symbolic(Space(), pattern.row_map, pattern.entries,
                                               {.ordering = Ordering::NestedDissection});
  return {static_cast<double>(symbolic.info().factor_entries), symbolic.info().operations};
}

template <class Space, class Number>
class TerraceLdlt final : public Method {
  using Scalar = typename ScalarOf<Number>::type;
  using Vectors = Kokkos::View<Scalar**, Kokkos::LayoutLeft, DeviceOf<Space>>;
  using Values = Kokkos::View<Scalar*, DeviceOf<Space>>;

 public:
  TerraceLdlt(const DirectProblem<Number>& problem, const LdltSettings& settings)
      : problem_(problem), settings_(settings), pattern_(problem.A()), values_("values", problem.A().nnz()) {
    copy(problem.A().values.data(), values_);
  }

  void prepare(Phase phase) override {
    if (phase == Phase::Analysis || phase == Phase::Factorize) factor_.reset();
    if (phase == Phase::Analysis) symbolic_.reset();
    if (const int columns = columns_of_solve(phase); columns > 0) {
      make_columns(columns);
      Kokkos::deep_copy(x_, Scalar(0));
    }
    wait();
  }

  void run(Phase phase, int) override {
    switch (phase) {
      case Phase::Analysis: return analyze();
      case Phase::Factorize: factor_.emplace(space_, *symbolic_, values_, options()); return check_factor();
      case Phase::Numeric: return factor_->refactorize(space_, values_);
      case Phase::Refine: return refine();
      default: factor_->solve(space_, b_, x_);
    }
  }

  void wait() override { space_.fence("terrace::perf::TerraceLdlt"); }

  std::vector<double> result(Phase phase) override {
    if (columns_of_solve(phase) == 0) return {};
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x_);
    return flatten_checked(reinterpret_cast<const Number*>(host.data()), host.extent(0),
                           static_cast<int>(host.extent(1)));
  }

  Facts facts() const override {
    Facts facts = facts_;
    facts.counters["ordering_s"] = common::median(ordering_seconds_);
    return facts;
  }

 private:
  LdltFactorOptions options() const {
    const Scaling usual = problem_.A().is_stored ? Scaling::Equilibrate : Scaling::None;
    return {.scaling = settings_.scaling.value_or(usual), .precision = settings_.precision};
  }

  void analyze() {
    symbolic_.emplace(space_, pattern_.row_map, pattern_.entries, settings_.symbolic);
    const LdltSymbolicInfo& info = symbolic_->info();
    if (settings_.symbolic.algorithm == LdltAlgorithm::Columns && info.algorithm != LdltAlgorithm::Columns)
      throw LeftOut("this build has no factorization by columns");
    ordering_seconds_.push_back(info.ordering_seconds);
    const double of_eight_bytes = settings_.precision == FactorPrecision::Single ? sizeof(Scalar) / 2 : sizeof(Scalar);
    facts_.label = std::string(to_string(info.ordering)) + ": " + info.ordering_reason + "; " +
                   to_string(info.algorithm) + ": " + info.algorithm_reason;
    facts_.counters["method_factor_entries"] = static_cast<double>(info.factor_entries);
    facts_.counters["method_stored_entries"] = static_cast<double>(info.stored_entries);
    facts_.counters["method_operations"] = info.operations;
    facts_.counters["method_stored_operations"] = info.stored_operations;
    facts_.counters["fronts"] = static_cast<double>(info.fronts);
    facts_.counters["largest_front"] = static_cast<double>(info.largest_front);
    facts_.counters["peak_bytes"] = static_cast<double>(info.bytes_held) +
                                    static_cast<double>(info.peak_bytes - info.bytes_held) * of_eight_bytes / 8.0;
  }

  void check_factor() {
    const LdltInfo info = factor_->info();
    if (!info.succeeded()) throw std::runtime_error("the factor is of no use");
    facts_.bytes_held = static_cast<double>(factor_->bytes_held() + symbolic_->info().bytes_held);
    facts_.counters["replaced_pivots"] = static_cast<double>(info.replaced_pivots);
    facts_.counters["growth"] = info.growth;
  }

  void refine() {
    const RefinementResult refined = factor_->refine(space_, b_, x_);
    facts_.counters["refinement_steps"] = refined.columns.front().steps;
  }

  void make_columns(int columns) {
    if (static_cast<int>(b_.extent(1)) == columns) return;
    b_ = x_ = {};
    const auto n = static_cast<std::size_t>(problem_.A().n);
    b_ = Vectors(Kokkos::view_alloc("b", Kokkos::WithoutInitializing), n, columns);
    x_ = Vectors("x", n, columns);
    copy(problem_.B().data(), b_);
  }

  template <class View>
  static void copy(const Number* from, const View& to) {
    using OnHost = Kokkos::View<typename View::const_data_type, Kokkos::LayoutLeft, Kokkos::HostSpace,
                                Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    const auto* numbers = reinterpret_cast<const Scalar*>(from);
    if constexpr (View::rank == 1) Kokkos::deep_copy(to, OnHost(numbers, to.extent(0)));
    else Kokkos::deep_copy(to, OnHost(numbers, to.extent(0), to.extent(1)));
  }

  Space space_;
  const DirectProblem<Number>& problem_;
  LdltSettings settings_;
  PatternOn<Space> pattern_;
  Values values_;
  std::optional<LdltSymbolic<int, int, Space>> symbolic_;
  std::optional<LdltFactor<Scalar, int, int, Space>> factor_;
  Vectors b_, x_;
  std::vector<double> ordering_seconds_;
  Facts facts_;
};

}  // namespace terrace::perf

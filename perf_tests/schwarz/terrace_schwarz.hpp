// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Terrace's Schwarz preconditioner, and GMRES(20) with it, as a method.
#pragma once

#include <terrace/terrace.hpp>

#include "harness/upload.hpp"
#include "schwarz/schwarz_problem.hpp"

namespace terrace::perf {

/// to(k) = factor * from(k)
template <class From, class To>
struct ScaleNumbers {
  From from;
  double factor;
  To to;
  KOKKOS_FUNCTION void operator()(int k) const { to(k) = factor * from(k); }
};

/// The mean of the columns, each divided by its factor: that of the first, if all are right. (It is larger where
/// columns have changed their places.)
template <class Vectors, class Vector>
struct MeanOfColumns {
  Vectors columns;
  Vector mean;
  KOKKOS_FUNCTION void operator()(int row) const {
    const int count = columns.extent_int(1);
    double sum = 0.0;
    for (int column = 0; column < count; ++column)
      sum += columns(row, column) / (1.0 + column * SchwarzProblem::column_step);
    mean(row) = sum / count;
  }
};

template <class Space>
class TerraceSchwarz final : public Method {
  using Vectors = Kokkos::View<double**, Kokkos::LayoutLeft, DeviceOf<Space>>;
  using Vector = Kokkos::View<double*, DeviceOf<Space>>;

 public:
  /// `op` is what is applied.
  TerraceSchwarz(const SchwarzProblem& problem, FactorPrecision precision, SchwarzAlgorithm algorithm, Op op)
      : problem_(problem),
        op_(op),
        options_{.factor_precision = precision, .algorithm = algorithm},
        A_(Space(), upload_matrix<Space>(problem.A())),
        other_values_("other_values", problem.A().nnz()),
        partition_(space_, upload<Space>(problem.settings().block_numbers), problem.settings().blocks) {
    const BlockKind& kind = problem.settings().kind;
    const bool prepare_transpose = op != Op::None;
    if (kind.is_ilut())
      options_.blocks =
          IlutOptions{.fill = kind.fill, .drop_tolerance = kind.drop_tolerance, .prepare_transpose = prepare_transpose};
    else options_.blocks = IluBlocks{{}, {.prepare_transpose = prepare_transpose}};
    scale(A_.matrix().values, 2.0, other_values_);
    wait();
  }

  void prepare(Phase phase) override {
    if (phase == Phase::Subdomains) {
      factor_.reset();
      subdomains_.reset();
    } else if (phase == Phase::Factorize) factor_.reset();
    else make_factor(columns_of(phase));
    if (phase == Phase::Apply && facts_.label.empty()) note_facts();
    if (phase == Phase::Numeric) factor_->refactorize(space_, other_values_);
    else if (phase != Phase::Subdomains && phase != Phase::Factorize && r_.extent_int(1) != columns_of(phase))
      make_columns(columns_of(phase));
  }

  void run(Phase phase, int steps) override {
    switch (phase) {
      case Phase::Subdomains: return find_subdomains();
      case Phase::Factorize: return factorize(1);
      case Phase::Numeric: return factor_->refactorize(space_, A_.matrix().values);
      case Phase::Gmres: return iterate(steps, 0.0);
      case Phase::Solve: return iterate(gmres_max_steps, problem_.system().tolerance);
      default: factor_->apply(space_, r_, z_, op_);
    }
  }

  void wait() override { space_.fence("terrace::perf::TerraceSchwarz"); }

  std::vector<double> result(Phase phase) override {
    switch (phase) {
      case Phase::Apply:
      case Phase::ApplyEight:
      case Phase::ApplyThirtyTwo: return download(mean_of_columns());
      case Phase::Gmres:
      case Phase::Solve: return {result_.recursive_residual, result_.true_residual};
      default: return {};
    }
  }

  Facts facts() const override { return facts_; }

 private:
  Vector mean_of_columns() const {
    const Vector mean("mean", z_.extent(0));
    Kokkos::parallel_for("terrace::perf::mean_of_columns", Kokkos::RangePolicy<Space>(space_, 0, mean.extent_int(0)),
                         MeanOfColumns<Vectors, Vector>{z_, mean});
    space_.fence("terrace::perf::mean_of_columns");
    return mean;
  }

  template <class From, class To>
  void scale(const From& from, double factor, const To& to) const {
    Kokkos::parallel_for("terrace::perf::scale", Kokkos::RangePolicy<Space>(space_, 0, to.extent_int(0)),
                         ScaleNumbers<From, To>{from, factor, to});
  }

  void find_subdomains() {
    subdomains_.emplace(space_, A_.matrix(), partition_, SubdomainOptions{.overlap = problem_.settings().overlap});
  }

  void factorize(int columns) {
    options_.right_hand_sides = columns;
    factor_.emplace(space_, *subdomains_, A_.matrix().values, options_);
  }

  void make_factor(int columns) {
    if (factor_ && factor_->options().right_hand_sides == columns) return;
    factor_.reset();
    if (!subdomains_) find_subdomains();
    factorize(columns);
  }

  void note_facts() {
    const SchwarzInfo info = factor_->info();
    if (!info.succeeded()) throw std::runtime_error("a block has a bad pivot");
    facts_.label = std::string(to_string(info.algorithm)) + ": " + info.reason;
    facts_.bytes_held = static_cast<double>(factor_->bytes_held());
    facts_.counters["method_levels"] = static_cast<double>(info.levels);
    facts_.counters["method_factor_entries"] = static_cast<double>(info.factor_entries);
  }

  void make_columns(int columns) {
    r_ = z_ = {};
    const auto n = static_cast<std::size_t>(problem_.A().n);
    const auto one = upload<Space>(problem_.r());
    r_ = Vectors("r", n, columns);
    z_ = Vectors("z", n, columns);
    for (int column = 0; column < columns; ++column)
      scale(one, 1.0 + column * SchwarzProblem::column_step, Kokkos::subview(r_, Kokkos::ALL, column));
    wait();
  }

  /// From x = 0; looks at the residual once a cycle.
  void iterate(int steps, double tolerance) {
    if (b_.extent(0) == 0) {
      b_ = upload<Space>(problem_.system().b);
      x_ = Vector("x", b_.extent(0));
    }
    auto solver = solvers_.find(steps);
    if (solver == solvers_.end())
      solver = solvers_
                   .try_emplace(steps, space_, b_.extent(0),
                                KrylovOptions{.method = KrylovMethod::Gmres,
                                              .tolerance = tolerance,
                                              .max_iterations = steps,
                                              .restart = gmres_restart,
                                              .check_every = gmres_restart})
                   .first;
    Kokkos::deep_copy(space_, x_, 0.0);
    result_ = solver->second.solve(space_, A_, b_, x_, *factor_);
    if (tolerance == 0.0 && result_.iterations != steps) throw std::runtime_error("the iteration ended early");
    facts_.counters["steps"] = result_.iterations;
    facts_.counters["cycles"] = std::ceil(result_.iterations / double(gmres_restart));
  }

  Space space_;
  const SchwarzProblem& problem_;
  Op op_;
  SchwarzOptions options_;
  CrsOperator<double, int, int, Space> A_;
  Vector other_values_;
  Partition<int, Space> partition_;
  std::optional<Subdomains<int, int, Space>> subdomains_;
  std::optional<SchwarzFactor<double, int, int, Space>> factor_;
  Vectors r_, z_;
  Vector b_, x_;
  std::map<int, KrylovSolver<double, Space>> solvers_;  ///< by their steps, so that no sample allocates
  KrylovResult result_;
  Facts facts_;
};

}  // namespace terrace::perf

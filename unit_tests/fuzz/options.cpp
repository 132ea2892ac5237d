// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/options.hpp"

#include <numeric>
#include <terrace/names.hpp>

namespace terrace::fuzz {
namespace {

PivotOptions draw_pivots(Draw& draw, bool may_be_invalid) {
  PivotOptions pivots;
  pivots.policy = draw.chance(0.5) ? PivotPolicy::Report : draw.pick({PivotPolicy::Replace, PivotPolicy::Shift});
  if (draw.chance(0.2)) pivots.threshold = draw.pick({1e-12, 1e-6, 1e-2, 0.5});
  if (draw.chance(0.2)) pivots.first_shift = draw.pick({1e-6, 0.1, 10.0});
  if (draw.chance(0.2)) pivots.max_attempts = draw.between(1, 30);
  if (may_be_invalid && draw.chance(0.02)) pivots.threshold = draw.pick({-1.0, 1.0, 7.0});
  draw.note(to_string(pivots.policy), " threshold=", pivots.threshold);
  return pivots;
}

bool is_valid(const PivotOptions& pivots) { return pivots.threshold >= 0 && pivots.threshold < 1; }

int draw_right_hand_sides(Draw& draw) {
  const int number = draw.chance(0.6) ? 1 : draw.between(2, 20);
  draw.note("rhs=", number);
  return number;
}

bool draw_prepare_transpose(Draw& draw) {
  const bool prepares = draw.chance(0.3);
  if (prepares) draw.note("prepare-transpose");
  return prepares;
}

std::vector<int> draw_permutation(Draw& draw, int n) {
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  for (int k = n - 1; k > 0; --k) std::swap(order[k], order[draw.below(k + 1)]);
  return order;
}

int draw_rows_per_task(Draw& draw) {
  const int rows = draw.chance(0.6) ? 0 : draw.pick({1, 2, 7, 64, 1 << 20});
  if (rows > 0) draw.note("rows-per-task=", rows);
  return rows;
}

}  // namespace

Op draw_op(Draw& draw) {
  const Op op = draw.pick({Op::None, Op::None, Op::Transpose, Op::ConjugateTranspose});
  draw.note(to_string(op));
  return op;
}

Ordering draw_ordering(Draw& draw, int n, const Offers& offers, std::vector<int>& permutation) {
  Ordering ordering = Ordering::Natural;
  if (draw.chance(0.6))
    ordering = draw.pick({Ordering::ReverseCuthillMckee, Ordering::NestedDissection, Ordering::Multicolor,
                          Ordering::ApproximateMinimumDegree, Ordering::Automatic, Ordering::Given});
  if (ordering == Ordering::NestedDissection && !offers.nested_dissection) ordering = Ordering::Automatic;
  if (ordering == Ordering::ApproximateMinimumDegree && !offers.minimum_degree) ordering = Ordering::Automatic;
  if (ordering == Ordering::Given) permutation = draw_permutation(draw, n);
  draw.note(to_string(ordering));
  return ordering;
}

TriangularOptions draw_triangular_options(Draw& draw) {
  TriangularOptions options;
  options.uplo = draw.pick({Uplo::Lower, Uplo::Upper});
  options.diag = draw.chance(0.7) ? Diag::NonUnit : Diag::Unit;
  options.stored = draw.pick({Stored::Triangle, Stored::Full});
  options.format = draw.chance(0.6) ? Format::Csr : Format::Csc;
  options.algorithm = draw.chance(0.3)
                          ? Algorithm::Automatic
                          : draw.pick({Algorithm::Sequential, Algorithm::LevelScheduled, Algorithm::SyncFreeRows,
                                       Algorithm::SyncFreeColumns, Algorithm::Blocked});
  options.reuse = draw.chance(0.7) ? Reuse::Many : Reuse::Once;
  options.storage = draw.chance(0.6) ? Storage::Automatic : draw.pick({Storage::Crs, Storage::Hec});
  draw.note(to_string(options.uplo), ' ', to_string(options.diag), ' ', to_string(options.stored), ' ',
            to_string(options.format), ' ', to_string(options.algorithm), ' ', to_string(options.reuse), ' ',
            "storage=", to_string(options.storage));
  options.op = draw_op(draw);
  options.prepare_transpose = draw_prepare_transpose(draw);
  options.deterministic = draw.chance(0.3);
  if (options.deterministic) draw.note("deterministic");
  options.right_hand_sides = draw_right_hand_sides(draw);
  options.rows_per_task = draw_rows_per_task(draw);
  options.check_structure = draw.chance(0.8);
  if (!options.check_structure) draw.note("unchecked");
  return options;
}

bool is_valid(const TriangularOptions& options, const Offers& offers) {
  const bool has_levels = options.algorithm == Algorithm::Automatic || options.algorithm == Algorithm::LevelScheduled;
  if (options.deterministic && options.algorithm == Algorithm::SyncFreeColumns) return false;
  if (options.storage == Storage::Hec && (!has_levels || options.rows_per_task > 1)) return false;
  if (options.algorithm == Algorithm::Blocked) return offers.blocked && options.storage != Storage::Crs;
  return true;
}

IluSymbolicOptions draw_ilu_symbolic_options(Draw& draw, int n, const Offers& offers) {
  IluSymbolicOptions options;
  options.factorization =
      draw.pick({Factorization::Lu, Factorization::Lu, Factorization::Cholesky, Factorization::HermitianCholesky});
  options.fill_level = draw.chance(0.5) ? 0 : draw.pick({1, 1, 2, 3, n});
  if (options.fill_level > 3 && n > 200) options.fill_level = 1;
  options.uplo = draw.pick({Uplo::Lower, Uplo::Upper});
  options.insert_missing_diagonal = draw.chance(0.5);
  options.algorithm = draw.chance(0.4) ? Algorithm::Automatic
                                       : draw.pick({Algorithm::Sequential, Algorithm::LevelScheduled,
                                                    Algorithm::SyncFreeRows, Algorithm::SyncFreeRows});
  if (draw.chance(0.02)) options.algorithm = draw.pick({Algorithm::SyncFreeColumns, Algorithm::Blocked});
  draw.note(to_string(options.factorization), " fill=", options.fill_level, ' ', to_string(options.uplo), ' ',
            to_string(options.algorithm));
  if (options.insert_missing_diagonal) draw.note("inserts-diagonals");
  options.ordering = draw_ordering(draw, n, offers, options.permutation);
  options.rows_per_task = draw_rows_per_task(draw);
  options.check_structure = draw.chance(0.8);
  return options;
}

bool is_valid(const IluSymbolicOptions& options) {
  return options.algorithm != Algorithm::SyncFreeColumns && options.algorithm != Algorithm::Blocked;
}

IluFactorOptions draw_ilu_factor_options(Draw& draw) {
  IluFactorOptions options;
  options.relaxation = draw.chance(0.6) ? 0.0 : draw.pick({1.0, 0.5, 0.97});
  if (draw.chance(0.02)) options.relaxation = draw.pick({-0.5, 1.5});
  options.scaling = draw.chance(0.6) ? Scaling::None : Scaling::Diagonal;
  draw.note("relaxation=", options.relaxation, ' ', "scaling=", to_string(options.scaling));
  options.pivots = draw_pivots(draw, true);
  options.right_hand_sides = draw_right_hand_sides(draw);
  options.prepare_transpose = draw_prepare_transpose(draw);
  return options;
}

bool is_valid(const IluFactorOptions& options) {
  return options.relaxation >= 0 && options.relaxation <= 1 && is_valid(options.pivots);
}

IlutOptions draw_ilut_options(Draw& draw, int n, const Offers& offers) {
  IlutOptions options;
  options.factorization =
      draw.pick({Factorization::Lu, Factorization::Lu, Factorization::Cholesky, Factorization::HermitianCholesky});
  options.fill = draw.chance(0.4) ? n : draw.pick({0, 1, 3, 10, 40});
  options.drop_tolerance = draw.pick({0.0, 1e-6, 1e-3, 0.05, 0.9});
  if (n > 600 && options.fill >= n) options.drop_tolerance = 0.05;
  if (draw.chance(0.02)) options.fill = -1;
  options.uplo = draw.pick({Uplo::Lower, Uplo::Upper});
  options.insert_missing_diagonal = draw.chance(0.5);
  draw.note(to_string(options.factorization), " fill=", options.fill, " tau=", options.drop_tolerance, ' ',
            to_string(options.uplo));
  if (options.insert_missing_diagonal) draw.note("inserts-diagonals");
  options.pivots = draw_pivots(draw, true);
  options.check_structure = draw.chance(0.8);
  options.ordering = draw_ordering(draw, n, offers, options.permutation);
  options.scaling = draw.chance(0.6) ? Scaling::None : Scaling::Diagonal;
  draw.note("scaling=", to_string(options.scaling));
  options.right_hand_sides = draw_right_hand_sides(draw);
  options.prepare_transpose = draw_prepare_transpose(draw);
  return options;
}

bool is_valid(const IlutOptions& options) { return options.fill >= 0 && is_valid(options.pivots); }

KrylovOptions draw_krylov_options(Draw& draw) {
  KrylovOptions options;
  options.method = draw.pick(
      {KrylovMethod::ConjugateGradient, KrylovMethod::BiCGStab, KrylovMethod::Gmres, KrylovMethod::FlexibleGmres});
  options.side = draw.pick({PreconditionerSide::Left, PreconditionerSide::Right});
  options.tolerance = draw.pick({1e-2, 1e-4, 1e-8, 1e-14, 0.0});
  options.max_iterations = draw.chance(0.1) ? draw.between(0, 3) : draw.between(4, 200);
  options.restart = draw.pick({1, 2, 5, 30, 60});
  options.check_every = draw.chance(0.5) ? 1 : draw.pick({2, 7, 50, 5000});
  options.stagnation_window = draw.chance(0.8) ? 500 : draw.pick({1, 10});
  options.time_phases = draw.chance(0.1);
  options.replay = draw.chance(0.3);
  draw.note(to_string(options.method), ' ', to_string(options.side), " tolerance=", options.tolerance,
            " most=", options.max_iterations, " restart=", options.restart, " every=", options.check_every);
  return options;
}

LdltSymbolicOptions draw_ldlt_symbolic_options(Draw& draw, int n, const Offers& offers) {
  LdltSymbolicOptions options;
  options.uplo = draw.pick({Uplo::Lower, Uplo::Upper});
  options.ordering = draw_ordering(draw, n, offers, options.permutation);
  options.analysis_threads = draw.chance(0.8) ? 0 : draw.between(1, 3);
  options.amalgamation = draw.pick({1.0, 1.0, 0.0, 5.0, 1000.0});
  options.algorithm = draw.pick({LdltAlgorithm::Automatic, LdltAlgorithm::Multifrontal, LdltAlgorithm::Columns});
  options.right_hand_sides = draw_right_hand_sides(draw);
  options.check_structure = draw.chance(0.8);
  draw.note(to_string(options.uplo), ' ', to_string(options.algorithm), " amalgamation=", options.amalgamation);
  return options;
}

LdltFactorOptions draw_ldlt_factor_options(Draw& draw) {
  LdltFactorOptions options;
  options.scaling = draw.pick({Scaling::None, Scaling::Diagonal, Scaling::Equilibrate});
  options.pivots = draw_pivots(draw, true);
  if (options.pivots.policy == PivotPolicy::Shift && draw.chance(0.9)) options.pivots.policy = PivotPolicy::Replace;
  options.precision = draw.chance(0.7) ? FactorPrecision::Same : FactorPrecision::Single;
  options.refinement_steps = draw.chance(0.7) ? 0 : draw.between(1, 3);
  draw.note("scaling=", to_string(options.scaling), ' ', to_string(options.precision),
            " steps=", options.refinement_steps);
  return options;
}

bool is_valid(const LdltFactorOptions& options) {
  return options.pivots.policy != PivotPolicy::Shift && is_valid(options.pivots);
}

StructuredFactorOptions draw_structured_options(Draw& draw) {
  StructuredFactorOptions options;
  options.relaxation = draw.pick({0.0, 1.0, 0.5, 0.97});
  options.algorithm = draw.pick(
      {SweepAlgorithm::Automatic, SweepAlgorithm::Sequential, SweepAlgorithm::Pipelined, SweepAlgorithm::Wavefronts});
  if (draw.chance(0.3)) options.pivots.policy = PivotPolicy::Report;
  if (draw.chance(0.03)) options.pivots.policy = PivotPolicy::Replace;
  options.right_hand_sides = draw_right_hand_sides(draw);
  draw.note("relaxation=", options.relaxation, ' ', to_string(options.algorithm), ' ',
            to_string(options.pivots.policy));
  return options;
}

bool is_valid(const StructuredFactorOptions& options, const Offers& offers) {
  if (options.algorithm == SweepAlgorithm::Sequential && !offers.sequential_sweeps) return false;
  return options.pivots.policy != PivotPolicy::Replace;
}

}  // namespace terrace::fuzz

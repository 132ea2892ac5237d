// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Iterative refinement: x += A^-1 (b - A x) until the componentwise backward error is small or falls no more (Arioli,
// Demmel, Duff, "Solving sparse linear systems with sparse backward error", SIAM J. Matrix Anal. Appl. 10, 1989,
// section 4), and then GMRES preconditioned by the factor for the correction (Carson and Higham, "Accelerating the
// solution of linear systems by iterative refinement in three precisions", SIAM J. Sci. Comput. 40, 2018).
#pragma once

#include <cmath>
#include <limits>
#include <terrace/krylov_solver.hpp>

#include "algorithms/ldlt/residual.hpp"
#include "parallel/joined_arrays.hpp"
#include "parallel/loops.hpp"
#include "solvers/ldlt_numeric.hpp"

namespace terrace::ldlt {

inline void check_refinement_options(const RefinementOptions& options) {
  if (options.max_steps < 0) throw Error(ErrorCode::InvalidOption, "max_steps must not be negative");
  if (!(options.tolerance >= 0)) throw Error(ErrorCode::InvalidOption, "tolerance must not be negative");
}

template <class Scalar, class Ordinal, class Offset, class Space>
class Refinement {
 public:
  using Factor = Numeric<Scalar, Offset, Space>;
  using Pattern = SymbolicState<Ordinal, Offset, Space>;
  using Values = Kokkos::View<const Scalar*, parallel::Device<Space>>;
  using Columns = parallel::Columns<Scalar, Space>;
  using const_vectors = detail::MultiVector<const Scalar, Space>;
  using vectors = detail::MultiVector<Scalar, Space>;

  /// For portions of so many columns. Waits for the space.
  Refinement(const Space& space, const Pattern& pattern, std::size_t columns) : whole_(&pattern.whole(space)) {
    using Memory = parallel::JoinedArrays<Space>;
    const auto rows = static_cast<std::size_t>(pattern.rows());
    const auto parts = static_cast<std::size_t>(whole_->long_rows.view().parts);
    const std::size_t products = parts * std::min(columns, columns_at_once);
    memory_ = Memory(space, "terrace::ldlt::refinement",
                     2 * Memory::template bytes<Scalar>(rows * columns) +
                         Memory::template bytes<ProductSum<Scalar>>(products) +
                         Memory::template bytes<ErrorSum<Scalar>>(parts));
    residual_ = Columns(memory_.template take<Scalar>(rows * columns), rows, columns);
    other_ = Columns(memory_.template take<Scalar>(rows * columns), rows, columns);
    products_ = memory_.template take<ProductSum<Scalar>>(products);
    errors_ = memory_.template take<ErrorSum<Scalar>>(parts);
  }

  /// X = A^-1 B and so many steps, enqueued; X may be B.
  void solve(const Space& space, Factor& factor, const Pattern& pattern, const Values& values, const const_vectors& B,
             const vectors& X, int steps, bool conjugate) {
    auto A = matrix(values);
    A.conjugate = conjugate;
    for_portions(B, X, [&](const const_vectors& b, const vectors& x, const vectors& r, const vectors& copy) {
      each_row(space, "terrace::ldlt::copy_columns", pattern, CopyColumns<Scalar, Space>{b, copy});
      factor.solve(space, copy, x, LdltPart::All, conjugate);
      for (int step = 0; step < steps; ++step) {
        find_residual(space, A, copy, x, r);
        factor.solve(space, r, r, LdltPart::All, conjugate);
        each_row(space, "terrace::ldlt::add_correction", pattern, AddColumns<Scalar, Space>{x, r, x});
      }
    });
  }

  /// Waits for the space.
  RefinementResult refine(const Space& space, Factor& factor, const Pattern& pattern, const Values& values,
                          const const_vectors& B, const vectors& X, const RefinementOptions& options) {
    const Context at{*this,
                     space,
                     factor,
                     pattern,
                     matrix(values),
                     options,
                     options.tolerance > 0 ? options.tolerance
                                           : 2 * static_cast<double>(std::numeric_limits<RealOf<Scalar>>::epsilon())};
    RefinementResult result;
    for_portions(B, X, [&](const const_vectors& b, const vectors& x, const vectors& r, const vectors& tried) {
      const std::size_t first = result.columns.size();
      result.columns.resize(first + b.columns);
      refine_portion(at, b, x, r, tried, result.columns.data() + first);
    });
    return result;
  }

  std::size_t bytes_held() const { return memory_.bytes_held(); }

  /// Gives the memory back without waiting: only `space` has used it, and nothing will from now on.
  void free_on(const Space& space) noexcept { memory_.free_on(space); }

 private:
  using Matrix = SymmetricRows<Scalar, Offset>;
  static constexpr std::size_t columns_at_once = 8;  // in parts of long rows

  struct Context {
    const Refinement& refinement;
    const Space& space;
    Factor& factor;
    const Pattern& pattern;
    Matrix A;
    const RefinementOptions& options;
    double tolerance;
  };

  Matrix matrix(const Values& values) const {
    return {whole_->row_map.data(), whole_->columns.data(), whole_->source.data(), values.data(),
            whole_->long_rows.view()};
  }

  template <class Functor>
  static void each_row(const Space& space, const char* label, const Pattern& pattern, const Functor& functor) {
    parallel::for_range(label, Kokkos::RangePolicy<Space>(space, 0, pattern.rows()), functor);
  }

  template <class Work>
  void for_portions(const const_vectors& B, const vectors& X, const Work& work) {
    for (std::size_t first = 0; first < B.columns; first += residual_.extent(1)) {
      const std::size_t some = std::min(residual_.extent(1), B.columns - first);
      work(parallel::columns_of(B, first, some), parallel::columns_of(X, first, some),
           parallel::columns_of(vectors(residual_), 0, some), parallel::columns_of(vectors(other_), 0, some));
    }
  }

  int rows() const { return static_cast<int>(residual_.extent(0)); }

  /// What the rows of A add up to with X, once the parts of long ones are summed up in the memory that is given.
  template <class Sum>
  RowSums<Sum, Scalar, Offset, Space> sum_rows(const Space& space, const Matrix& A, const const_vectors& X,
                                               Sum* of_parts) const {
    const auto items = static_cast<std::int64_t>(A.long_rows.parts) * static_cast<std::int64_t>(X.columns);
    if (items > 0)
      parallel::for_range("terrace::ldlt::sum_parts", Kokkos::RangePolicy<Space>(space, 0, items),
                          SumParts<Sum, Scalar, Offset, Space>{A, X, of_parts});
    return {A, X, of_parts, rows()};
  }

  template <class Functor>
  void for_items(const Space& space, const char* label, const Matrix& A, const Functor& functor) const {
    parallel::for_range(label, Kokkos::RangePolicy<Space>(space, 0, A.long_rows.items(rows())), functor);
  }

  /// R = B - A X. R may not be B or X.
  void find_residual(const Space& space, const Matrix& A, const const_vectors& B, const const_vectors& X,
                     const vectors& R) const {
    const std::size_t most = A.long_rows.parts > 0 ? columns_at_once : B.columns;
    for (std::size_t first = 0; first < B.columns; first += most) {
      const std::size_t some = std::min(most, B.columns - first);
      const auto sums = sum_rows(space, A, parallel::columns_of(X, first, some), products_);
      for_items(space, "terrace::ldlt::residual", A,
                Residual<Scalar, Offset, Space>{sums, parallel::columns_of(B, first, some),
                                                parallel::columns_of(R, first, some)});
    }
  }

  template <class Functor>
  static double largest_of(const Context& at, const char* label, int items, const Functor& functor) {
    double largest = 0;
    parallel::reduce_range(label, Kokkos::RangePolicy<Space>(at.space, 0, items), functor,
                           Kokkos::Max<double>(largest));
    return std::max(largest, 0.0);
  }

  /// NaN where x is not finite.
  static double backward_error(const Context& at, const const_vectors& b, const const_vectors& x, std::size_t column) {
    const auto b_column = parallel::columns_of(b, column, 1), x_column = parallel::columns_of(x, column, 1);
    const Refinement& refinement = at.refinement;
    BackwardError<Scalar, Offset, Space> error{refinement.sum_rows(at.space, at.A, x_column, refinement.errors_),
                                               b_column};
    const int items = at.A.long_rows.items(refinement.rows());
    double largest = largest_of(at, "terrace::ldlt::backward_error", items, error);
    if (!std::isfinite(largest)) return std::numeric_limits<double>::quiet_NaN();
    if (largest <= at.tolerance) return largest;
    const auto largest_entry = [&](const const_vectors& of) {
      return largest_of(at, "terrace::ldlt::largest", refinement.rows(), LargestOfColumn<Scalar, Space>{of, 0});
    };
    error.largest_b = largest_entry(b_column);
    error.largest_x = largest_entry(x_column);
    return largest_of(at, "terrace::ldlt::backward_error", items, error);
  }

  /// Takes x, or what was tried, as the better one; true when plain steps should go on.
  static bool judge(const Context& at, double error, RefinedColumn& column, bool& is_better) {
    ++column.steps;
    column.backward_errors.push_back(error);
    is_better = error < column.backward_error;
    const bool falls = error <= column.backward_error / 2;
    if (is_better) column.backward_error = error;
    return falls && column.backward_error > at.tolerance;
  }

  static void conclude(const Context& at, RefinedColumn& column) {
    if (std::isnan(column.backward_error)) column.reason = StopReason::NotFinite;
    else if (column.backward_error <= at.tolerance) column.reason = StopReason::Converged;
    else if (column.steps >= at.options.max_steps) column.reason = StopReason::IterationLimit;
    else column.reason = StopReason::Stagnation;
  }

  void refine_portion(const Context& at, const const_vectors& b, const vectors& x, const vectors& r,
                      const vectors& tried, RefinedColumn* columns) {
    at.factor.solve(at.space, b, x, LdltPart::All, false);
    std::vector<char> goes_on(b.columns);
    for (std::size_t c = 0; c < b.columns; ++c) {
      columns[c].backward_error = backward_error(at, b, x, c);
      columns[c].backward_errors.push_back(columns[c].backward_error);
      goes_on[c] = columns[c].backward_error > at.tolerance;
    }
    const auto any = [&] { return std::find(goes_on.begin(), goes_on.end(), 1) != goes_on.end(); };
    for (int step = 0; step < at.options.max_steps && any(); ++step) {
      take_step(at, b, x, r, tried);
      for (std::size_t c = 0; c < b.columns; ++c) {
        if (!goes_on[c]) continue;
        bool is_better = false;
        goes_on[c] = judge(at, backward_error(at, b, tried, c), columns[c], is_better);
        if (is_better) copy_column(at, tried, x, c);
      }
    }
    for (std::size_t c = 0; c < b.columns; ++c) {
      if (at.options.use_gmres) go_on_with_gmres(at, b, x, r, tried, c, columns[c]);
      conclude(at, columns[c]);
    }
  }

  /// tried = x + A^-1 (b - A x).
  static void take_step(const Context& at, const const_vectors& b, const vectors& x, const vectors& r,
                        const vectors& tried) {
    at.refinement.find_residual(at.space, at.A, b, x, r);
    at.factor.solve(at.space, r, r, LdltPart::All, false);
    each_row(at.space, "terrace::ldlt::add_correction", at.pattern, AddColumns<Scalar, Space>{x, r, tried});
  }

  static void copy_column(const Context& at, const vectors& from, const vectors& to, std::size_t c) {
    each_row(at.space, "terrace::ldlt::copy_column", at.pattern,
             CopyColumns<Scalar, Space>{parallel::columns_of(from, c, 1), parallel::columns_of(to, c, 1)});
  }

  /// A and its factor as KrylovSolver wants them.
  struct Product {
    const Context* at;
    template <class In, class Out>
    void apply(const Space& space, const In& x, const Out& y) const {
      const Refinement& refinement = at->refinement;
      refinement.for_items(space, "terrace::ldlt::multiply", at->A,
                           MultiplySymmetric<Scalar, Offset, Space>{
                               refinement.sum_rows(space, at->A, const_vectors(x), refinement.products_), vectors(y)});
    }
  };
  struct Preconditioner {
    const Context* at;
    template <class In, class Out>
    void apply(const Space& space, const In& x, const Out& y) const {
      at->factor.solve(space, const_vectors(x), vectors(y), LdltPart::All, false);
    }
  };

  /// Carson and Higham 2018 precondition from the left. What a factor in single precision makes of a vector is rounded
  /// by far more than the sums of GMRES are: only the flexible form, which keeps these vectors and lowers the residual
  /// of A itself, still converges where A is singular to the factor's precision.
  void go_on_with_gmres(const Context& at, const const_vectors& B, const vectors& X, const vectors& R,
                        const vectors& Tried, std::size_t c, RefinedColumn& column) {
    const auto left = [&] { return at.options.max_steps - column.steps; };
    if (!(column.backward_error > at.tolerance) || left() <= 0) return;
    const auto b = parallel::columns_of(B, c, 1);
    const auto x = parallel::columns_of(X, c, 1), r = parallel::columns_of(R, c, 1);
    const auto tried = parallel::columns_of(Tried, c, 1);
    const auto rows = static_cast<std::size_t>(at.pattern.rows());
    const auto correction = parallel::zeros<Scalar>(at.space, "terrace::ldlt::correction", rows);
    bool falls = true;
    while (falls && left() > 0) {
      KrylovSolver<Scalar, Space> gmres(
          at.space, rows,
          {.method = KrylovMethod::FlexibleGmres,
           .tolerance = std::sqrt(std::sqrt(std::numeric_limits<RealOf<Scalar>>::epsilon())),
           .max_iterations = left(),
           .restart = std::min(left(), 50)});
      at.refinement.find_residual(at.space, at.A, b, x, r);
      parallel::fill(at.space, correction, Scalar(0));
      const auto found = gmres.solve(at.space, LinearOperator<Scalar, Space>(Product{&at}),
                                     typename KrylovSolver<Scalar, Space>::input_type(r.data, rows), correction,
                                     LinearOperator<Scalar, Space>(Preconditioner{&at}));
      each_row(at.space, "terrace::ldlt::add_correction", at.pattern,
               AddColumns<Scalar, Space>{x, vectors(correction), tried});
      column.used_gmres = true;
      column.steps += std::max(found.iterations - 1, 0);  // judge counts one
      bool is_better = false;
      falls = judge(at, backward_error(at, b, tried, 0), column, is_better);
      if (is_better) each_row(at.space, "terrace::ldlt::copy_column", at.pattern, CopyColumns<Scalar, Space>{tried, x});
    }
  }

  const WholePattern<Offset, Space>* whole_;
  parallel::JoinedArrays<Space> memory_;  // of all that follow
  Columns residual_, other_;
  ProductSum<Scalar>* products_;  // of the parts of long rows
  ErrorSum<Scalar>* errors_;
};

}  // namespace terrace::ldlt

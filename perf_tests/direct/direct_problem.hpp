// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One symmetric matrix that is factorized, and right-hand sides that are solved for.
#pragma once

#include "common/harness/case.hpp"
#include "direct/symmetric_rows.hpp"

namespace terrace::perf {

/// So many right-hand sides has Phase::SolveMany.
inline constexpr int many_columns = 64;

/// Of many columns these are checked: 0, 9, 18, ..., 63.
inline constexpr int between_checked_columns = 9;

/// So many right-hand sides does a phase solve for; 0: none.
int columns_of_solve(Phase phase);

/// What nested dissection makes of the matrix: the same yardstick for methods of whatever order.
struct FactorCounts {
  double entries = 0.0;     ///< of L with its diagonal
  double operations = 0.0;  ///< additions and multiplications of a factorization, of the matrix's numbers
};

/// A method's result is its solution, of the columns that are checked, by flatten_checked. It is judged by its
/// componentwise backward error.
template <class Number>
class DirectProblem final : public Problem {
 public:
  DirectProblem(SymmetricRows<Number> A, FactorCounts counts);

  Counters counters() const override;

  /// The largest backward error of a column. Phase::Refine must reach the rounding unit nearly; from a factor in single
  /// precision, which may stagnate on ill-conditioned matrices, its root. Other solves are wrong where the error
  /// exceeds the root of the rounding unit of `algorithm`, "single" or that of the matrix.
  double check(const std::string& algorithm, Phase phase, const std::vector<double>& found) override;

  /// A factorization: its operations. A solve: L is read twice; with many columns the products too.
  Limit limit(Phase phase) const override;

  double bytes() const override;  ///< of the triangle

  const SymmetricRows<Number>& A() const { return A_; }
  const std::vector<Number>& B() const { return B_; }  ///< many columns, one after the other
  const FactorCounts& factor_counts() const { return counts_; }

 private:
  SymmetricRows<Number> A_;
  FactorCounts counts_;
  std::vector<Number> B_;
};

/// The columns of X (n x columns, one after the other) that are checked; of a complex number first the real part.
template <class Number>
std::vector<double> flatten_checked(const Number* X, std::size_t n, int columns) {
  std::vector<double> flat;
  for (int column = 0; column < columns; column += between_checked_columns)
    for (std::size_t i = 0; i < n; ++i) {
      const Number x = X[static_cast<std::size_t>(column) * n + i];
      if constexpr (is_complex<Number>) {
        flat.push_back(x.real());
        flat.push_back(x.imag());
      } else {
        flat.push_back(x);
      }
    }
  return flat;
}

/// Makes `Made<Number>` of the problem's kind of numbers; its constructor throws LeftOut where it cannot.
template <template <class> class Made, class... Arguments>
Entry::Make on_direct_problem(Arguments... arguments) {
  return [arguments...](Problem& problem) -> std::unique_ptr<Method> {
    if (const auto* of_real = dynamic_cast<const DirectProblem<Real>*>(&problem))
      return std::make_unique<Made<Real>>(*of_real, arguments...);
    return std::make_unique<Made<Complex>>(dynamic_cast<const DirectProblem<Complex>&>(problem), arguments...);
  };
}

/// What every direct solver has.
inline const std::vector<Phase> direct_phases{Phase::Analysis, Phase::Factorize, Phase::Numeric, Phase::Solve,
                                              Phase::SolveMany};

}  // namespace terrace::perf

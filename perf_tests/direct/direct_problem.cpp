// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "direct/direct_problem.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "common/backward_error.hpp"
#include "common/random.hpp"

namespace terrace::perf {
namespace {

template <class Number>
std::vector<Number> random_columns(std::size_t count) {
  common::Random random(2);
  const auto next = [&] { return static_cast<Real>(2.0 * random.uniform() - 1.0); };
  std::vector<Number> numbers(count);
  for (Number& number : numbers) {
    const Real part = next();
    if constexpr (is_complex<Number>) number = {part, next()};
    else number = part;
  }
  return numbers;
}

/// Of the algorithm's or the matrix's numbers.
double allowed_error(const std::string& algorithm, Phase phase) {
  const double unit = std::numeric_limits<Real>::epsilon();
  if (phase == Phase::Refine && algorithm != "single") return 32.0 * unit;
  if (phase == Phase::Refine) return std::sqrt(unit);
  return std::sqrt(algorithm == "single" ? double(std::numeric_limits<float>::epsilon()) : unit);
}

/// Real operations for one of Number.
template <class Number>
constexpr double real_operations = is_complex<Number> ? 4.0 : 1.0;

}  // namespace

int columns_of_solve(Phase phase) {
  if (phase == Phase::SolveMany) return many_columns;
  return phase == Phase::Solve || phase == Phase::Refine ? 1 : 0;
}

template <class Number>
DirectProblem<Number>::DirectProblem(SymmetricRows<Number> A, FactorCounts counts)
    : A_(std::move(A)), counts_(counts), B_(random_columns<Number>(static_cast<std::size_t>(A_.n) * many_columns)) {}

template <class Number>
Counters DirectProblem<Number>::counters() const {
  return {{"n", A_.n}, {"nnz", double(A_.nnz())}, {"factor_entries", counts_.entries}};
}

template <class Number>
double DirectProblem<Number>::check(const std::string& algorithm, Phase phase, const std::vector<double>& found) {
  using Wide = std::conditional_t<is_complex<Number>, std::complex<double>, double>;
  const auto n = static_cast<std::size_t>(A_.n);
  const std::size_t length = n * (is_complex<Number> ? 2 : 1);
  std::vector<Wide> x(n);
  double worst = 0.0;
  for (std::size_t first = 0, column = 0; first + length <= found.size(); first += length) {
    for (std::size_t i = 0; i < n; ++i) {
      if constexpr (is_complex<Number>) x[i] = {found[first + 2 * i], found[first + 2 * i + 1]};
      else x[i] = found[first + i];
    }
    const double error = common::backward_error(n, B_.data() + column * n, x.data(), [&](const auto& visit) {
      for (int row = 0; row < A_.n; ++row)
        for (int k = A_.row_map[row]; k < A_.row_map[row + 1]; ++k) {
          visit(row, A_.entries[k], Wide(A_.values[k]));
          if (A_.entries[k] != row) visit(A_.entries[k], row, Wide(A_.values[k]));
        }
    });
    if (!(error <= worst)) worst = error;
    column += between_checked_columns;
  }
  if (!(worst <= allowed_error(algorithm, phase))) {
    char text[64];
    std::snprintf(text, sizeof text, "the backward error is %.1e", worst);
    throw std::runtime_error(text);
  }
  return worst;
}

template <class Number>
Limit DirectProblem<Number>::limit(Phase phase) const {
  const double both_halves = 2.0 * counts_.entries, product = 2.0 * real_operations<Number>;
  const int columns = columns_of_solve(phase);
  if (columns > 0)
    return {.bytes = sizeof(Number) * (both_halves + 2.0 * columns * A_.n),
            .operations = columns == 1 ? 0.0 : product * both_halves * columns};
  if (phase == Phase::Factorize || phase == Phase::Numeric)
    return {.operations = real_operations<Number> * counts_.operations};
  return {};
}

template <class Number>
double DirectProblem<Number>::bytes() const {
  return double(A_.nnz()) * (sizeof(Number) + sizeof(int)) + (A_.n + 1.0) * sizeof(int);
}

template class DirectProblem<Real>;
template class DirectProblem<Complex>;

}  // namespace terrace::perf

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the suites about LdltFactor share: symmetric matrices written in every way in which the library takes them, and
// solves from host to host.
#pragma once

#include <terrace/ldlt.hpp>

#include "reference/differences.hpp"
#include "reference/symmetric_shapes.hpp"
#include "reference/up_looking_ldlt.hpp"
#include "support/device_triangle.hpp"
#include "support/every_ordering.hpp"

namespace terrace::test {

/// How much of a symmetric matrix is stored. What must not be read is NaN.
struct HalfOrFull {
  Uplo uplo = Uplo::Lower;
  bool full = false;
  bool sorted = true;
};

template <class Scalar>
reference::CompressedArrays<Scalar> write_symmetric(const reference::GeneralMatrix<Scalar>& matrix,
                                                    const HalfOrFull& storage = {}) {
  auto stored = matrix;
  const Scalar poison(std::numeric_limits<reference::Real<Scalar>>::quiet_NaN());
  for (int row = 0; row < matrix.size(); ++row) {
    const auto is_read = [&](int column) { return storage.uplo == Uplo::Lower ? column <= row : column >= row; };
    if (!storage.full) std::erase_if(stored.rows[row], [&](const auto& entry) { return !is_read(entry.first); });
    for (auto& [column, value] : stored.rows[row])
      if (!is_read(column)) value = poison;
  }
  return reference::compress(stored, storage.sorted);
}

template <class T>
class LdltFixture : public ::testing::Test {
 public:
  using Scalar = typename T::Scalar;
  using Real = reference::Real<Scalar>;
  using Space = typename T::Space;
  using Device = typename T::Device;
  using Matrix = reference::GeneralMatrix<Scalar>;
  using Numbers = std::vector<Scalar>;
  using Symbolic = LdltSymbolic<int, typename T::Offset, Space>;
  using Factor = LdltFactor<Scalar, int, typename T::Offset, Space>;
  using Vector = Kokkos::View<Scalar*, Device>;

  static constexpr bool is_complex = !std::is_floating_point_v<Scalar>;
  static constexpr bool is_double = std::is_same_v<Real, double>;
  static constexpr double unit = std::numeric_limits<Real>::epsilon();
  static constexpr double allowed = 1e-14 * unit / std::numeric_limits<double>::epsilon();

  /// A matrix in the memory of the space, as the options say.
  struct Case {
    Matrix matrix;
    DeviceArrays<T> arrays;

    explicit Case(Matrix of, const HalfOrFull& storage = {})
        : matrix(std::move(of)), arrays(write_symmetric(matrix, storage)) {}

    Symbolic symbolic(const LdltSymbolicOptions& options = {}) const {
      return Symbolic(Space(), arrays.row_map, arrays.entries, options);
    }
    Factor factor(const LdltSymbolicOptions& options = {}, const LdltFactorOptions& factor_options = {}) const {
      return Factor(Space(), symbolic(options), arrays.values, factor_options);
    }
    Numbers right_hand_side(unsigned seed = 5) const { return random_vector<Scalar>(matrix.size(), seed); }
  };

  static Scalar nan() { return Scalar(std::numeric_limits<Real>::quiet_NaN()); }

  static Numbers from_device(const Numbers& b, const auto& solve) {
    const auto from = to_device<Scalar, Device>(b);
    const Vector x("x", b.size());
    Kokkos::deep_copy(x, nan());
    solve(from, x);
    Space().fence();
    return to_host(x);
  }
  static Numbers solve(const Factor& factor, const Numbers& b, LdltPart part = LdltPart::All) {
    return from_device(b, [&](const auto& from, const auto& x) { factor.solve(Space(), from, x, part); });
  }
  static Numbers apply(const Factor& factor, const Numbers& b, Op op) {
    return from_device(b, [&](const auto& from, const auto& x) { factor.apply(Space(), from, x, op); });
  }

  static double error_of(const Case& at, const Factor& factor) {
    const auto b = at.right_hand_side();
    return reference::backward_error(at.matrix, b, solve(factor, b)) / std::max(1.0, factor.info().growth);
  }

  static Numbers scaled(Numbers numbers, int exponent) {
    for (auto& number : numbers) number = times_power_of_two(number, exponent);
    return numbers;
  }
  static Scalar times_power_of_two(const Scalar& value, int exponent) {
    if constexpr (is_complex) return {std::ldexp(value.real(), exponent), std::ldexp(value.imag(), exponent)};
    else return std::ldexp(value, exponent);
  }

  static bool is_nan(const Scalar& value) {
    return std::isnan(reference::widen(value).real()) || std::isnan(reference::widen(value).imag());
  }

  /// The row that is eliminated first of these.
  static int first_of(const Symbolic& symbolic, const std::vector<int>& rows) {
    for (const int row : to_host(symbolic.permutation()))
      if (std::find(rows.begin(), rows.end(), row) != rows.end()) return row;
    return -1;
  }
};

}  // namespace terrace::test

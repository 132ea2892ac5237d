// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// KrylovSolver with right-hand sides and matrices of any magnitude. Multiplied by powers of two they give the bits of
// the ordinary ones: the same residuals, and an x that is multiplied likewise.
#pragma once

#include <complex>
#include <terrace/crs_operator.hpp>
#include <terrace/krylov_solver.hpp>

#include "reference/krylov.hpp"
#include "support/device_triangle.hpp"

namespace terrace::test {

/// Multiplies by the inverse of a matrix's diagonal.
template <class T>
struct InverseDiagonal {
  using Scalar = typename T::Scalar;
  using Operator = LinearOperator<Scalar, typename T::Space>;
  Kokkos::View<Scalar*, typename T::Device> inverse;

  struct Row {
    typename Operator::input_type x;
    typename Operator::output_type y;
    Kokkos::View<Scalar*, typename T::Device> inverse;
    KOKKOS_FUNCTION void operator()(int row) const { y(row) = inverse(row) * x(row); }
  };
  void apply(const typename T::Space& space, const typename Operator::input_type& x,
             const typename Operator::output_type& y) const {
    Kokkos::parallel_for("terrace::test::inverse_diagonal",
                         Kokkos::RangePolicy<typename T::Space>(space, 0, static_cast<int>(x.extent(0))),
                         Row{x, y, inverse});
  }
};

template <class T>
class KrylovRangeTest : public ::testing::Test {
 public:
  using Element = typename T::Scalar;
  using Space = typename T::Space;
  using Magnitude = reference::Real<Element>;
  using Numbers = std::vector<Element>;
  using Matrix = reference::GeneralMatrix<Element>;
  using DeviceMatrix = KokkosSparse::CrsMatrix<Element, int, typename T::Device, void, typename T::Offset>;
  using Operator = CrsOperator<Element, int, typename T::Offset, Space>;

  static constexpr bool is_float = std::is_same_v<Magnitude, float>;
  static constexpr double tolerance = is_float ? 1e-4 : 1e-9;
  static constexpr KrylovMethod methods[4] = {KrylovMethod::ConjugateGradient, KrylovMethod::BiCGStab,
                                              KrylovMethod::Gmres, KrylovMethod::FlexibleGmres};

  static Numbers times(Numbers numbers, Magnitude factor) {
    for (Element& number : numbers) number *= factor;
    return numbers;
  }

  /// Positive definite for conjugate gradients, and not symmetric for the others.
  static Matrix matrix_for(KrylovMethod method, Magnitude factor) {
    auto matrix =
        reference::convection_diffusion<Element>(13, 11, 1, method == KrylovMethod::ConjugateGradient ? 0 : 0.7);
    for (auto& row : matrix.rows)
      for (auto& [column, value] : row) value *= factor;
    for (int row = 0; row < matrix.size(); ++row) matrix.rows[row][row] *= Magnitude(1) + Magnitude(row % 5) / 16;
    return matrix;
  }

  struct Solved : KrylovResult {
    Numbers x;
  };

  static Solved solve(const Matrix& matrix, const KrylovOptions& options, bool preconditioned, const Numbers& b,
                      Numbers guess = {}) {
    const DeviceArrays<T> arrays(reference::compress(matrix));
    const Operator A(DeviceMatrix("A", matrix.size(), matrix.size(),
                                  static_cast<typename T::Offset>(arrays.values.extent(0)), arrays.values,
                                  arrays.row_map, arrays.entries));
    Numbers inverse;
    for (int row = 0; row < matrix.size(); ++row) inverse.push_back(Element(1) / matrix.rows[row].at(row));
    const InverseDiagonal<T> M{to_device<Element, typename T::Device>(inverse)};
    guess.resize(b.size());
    const auto device_b = to_device<Element, typename T::Device>(b), x = to_device<Element, typename T::Device>(guess);
    KrylovSolver<Element, Space> solver(Space(), b.size(), options);
    const auto result =
        preconditioned ? solver.solve(Space(), A, device_b, x, M) : solver.solve(Space(), A, device_b, x);
    return {result, to_host(x)};
  }

  /// ||b - A x|| / ||b|| in long double.
  static double residual(const Matrix& matrix, const Numbers& b, const Numbers& x) {
    using Wide = std::complex<long double>;
    const auto wide = [](const Element& s) {
      if constexpr (!std::is_same_v<Element, Magnitude>) return Wide(s.real(), s.imag());
      else return Wide(s);
    };
    long double rest = 0, norm = 0;
    for (int row = 0; row < matrix.size(); ++row) {
      Wide sum = wide(b[static_cast<std::size_t>(row)]);
      norm += std::norm(sum);
      for (const auto& [column, value] : matrix.rows[row])
        sum -= wide(value) * wide(x[static_cast<std::size_t>(column)]);
      rest += std::norm(sum);
    }
    return static_cast<double>(std::sqrt(rest / norm));
  }

  /// Powers of two of b and of A, such that no number of x, b or b - A x is denormal.
  static std::vector<std::pair<int, int>> powers() {
    if (is_float) return {{-90, 0}, {-66, 0}, {66, 0}, {110, 0}, {0, -66}, {0, 66}, {-90, -66}, {110, 66}, {40, -60}};
    return {{-990, 0}, {-600, 0}, {600, 0}, {1000, 0}, {0, -66}, {0, 66}, {-990, -66}, {1000, 66}, {0, -600}, {0, 600}};
  }

  static void expect_scaled(const KrylovOptions& options, bool preconditioned) {
    const auto b = random_vector<Element>(143, 5);
    const auto ordinary = solve(matrix_for(options.method, 1), options, preconditioned, b);
    EXPECT_TRUE(ordinary.converged());
    for (const auto& [of_b, of_A] : powers()) {
      SCOPED_TRACE(std::string(to_string(options.method)) + " b 2^" + std::to_string(of_b) + " A 2^" +
                   std::to_string(of_A) + (preconditioned ? " preconditioned from the " : " ") +
                   to_string(options.side));
      const auto found = solve(matrix_for(options.method, std::ldexp(Magnitude(1), of_A)), options, preconditioned,
                               times(b, std::ldexp(Magnitude(1), of_b)));
      EXPECT_EQ(found.reason, StopReason::Converged);
      EXPECT_EQ(found.residuals, ordinary.residuals);
      EXPECT_EQ(found.recursive_residual, ordinary.recursive_residual);
      EXPECT_EQ(found.true_residual, ordinary.true_residual);
      EXPECT_EQ(
          times(times(found.x, std::ldexp(Magnitude(1), -of_b / 2)), std::ldexp(Magnitude(1), of_A - of_b + of_b / 2)),
          ordinary.x);
    }
  }
};

TYPED_TEST_SUITE_P(KrylovRangeTest);

TYPED_TEST_P(KrylovRangeTest, PowersOfTwoChangeNoBit) {
  for (const auto method : TestFixture::methods)
    for (const auto side : {PreconditionerSide::Left, PreconditionerSide::Right})
      for (const bool preconditioned : {false, true})
        this->expect_scaled({.method = method, .side = side, .tolerance = this->tolerance, .restart = 12},
                            preconditioned);
}

TYPED_TEST_P(KrylovRangeTest, SolvesAtTheEndsOfTheRange) {
  using Real = typename TestFixture::Magnitude;
  const auto magnitudes = TestFixture::is_float ? std::vector<double>{1e-37, 1e-24, 1e20, 1e35}
                                                : std::vector<double>{1e-300, 1e-200, 1e200, 1e300};
  for (const auto method : TestFixture::methods)
    for (const double magnitude : magnitudes)
      for (const double of_A : {1e-20, 1.0, 1e20}) {
        const double of_x = magnitude / of_A;
        if (of_x < 4 * double(std::numeric_limits<Real>::min()) ||
            of_x > 0.01 * double(std::numeric_limits<Real>::max()))
          continue;
        SCOPED_TRACE(std::string(to_string(method)) + " b " + std::to_string(std::log10(magnitude)) + " A " +
                     std::to_string(std::log10(of_A)));
        const auto matrix = this->matrix_for(method, Real(of_A));
        auto b = random_vector<typename TypeParam::Scalar>(143, 5);
        b = this->times(b, Real(magnitude));
        for (const bool preconditioned : {false, true}) {
          const auto found = this->solve(matrix, {.method = method, .tolerance = this->tolerance}, preconditioned, b);
          EXPECT_EQ(found.reason, StopReason::Converged);
          EXPECT_GT(found.iterations, 3);
          EXPECT_LE(this->residual(matrix, b, found.x), 1.1 * this->tolerance);
        }
      }
}

TYPED_TEST_P(KrylovRangeTest, SolvesForDenormalRightHandSidesAsFarAsTheyHaveDigits) {
  using Real = typename TestFixture::Magnitude;
  const Real denormal = std::numeric_limits<Real>::denorm_min() * Real(1 << 18);
  for (const auto method : TestFixture::methods) {
    const auto matrix = this->matrix_for(method, std::ldexp(Real(1), -50));
    const auto b = this->times(random_vector<typename TypeParam::Scalar>(143, 5), denormal);
    const auto found = this->solve(matrix, {.method = method, .tolerance = 1e-3}, false, b);
    EXPECT_EQ(found.reason, StopReason::Converged) << to_string(method);
    EXPECT_LE(this->residual(matrix, b, found.x), 2e-3) << to_string(method);
  }
}

TYPED_TEST_P(KrylovRangeTest, SolvesForNumbersOfMixedMagnitude) {
  using Real = typename TestFixture::Magnitude;
  const int power = TestFixture::is_float ? 100 : 900;
  for (const auto method : TestFixture::methods) {
    const auto matrix = this->matrix_for(method, 1);
    auto b = random_vector<typename TypeParam::Scalar>(143, 5);
    for (std::size_t row = 0; row < b.size(); ++row)
      b[row] *= std::ldexp(Real(1), static_cast<int>(row % 3) * power - power);
    const auto found = this->solve(matrix, {.method = method, .tolerance = this->tolerance}, true, b);
    EXPECT_EQ(found.reason, StopReason::Converged) << to_string(method);
    EXPECT_LE(this->residual(matrix, b, found.x), 1.1 * this->tolerance) << to_string(method);
  }
}

TYPED_TEST_P(KrylovRangeTest, AFirstGuessMayBeFarTooLarge) {
  using Real = typename TestFixture::Magnitude;
  const auto b = random_vector<typename TypeParam::Scalar>(143, 5);
  const auto guess =
      this->times(random_vector<typename TypeParam::Scalar>(143, 6), TestFixture::is_float ? Real(1e25f) : Real(1e200));
  for (const auto method : TestFixture::methods) {
    const auto matrix = this->matrix_for(method, 1);
    const auto found =
        this->solve(matrix, {.method = method, .tolerance = this->tolerance, .max_iterations = 100000}, true, b, guess);
    EXPECT_EQ(found.reason, StopReason::Converged) << to_string(method);
    EXPECT_LE(this->residual(matrix, b, found.x), 1.1 * this->tolerance) << to_string(method);
  }
}

TYPED_TEST_P(KrylovRangeTest, EachColumnHasItsOwnMagnitude) {
  using Scalar = typename TypeParam::Scalar;
  using Real = typename TestFixture::Magnitude;
  const int power = TestFixture::is_float ? 110 : 990;
  const std::vector<int> powers{0, -power, power, -power / 2, 3};
  const auto b = random_vector<Scalar>(143, 5);
  std::vector<std::vector<Scalar>> columns;
  for (const int k : powers) columns.push_back(this->times(b, std::ldexp(Real(1), k)));
  columns.push_back(std::vector<Scalar>(143, Scalar(0)));
  for (const auto method : {KrylovMethod::ConjugateGradient, KrylovMethod::BiCGStab}) {
    const auto matrix = this->matrix_for(method, 1);
    const DeviceArrays<TypeParam> arrays(reference::compress(matrix));
    const typename TestFixture::Operator A(typename TestFixture::DeviceMatrix(
        "A", 143, 143, static_cast<typename TypeParam::Offset>(arrays.values.extent(0)), arrays.values, arrays.row_map,
        arrays.entries));
    const auto device_b = to_device_columns<TypeParam, Kokkos::LayoutLeft>(columns, 143);
    const Kokkos::View<Scalar**, Kokkos::LayoutLeft, typename TypeParam::Device> x("x", 143, columns.size());
    KrylovSolver<Scalar, typename TypeParam::Space> solver(typename TypeParam::Space(), 143,
                                                           {.method = method, .tolerance = this->tolerance});
    const auto results = solver.solve(typename TypeParam::Space(), A, device_b, x);
    for (std::size_t k = 0; k < powers.size(); ++k) {
      EXPECT_EQ(results[k].reason, StopReason::Converged);
      EXPECT_EQ(results[k].residuals, results[0].residuals) << to_string(method) << " column " << k;
      EXPECT_EQ(results[k].true_residual, results[0].true_residual);
    }
    EXPECT_EQ(results.back().iterations, 0);
  }
}

TYPED_TEST_P(KrylovRangeTest, WhatIsNotFiniteIsStillNamed) {
  using Real = typename TestFixture::Magnitude;
  for (const auto method : TestFixture::methods)
    for (const Real wrong : {std::numeric_limits<Real>::infinity(), std::numeric_limits<Real>::quiet_NaN()})
      for (const int power : {-100, 0, 100}) {
        auto b = this->times(random_vector<typename TypeParam::Scalar>(143, 5), std::ldexp(Real(1), power));
        auto matrix = this->matrix_for(method, 1);
        const KrylovOptions options{.method = method, .tolerance = this->tolerance};
        auto wrong_matrix = matrix;
        wrong_matrix.rows[17][17] = wrong;
        EXPECT_EQ(this->solve(wrong_matrix, options, false, b).reason, StopReason::NotFinite);
        b[7] = wrong;
        EXPECT_EQ(this->solve(matrix, options, true, b).reason, StopReason::NotFinite);
      }
}

REGISTER_TYPED_TEST_SUITE_P(KrylovRangeTest, PowersOfTwoChangeNoBit, SolvesAtTheEndsOfTheRange,
                            SolvesForDenormalRightHandSidesAsFarAsTheyHaveDigits, SolvesForNumbersOfMixedMagnitude,
                            AFirstGuessMayBeFarTooLarge, EachColumnHasItsOwnMagnitude, WhatIsNotFiniteIsStillNamed);

}  // namespace terrace::test

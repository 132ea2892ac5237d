// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A vector made orthogonal to a basis, against loops, for one scalar and one space. The basis need not be orthonormal:
// what is computed is V^H w, w - V h, and both once more.
#pragma once

#include <complex>

#include "backends/krylov.hpp"
#include "support/device_triangle.hpp"

namespace terrace::test {

template <class T>
class OrthogonalizeTest : public ::testing::Test {
 public:
  using Number = typename T::Scalar;
  using OnSpace = typename T::Space;
  using RealNumber = krylov::RealOf<Number>;
  using Wide = std::complex<double>;
  template <class Value>
  using Array = Kokkos::View<Value*, typename T::Device>;

  struct Outcome {
    std::vector<Number> w;
    std::vector<Number> h;  // and the norm of w
    bool operator==(const Outcome&) const = default;
  };

  static constexpr int exponent = 3;  // of the units that the cycle has

  /// Columns with a norm of about one half, and w behind them.
  static std::vector<Number> numbers(int rows, int columns) {
    auto all = random_vector<Number>(rows * (columns + 1), static_cast<unsigned>(rows + columns));
    for (auto& number : all) number *= RealNumber(1 / std::sqrt(double(rows)));
    return all;
  }

  static Outcome found(const std::vector<Number>& all, int rows, int columns) {
    const OnSpace space;
    const auto vectors = to_device<Number, typename T::Device>(all);
    const krylov::HessenbergMemory<Number, OnSpace> memory(space, columns);
    const krylov::GatheringMemory<Number, OnSpace> gathering(space, 1);
    const auto hessenberg = memory.for_kernels();
    Kokkos::deep_copy(unmanaged(hessenberg.cosines, columns), RealNumber(1));  // earlier rotations change nothing
    const Array<krylov::Recurrence<Number>> state("state", 1);
    krylov::Recurrence<Number> start;
    start.operator_exponent = exponent;
    Kokkos::deep_copy(state, start);
    const Array<RealNumber> history("history", 1);
    const Array<int> exponents("exponents", 1);
    Number* const w = vectors.data() + static_cast<std::ptrdiff_t>(rows) * columns;
    orthogonalize(space, krylov::NewColumn<Number>{{vectors.data(), rows},
                                                   w,
                                                   hessenberg,
                                                   columns,
                                                   {state.data(), history.data(), 1, exponents.data()},
                                                   gathering.for_kernels(),
                                                   memory.partial_sums()});
    space.fence("terrace::test::orthogonalize");
    return {to_host(unmanaged(w, rows)), to_host(unmanaged(hessenberg.column, columns + 1))};
  }

  static void expect_what_loops_find(int rows, int columns) {
    const auto all = numbers(rows, columns);
    const std::vector<Wide> v(all.begin(), all.end());
    std::vector<Wide> w(v.end() - rows, v.end()), h(static_cast<std::size_t>(columns));
    for (auto& value : w) value *= std::ldexp(1.0, exponent);
    for (int pass = 0; pass < 2; ++pass) {
      std::vector<Wide> correction(h.size());
      for (int k = 0; k < columns; ++k)
        for (int row = 0; row < rows; ++row) correction[k] += std::conj(v[k * rows + row]) * w[row];
      for (int k = 0; k < columns; ++k) {
        for (int row = 0; row < rows; ++row) w[row] -= v[k * rows + row] * correction[k];
        h[k] += correction[k];
      }
    }
    double square = 0, largest = 1;
    for (const auto& value : w) square += std::norm(value);
    for (const auto& value : h) largest = std::max(largest, std::abs(value));
    // One thread adds up all rows one by one, in the precision of the numbers.
    const double allowed = 4.0 * (columns + 20.0 + std::sqrt(double(rows))) *
                           double(std::numeric_limits<RealNumber>::epsilon()) * std::max(largest, std::sqrt(square));
    const auto outcome = found(all, rows, columns);
    SCOPED_TRACE(std::to_string(rows) + " rows, " + std::to_string(columns) + " columns");
    for (int row = 0; row < rows; ++row) ASSERT_LE(std::abs(Wide(outcome.w[row]) - w[row]), allowed) << row;
    for (int k = 0; k < columns; ++k) ASSERT_LE(std::abs(Wide(outcome.h[k]) - h[k]), allowed) << k;
    ASSERT_LE(std::abs(Wide(outcome.h[columns]) - std::sqrt(square)), allowed);
    ASSERT_TRUE(outcome == found(all, rows, columns)) << "other bits";
  }

 private:
  template <class Value>
  static auto unmanaged(Value* data, int length) {
    return Kokkos::View<Value*, typename T::Device, Kokkos::MemoryUnmanaged>(data, static_cast<std::size_t>(length));
  }
};

TYPED_TEST_SUITE_P(OrthogonalizeTest);

TYPED_TEST_P(OrthogonalizeTest, AgreesWithLoopsForAnyNumberOfColumns) {
  for (int columns = 1; columns <= 70; ++columns) TestFixture::expect_what_loops_find(1000, columns);
}

TYPED_TEST_P(OrthogonalizeTest, AgreesWithLoopsForAnyNumberOfRows) {
  for (const int rows : {1, 2, 31, 32, 33, 255, 256, 257, 5000, 200000})
    for (const int columns : {1, 8, 20}) TestFixture::expect_what_loops_find(rows, columns);
}

REGISTER_TYPED_TEST_SUITE_P(OrthogonalizeTest, AgreesWithLoopsForAnyNumberOfColumns, AgreesWithLoopsForAnyNumberOfRows);

}  // namespace terrace::test

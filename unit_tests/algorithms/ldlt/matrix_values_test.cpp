// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "algorithms/ldlt/matrix_values.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <vector>

namespace terrace::ldlt {
namespace {

double logarithm_in_units(double value) { return std::log2(value) * (1 << bits_of_logarithm); }

TEST(LogarithmOfAnEntry, IsWithinAThousandthWhateverTheSize) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> significand(1, 2);
  std::uniform_int_distribution<int> exponent(-1074, 1023);
  for (int k = 0; k < 100000; ++k) {
    const double value = std::ldexp(significand(random), exponent(random));
    ASSERT_NEAR(logarithm_of(value), logarithm_in_units(value), 0x1p-10 * (1 << bits_of_logarithm)) << value;
    ASSERT_EQ(logarithm_of(-value), logarithm_of(value));
  }
}

TEST(LogarithmOfAnEntry, OfAPowerOfTwoIsExact) {
  for (int exponent = -1074; exponent <= 1023; ++exponent)
    ASSERT_EQ(logarithm_of(std::ldexp(1.0, exponent)), exponent * (1 << bits_of_logarithm)) << exponent;
  EXPECT_EQ(logarithm_of(std::numeric_limits<float>::denorm_min()), -149 * (1 << bits_of_logarithm));
}

TEST(LogarithmOfAnEntry, DoesNotFallWhereNumbersRise) {
  int before = logarithm_of(1.0);
  for (double value = 1; value < 4; value += 0x1p-14) {
    const int found = logarithm_of(value);
    ASSERT_GE(found, before) << value;
    before = found;
  }
}

TEST(LogarithmOfAnEntry, IsNoneOfWhatIsNoNumber) {
  using Limits = std::numeric_limits<double>;
  for (const double value : {0.0, Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()})
    EXPECT_EQ(logarithm_of(value), no_logarithm) << value;
  EXPECT_EQ(logarithm_of(Kokkos::complex<double>(0, Limits::quiet_NaN())), no_logarithm);
  EXPECT_EQ(logarithm_of(Kokkos::complex<double>(0, 0)), no_logarithm);
}

/// The lower triangle of a matrix by columns. Numbers have many sizes, and some have no logarithm.
struct LowerEntries {
  int rows;
  std::vector<int> row, column, source;
  std::vector<double> values;

  LowerEntries(int n, const std::function<bool(int, int)>& is_stored, unsigned seed) : rows(n) {
    using Limits = std::numeric_limits<double>;
    std::mt19937 random(seed);
    for (int j = 0; j < n; ++j)
      for (int i = j; i < n; ++i) {
        if (!is_stored(i, j)) continue;
        row.push_back(i);
        column.push_back(j);
        const double size =
            std::ldexp(1.0 + static_cast<double>(random() % 1000) / 1000, static_cast<int>(random() % 200) - 100);
        const double odd[] = {0.0, Limits::infinity(), Limits::quiet_NaN(), Limits::denorm_min() * 5, -size};
        values.push_back(random() % 40 == 0 || i == 5 || j == 5 ? odd[random() % (i == 5 || j == 5 ? 3u : 5u)] : size);
      }
    for (std::size_t e = 0; e < row.size(); ++e) source.push_back(static_cast<int>(row.size() - 1 - e));
  }

  EntryView<double, int> view() const { return {row.size(), source.data(), row.data(), column.data(), values.data()}; }
};

/// Memory of scaling as it is before the first step.
struct Scales {
  static constexpr int steps = 5;
  std::vector<int> exponent, others, logarithms;

  explicit Scales(const LowerEntries& entries)
      : exponent(static_cast<std::size_t>(entries.rows) + 1, 0),
        others(4 * static_cast<std::size_t>(entries.rows), 0),
        logarithms(entries.row.size()) {
    exponent.back() = no_logarithm;
    std::fill(others.begin() + entries.rows, others.begin() + 3 * entries.rows, no_logarithm);
  }
  ScaleMemory memory() { return {static_cast<int>(exponent.size()) - 1, exponent.data(), others.data()}; }

  /// What is made of them in the end, and the largest of all.
  std::vector<int> exponents() {
    std::vector<int> all(exponent.size(), exponent.back());
    const RoundScales round{memory().left_by(steps - 1, steps), memory().cell(), all.data()};
    for (int row = 0; row < memory().rows; ++row) round(row);
    return all;
  }
};

TEST(BalanceAlone, FindsWhatLoopsOverEntriesFind) {
  using Space = Kokkos::DefaultHostExecutionSpace;
  const std::function<bool(int, int)> patterns[] = {
      [](int, int) { return true; }, [](int i, int j) { return i / 24 == j / 24; },
      [](int i, int j) { return i - j < 30 && (i == j || (i * 7 + j) % 11 != 0); },
      [](int i, int j) { return i == j || i % 50 == 0 || (i - j) % 2 == 0; }};
  for (const auto& pattern : patterns)
    for (const int n : {1, 7, 8, 9, 31, 200}) {
      SCOPED_TRACE("rows " + std::to_string(n) + ", pattern " + std::to_string(&pattern - patterns));
      const LowerEntries entries(n, pattern, static_cast<unsigned>(n));
      Scales alone(entries), by_loops(entries);
      BalanceAlone<double, int>{entries.view(), alone.memory(), Scales::steps, alone.logarithms.data()}(0);
      const ScaleMemory memory = by_loops.memory();
      const EntryPieces<double, int, Space> pieces{entries.view(), true};
      for (std::size_t piece = 0; piece < pieces.count(); ++piece)
        NoteLogarithms<double, int, Space>{pieces, by_loops.logarithms.data(), memory.largest(0), false}(
            piece, *memory.cell());
      for (int step = 1; step < Scales::steps; ++step)
        for (std::size_t piece = 0; piece < pieces.count(); ++piece)
          BalanceRows<double, int, Space>{pieces,
                                          n,
                                          static_cast<int>((n + pieces.count() - 1) / pieces.count()),
                                          by_loops.logarithms.data(),
                                          memory.left_by(step - 1, Scales::steps),
                                          memory.left_by(step, Scales::steps),
                                          memory.largest(step + 1)}(piece);
      EXPECT_EQ(alone.logarithms, by_loops.logarithms);
      EXPECT_EQ(alone.exponents(), by_loops.exponents());
    }
}

}  // namespace
}  // namespace terrace::ldlt

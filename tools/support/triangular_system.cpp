// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/triangular_system.hpp"

#include <random>

namespace terrace::tools {
namespace {

/// The same numbers on every platform, which std::uniform_real_distribution does not promise.
double draw(std::mt19937_64& generator) { return static_cast<double>(generator() >> 11) * 0x1p-52 - 1; }

template <class Number>
Number draw_number(std::mt19937_64& generator) {
  if constexpr (std::is_same_v<Number, double>) {
    return draw(generator);
  } else {
    const double real = draw(generator);
    return {real, draw(generator)};
  }
}

}  // namespace

template <class Number>
void make_right_hand_sides(TriangularSystem<Number>& system, unsigned seed) {
  const std::size_t n = system.triangle.rows;
  system.b.assign(n * system.columns, Number(0));
  std::vector<Number> x(n);
  std::mt19937_64 generator(seed);
  for (int k = 0; k < system.columns; ++k) {
    for (Number& number : x) number = draw_number<Number>(generator);
    Number* b = system.b.data() + k * n;
    for_each_term(system, [&](int row, int column, Number value) { b[row] += value * x[column]; });
  }
}

template <class Number>
void round_to_single(std::vector<Number>& numbers) {
  for (Number& number : numbers) {
    if constexpr (std::is_same_v<Number, double>) {
      number = static_cast<float>(number);
    } else {
      number = {static_cast<float>(number.real()), static_cast<float>(number.imag())};
    }
  }
}

template void make_right_hand_sides(TriangularSystem<double>&, unsigned);
template void make_right_hand_sides(TriangularSystem<std::complex<double>>&, unsigned);
template void round_to_single(std::vector<double>&);
template void round_to_single(std::vector<std::complex<double>>&);

}  // namespace terrace::tools

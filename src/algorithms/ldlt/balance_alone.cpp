// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "algorithms/ldlt/balance_alone.hpp"

#include <algorithm>

namespace terrace::ldlt {

void write_logarithms(const double* KOKKOS_RESTRICT size, int* KOKKOS_RESTRICT logarithm, int count) {
  constexpr int digits = std::numeric_limits<double>::digits - 1, bias = parallel::largest_exponent<double>;
  constexpr unsigned one = 1u << bits_of_logarithm;
  unsigned are_odd = 0;
  for (int k = 0; k < count; ++k) {
    const auto leading =
        static_cast<unsigned>(Kokkos::bit_cast<std::uint64_t>(size[k]) >> (digits - bits_of_logarithm));
    const unsigned exponent = leading / one;             // with its bias
    are_odd |= (exponent - 1) | (2u * bias - exponent);  // beyond bounds: zero and subnormal, infinite and NaN
    logarithm[k] = static_cast<int>(leading + curve_of_logarithm(leading % one)) - bias * static_cast<int>(one);
  }
  if (are_odd >> 31)
    for (int k = 0; k < count; ++k) logarithm[k] = logarithm_of(size[k]);
}

void balance(const int* KOKKOS_RESTRICT scale, const int* KOKKOS_RESTRICT largest, int* KOKKOS_RESTRICT next_scale,
             std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) next_scale[k] = balanced(scale[k], largest[k]);
}

int raise_run(const int* KOKKOS_RESTRICT logarithm, const int* KOKKOS_RESTRICT scale, int scale_of_column,
              int* KOKKOS_RESTRICT largest, std::size_t count) {
  int found = no_logarithm;
  for (std::size_t k = 0; k < count; ++k) found = std::max(found, logarithm[k] + scale[k]);
  for (std::size_t k = 0; k < count; ++k) largest[k] = std::max(largest[k], logarithm[k] + scale_of_column);
  return found;
}

}  // namespace terrace::ldlt

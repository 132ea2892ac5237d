// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NaNs by their bits. Where a number is its own flag, some of them mean "not yet": all ones, and of a double the upper
// half.
#pragma once

#include <bit>
#include <cstdint>
#include <string>

#include "reference/sparse_triangle.hpp"

namespace terrace::test {

template <class Scalar>
struct NotANumber {
  std::string name;
  Scalar value;
};

/// All ones, the ordinary NaN, and for double ones in the upper half alone.
template <class Real>
std::vector<NotANumber<Real>> real_nans() {
  if constexpr (sizeof(Real) == 4)
    return {{"all ones", std::bit_cast<Real>(~std::uint32_t(0))}, {"NaN", std::numeric_limits<Real>::quiet_NaN()}};
  else
    return {{"all ones", std::bit_cast<Real>(~std::uint64_t(0))},
            {"ones above", std::bit_cast<Real>(~std::uint64_t(0) << 32)},
            {"NaN", std::numeric_limits<Real>::quiet_NaN()}};
}

/// Of complex numbers each of them in the real part alone, in the imaginary part alone, and all ones in both.
template <class Scalar>
std::vector<NotANumber<Scalar>> every_nan() {
  using Real = reference::Real<Scalar>;
  if constexpr (std::is_floating_point_v<Scalar>) return real_nans<Real>();
  else {
    std::vector<NotANumber<Scalar>> all;
    for (const auto& [name, value] : real_nans<Real>()) {
      all.push_back({name + " in the real part", Scalar(value, Real(1))});
      all.push_back({name + " in the imaginary part", Scalar(Real(1), value)});
    }
    const Real ones = real_nans<Real>().front().value;
    all.push_back({"all ones in both parts", Scalar(ones, ones)});
    return all;
  }
}

}  // namespace terrace::test

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random numbers that are the same with every compiler and library; std's distributions are not.
#pragma once

#include <cstdint>

namespace terrace::common {

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  /// Uniform in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

  /// Uniform in 0 ... bound - 1.
  int below(int bound) { return static_cast<int>(uniform() * bound); }

 private:
  std::uint64_t state_;
};

}  // namespace terrace::common

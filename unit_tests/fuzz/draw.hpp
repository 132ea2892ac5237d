// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One draw: numbers that follow from its seed alone, with every compiler, and a line that says what was drawn.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace terrace::fuzz {

/// What a draw found: a promise that was not kept.
struct Failed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : generator_(seed * 0x9e3779b97f4a7c15ULL + 1) {}

  /// From 0 to limit - 1.
  int below(int limit) { return limit <= 1 ? 0 : static_cast<int>(generator_() % static_cast<std::uint64_t>(limit)); }
  /// An element; takes a number from the seed also where there is only one.
  template <class T>
  const T& one_of(const std::vector<T>& from) {
    return from[generator_() % from.size()];
  }
  int between(int low, int high) { return low + below(high - low + 1); }
  double uniform() { return static_cast<double>(generator_() >> 11) * 0x1p-53; }
  double signed_uniform() { return 2 * uniform() - 1; }
  bool chance(double probability) { return uniform() < probability; }

  template <class T>
  T pick(std::initializer_list<T> from) {
    return from.begin()[below(static_cast<int>(from.size()))];
  }

  /// Adds a word to the description.
  template <class... Words>
  void note(const Words&... words) {
    ((description_ << words), ...) << ' ';
  }
  std::string description() const { return description_.str(); }

 private:
  std::mt19937_64 generator_;
  std::ostringstream description_;
};

/// Throws Failed with all words unless the promise is kept.
template <class... Words>
void expect(bool is_kept, const Words&... words) {
  if (is_kept) return;
  std::ostringstream message;
  message.precision(17);
  (message << ... << words);
  throw Failed(message.str());
}

}  // namespace terrace::fuzz

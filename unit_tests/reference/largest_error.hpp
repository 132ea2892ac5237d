// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The largest of many errors, for oracles. A NaN compares as false with everything: `if (!(error <= worst))` takes it
// in, and then lets the next finite error take its place. Here a number that is not finite is an infinite error, and
// stays one whatever follows.
#pragma once

#include <cmath>

namespace terrace::reference {

class LargestError {
 public:
  void add(double error) {
    if (!std::isfinite(error)) largest_ = HUGE_VAL;
    else if (error > largest_) largest_ = error;
  }

  /// The error relative to `scale`; nothing relative to nothing is no error.
  void add(double error, double scale) {
    const bool is_exact = error == 0 && std::isfinite(scale);
    add(is_exact ? 0.0 : std::isfinite(scale) && scale > 0 ? error / scale : HUGE_VAL);
  }

  double value() const { return largest_; }

 private:
  double largest_ = 0;
};

}  // namespace terrace::reference

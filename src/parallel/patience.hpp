// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long threads of a host go on together before one of them does what is left alone: as long as it takes, or so many
// seconds.
#pragma once

#include <limits>

namespace terrace::parallel {

class Patience {
 public:
  Patience() = default;
  explicit Patience(double seconds) : seconds_(seconds) {}

  double seconds() const { return seconds_; }

 private:
  double seconds_ = std::numeric_limits<double>::infinity();
};

}  // namespace terrace::parallel

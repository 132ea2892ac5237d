// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One line on standard error that says what a long run is doing.
#pragma once

#include <memory>
#include <string>

namespace terrace::tools {

/// Appears when standard error is a terminal and two seconds have passed since it was made; goes away
/// with the object. Its own thread draws it, so that a call which reports nothing is seen to be alive.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();

  /// What is being done now, such as "reading".
  void stage(const std::string& name);

  /// How much of the stage is done, 0 to 1.
  void fraction(double done);

 private:
  struct Drawing;
  std::unique_ptr<Drawing> drawing_;  ///< none when standard error is no terminal
};

}  // namespace terrace::tools

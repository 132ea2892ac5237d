// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the cases of one run share: the matrix at hand and the method at hand. There is room for one of each,
// because full-size matrices fill a machine; cases that follow each other on the same matrix find it there.
#pragma once

#include <memory>
#include <string>

#include "harness/matrix_entry.hpp"
#include "harness/measured_space.hpp"

namespace terrace::perf {

class Session {
 public:
  explicit Session(MeasuredSpace space) : space_(std::move(space)) {}

  const MeasuredSpace& space() const { return space_; }

  /// Makes the matrix the one at hand. Throws what making it throws.
  void use(const MatrixEntry& matrix);
  System& system() { return *system_; }
  const LevelCount& levels() const { return levels_; }
  double tolerated_error() const { return tolerated_error_; }

  /// A new object of the method that has not seen the matrix; the one before is gone.
  TriangularMethod& start(const MethodEntry& method);

  /// The method at hand when it has analysed this matrix, else a new one that does.
  TriangularMethod& analyzed(const MethodEntry& method);
  void mark_analyzed() { method_is_analyzed_ = true; }

  /// The bytes of the triangle: values, columns, row map.
  double matrix_bytes() const;

  /// Frees the matrix and the method; to be called before Kokkos is finalized.
  void release();

  void count_failure() { ++failures_; }
  int failures() const { return failures_; }

 private:
  MeasuredSpace space_;
  std::string matrix_name_, method_name_;
  std::unique_ptr<System> system_;
  std::unique_ptr<TriangularMethod> method_;  // reads the arrays of system_
  bool method_is_analyzed_ = false;
  LevelCount levels_;
  double tolerated_error_ = 0.0;
  int failures_ = 0;
};

}  // namespace terrace::perf

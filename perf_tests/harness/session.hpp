// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the cases of one run share: the methods, and what was measured of them on the matrix at hand. The cases of one
// matrix follow each other; the first of them has all methods measured, and each reports its own part.
#pragma once

#include <string>
#include <vector>

#include "harness/matrix_entry.hpp"
#include "harness/measure_in_turns.hpp"
#include "harness/measured_space.hpp"

namespace terrace::perf {

/// What the records of one matrix say of it.
struct MatrixFacts {
  int n = 0;
  std::size_t nnz = 0;
  LevelCount levels;
  double bytes = 0.0;  ///< of the triangle: values, columns, row map
  int columns = 1;     ///< right-hand sides
};

class Session {
 public:
  Session(MeasuredSpace space, std::vector<MethodEntry> methods, const Repetitions& repetitions, bool is_upper,
          int columns)
      : space_(std::move(space)),
        methods_(std::move(methods)),
        repetitions_(repetitions),
        is_upper_(is_upper),
        columns_(columns) {}

  const MeasuredSpace& space() const { return space_; }
  const std::vector<MethodEntry>& methods() const { return methods_; }
  const Repetitions& repetitions() const { return repetitions_; }

  /// Makes the matrix the one at hand: unless it is, makes it, measures, and frees it. Throws what making it throws.
  void use(const MatrixEntry& matrix);
  const MatrixFacts& facts() const { return facts_; }

  /// Of the method with that number, on the matrix at hand.
  const Measurement& measured(std::size_t method) const { return measurements_[method]; }

  void count_failure() { ++failures_; }
  int failures() const { return failures_; }

 private:
  MeasuredSpace space_;
  std::vector<MethodEntry> methods_;
  Repetitions repetitions_;
  bool is_upper_;
  int columns_;
  std::string matrix_name_;
  MatrixFacts facts_;
  std::vector<Measurement> measurements_;
  int failures_ = 0;
};

}  // namespace terrace::perf

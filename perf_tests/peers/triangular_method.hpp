// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the benchmarks know of a way to solve L x = b or U x = b: Terrace's algorithms and their peers stand behind this
// interface alike. Plain pointers, so that a peer's source needs nothing but the peer's own header.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "harness/real.hpp"

namespace terrace::perf {

/// The arrays of a triangular matrix with a stored diagonal, indices from 0: its rows, or its columns when a method
/// asks for Input::Columns. Not owned; in the memory that the method works on.
struct MatrixView {
  int n;
  std::size_t nnz;
  const int* row_map;
  const int* entries;  ///< ascending in each row
  const Real* values;
  bool is_upper = false;
  int columns = 1;  ///< right-hand sides, one behind the other
};

/// Whether a method is given the matrix in compressed rows or in compressed columns.
enum class Input { Rows, Columns };

/// Whether a method works on host memory or on the memory of the benchmark's execution space.
enum class Place { Host, Space };

struct MethodFacts {
  std::string label;                      ///< what the method chose, for the reader of the record
  std::optional<std::size_t> bytes_held;  ///< beyond the matrix, when the method can tell
};

/// One matrix, analysed once and solved many times. The arrays outlive the method.
class TriangularMethod {
 public:
  virtual ~TriangularMethod() = default;

  virtual void analyze(const MatrixView& L) = 0;
  /// n x columns numbers each.
  virtual void solve(const Real* b, Real* x) = 0;

  /// Returns when what was called before is done.
  virtual void wait() {}

  virtual MethodFacts facts() const { return {}; }
};

/// Makes a method that uses up to `threads` threads where it is its own to choose.
using MakeMethod = std::unique_ptr<TriangularMethod> (*)(int threads);

}  // namespace terrace::perf

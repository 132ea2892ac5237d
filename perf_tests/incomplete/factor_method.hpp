// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the benchmarks know of a way to factorize incompletely, and of one to iterate with the factors.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "incomplete/full_matrix.hpp"

namespace terrace::perf {

/// One matrix. It outlives the method.
class FactorMethod {
 public:
  virtual ~FactorMethod() = default;

  /// Finds the pattern; may do nothing.
  virtual void symbolic() = 0;

  /// Computes the factors in it. Both return when they are done.
  virtual void numeric() = 0;

  /// L (without its unit diagonal) and U row by row; empty when that is not what was computed.
  virtual std::vector<double> merged() const { return {}; }
};

/// A preconditioned iteration from zero for a right-hand side of ones.
class IterationMethod {
 public:
  virtual ~IterationMethod() = default;

  /// So many iterations, whatever the residual; returns its norm.
  virtual double iterate(int iterations) = 0;
};

struct FactorEntry {
  std::string name;
  std::string algorithm;  // the first entry of each judges the others that have a merged factor
  std::function<std::unique_ptr<FactorMethod>(const FullMatrix&)> make;
};

struct IterationEntry {
  std::string name;
  std::string algorithm;  // the first entry of each judges the others
  std::function<std::unique_ptr<IterationMethod>(const FullMatrix&)> make;
};

/// The plain loops of a textbook, in one thread.
std::unique_ptr<FactorMethod> make_serial_ilu0(const FullMatrix& A);
std::unique_ptr<FactorMethod> make_serial_ilut(const FullMatrix& A, int fill, double drop_tolerance);
std::unique_ptr<IterationMethod> make_serial_pcg(const FullMatrix& A);
std::unique_ptr<IterationMethod> make_serial_bicgstab(const FullMatrix& A);

/// cuSPARSE and cuBLAS, where there is CUDA.
std::unique_ptr<FactorMethod> make_cusparse_ilu0(const FullMatrix& A);
std::unique_ptr<FactorMethod> make_cusparse_ic0(const FullMatrix& A);
std::unique_ptr<IterationMethod> make_cusparse_pcg(const FullMatrix& A);
std::unique_ptr<IterationMethod> make_cusparse_bicgstab(const FullMatrix& A);

/// The methods of an execution space; CMake writes one function for each, and their table.
struct FactorSpace {
  std::string name;
  int threads;
  std::vector<FactorEntry> factors;
  std::vector<IterationEntry> iterations;
};
struct FactorSpaceName {
  std::string name;
  FactorSpace (*describe)();
};
const std::vector<FactorSpaceName>& factor_spaces();

}  // namespace terrace::perf

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A way of solving the demo's system, and how it is timed and judged.
#pragma once

#include <cstdint>
#include <memory>
#include <terrace/triangular_info.hpp>

#include "system/triangular_system.hpp"

namespace terrace::tools {

/// Calls follow in the order in which they stand here; run may be repeated.
template <class Number>
class Method {
 public:
  virtual ~Method() = default;
  virtual std::string name() const = 0;

  /// From the matrix to what can solve.
  virtual void prepare() = 0;

  /// Starts a solve.
  virtual void run() = 0;

  /// For what prepare and run have started.
  virtual void wait() = 0;

  /// The solution of one more run, which starts from zeros.
  virtual std::vector<Number> result() = 0;

  /// Of Terrace's algorithms.
  virtual TriangularInfo facts() const { return {}; }
};

/// An execution space and the methods on it: Kokkos Kernels, then Terrace's algorithms, the automatic choice last.
template <class Number>
struct Contest {
  std::string space;
  int concurrency = 1;
  std::vector<std::unique_ptr<Method<Number>>> methods;
};

/// One for each execution space of this build. The system must outlive them. Needs a Kokkos session. CMake writes a
/// source for each kind of numbers that this build has in double precision.
template <class Number>
struct Contests {
  static std::vector<Contest<Number>> make(const TriangularSystem<Number>& system);
};

/// Forward substitution as one writes it down, the yardstick: T x = b for a lower triangle whose diagonal is stored
/// last in each row. x has the length of b.
template <class Number>
void solve_by_serial_loop(const TriangularSystem<Number>& system, std::vector<Number>& x);

template <class Number>
class SerialLoop final : public Method<Number> {
 public:
  explicit SerialLoop(const TriangularSystem<Number>& system) : system_(system), x_(system.b.size()) {}
  std::string name() const override { return "plain serial loop"; }
  void prepare() override {}
  void run() override { solve_by_serial_loop(system_, x_); }
  void wait() override {}
  std::vector<Number> result() override { return x_; }

 private:
  const TriangularSystem<Number>& system_;
  std::vector<Number> x_;
};

/// Seconds: medians.
struct Times {
  double prepare_s = 0;
  double run_s = 0;
};

/// Of each phase one call to warm up, then 3 to 50 timed ones within about half a second: often enough to trust the
/// median, and not longer than a person waits.
template <class Number>
Times time_method(Method<Number>& method);

}  // namespace terrace::tools

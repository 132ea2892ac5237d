// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the demo measures, on the harness of the benchmarks (common/harness): its system as a problem, the serial loop
// and the methods of each execution space.
#pragma once

#include "common/harness/measure.hpp"
#include "demo/demo_system.hpp"

namespace terrace::tools {

/// Numbers as the harness takes them; of complex ones the real and the imaginary part in turns.
std::vector<double> in_parts(const std::vector<double>& numbers);
std::vector<double> in_parts(const std::vector<std::complex<double>>& numbers);

/// The system, which outlives it. A solution is judged by its backward error, however large that is.
template <class Number>
class DemoProblem final : public perf::Problem {
 public:
  explicit DemoProblem(const TriangularSystem<Number>& system) : system_(system) {}

  const TriangularSystem<Number>& system() const { return system_; }
  perf::Counters counters() const override { return {{"n", system_.triangle.n}}; }
  double check(const std::string& algorithm, perf::Phase phase, const std::vector<double>& result) override;

 private:
  const TriangularSystem<Number>& system_;
};

/// An execution space and the methods on it: Kokkos Kernels, then Terrace's algorithms, the automatic choice last.
/// Their label is "algorithm: reason", their counter `levels` the levels of tasks.
struct Contest {
  std::string space;
  int concurrency = 1;
  std::vector<perf::Entry> entries;
};

/// One for each execution space of this build. Needs a Kokkos session. CMake writes a source for each kind of numbers
/// that this build has in double precision.
template <class Number>
struct Contests {
  static std::vector<Contest> make(const TriangularSystem<Number>& system);
};

/// The yardstick: forward substitution as one writes it down.
template <class Number>
perf::Entry serial_loop();

/// Analysis and solve of one method, which is gone then. Seconds are medians of a few samples of a fiftieth of a second
/// or more: enough to trust them, and not longer than a person waits. \throws std::runtime_error with what the method
/// threw
perf::Measurement measure_alone(const perf::Entry& entry, perf::Problem& problem);

}  // namespace terrace::tools

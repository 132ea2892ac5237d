// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The records of a run: what Google Benchmark prints and writes as JSON, one for each case, method and phase.
#pragma once

#include <optional>

#include "common/harness/measure.hpp"

namespace benchmark {
class State;
}

namespace terrace::perf {

/// What a processor and its memory do; known of some.
struct Rates {
  double bytes_per_second;
  double seconds_per_hop;  ///< from a store to the load that waited for it
  double operations_per_second;
};
std::optional<Rates> known_rates(const std::string& processor);

/// Registers the cases as NAME/METHOD/PHASE. The first record of a case that runs has its problem made and all of its
/// methods measured, and each record hands on its part; the problem is gone before the next one is made. So Google
/// Benchmark's --benchmark_filter leaves out records, and cases of which it leaves none.
///
/// The time of a record is the mean of its samples; the counters median_s and min_s are to be preferred. Counters:
/// those of the problem and of the method; bytes_held, and held_ratio (to the bytes of the matrix), where the method
/// tells; bytes (what must be moved at least) and GB_per_s, operations and TFLOP_per_s, and limit_s and the
/// fraction_of_limit where the rates are known. The label says what the method chose. A wrong result makes the record
/// an error.
class Records {
 public:
  Records(std::vector<Case> cases, std::optional<Rates> rates);

  void register_all();
  int failures() const { return failures_; }

 private:
  void use(std::size_t number);
  void register_record(std::size_t number, std::size_t method, const Timing& timing);
  void report(benchmark::State& state, const Measurement& measured, const Timing& timing) const;

  std::vector<Case> cases_;
  std::optional<Rates> rates_;
  std::size_t at_hand_;  ///< the case that was measured last
  struct OfProblem {
    Counters counters;
    double bytes = 0.0;
    std::map<Phase, Limit> limits;
  } problem_;
  std::vector<Measurement> measurements_;
  int failures_ = 0;
};

}  // namespace terrace::perf

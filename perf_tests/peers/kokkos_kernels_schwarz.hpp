// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kokkos Kernels' level-scheduled triangular solves of the factor of all blocks, with gather and scatter, as a method.
// The factor is that of the serial loops.
#pragma once

#include "common/kokkos_kernels_sptrsv.hpp"
#include "harness/upload.hpp"
#include "schwarz/schwarz_problem.hpp"

namespace terrace::perf {

/// to(k) = from(source(k))
template <class Indices, class From, class To>
struct Gather {
  Indices source;
  From from;
  To to;
  KOKKOS_FUNCTION void operator()(int k) const { to(k) = from(source(k)); }
};

template <class Space>
class KokkosKernelsSchwarz final : public Method {
  using Indices = Kokkos::View<int*, DeviceOf<Space>>;
  using Numbers = Kokkos::View<double*, DeviceOf<Space>>;
  using Solver = common::KokkosKernelsSptrsv<Indices, Indices, Numbers, Space>;

 public:
  explicit KokkosKernelsSchwarz(const SchwarzProblem& problem)
      : L_(upload_triangle(problem.serial().factor(), true)),
        U_(upload_triangle(problem.serial().factor(), false)),
        rows_(upload<Space>(problem.serial().rows())),
        owner_(upload<Space>(problem.serial().owner())),
        r_(upload<Space>(problem.r())),
        z_("z", r_.extent(0)),
        gathered_("gathered", rows_.extent(0)),
        half_("half", rows_.extent(0)),
        solved_("solved", rows_.extent(0)) {}

  /// The analysis of both triangles.
  void run(Phase phase, int) override {
    if (phase == Phase::Factorize) {
      lower_.emplace(space_, L_.row_map, L_.entries, L_.values, true);
      upper_.emplace(space_, U_.row_map, U_.entries, U_.values, false);
      return;
    }
    gather(rows_, r_, gathered_);
    lower_->solve(gathered_, half_);
    upper_->solve(half_, solved_);
    gather(owner_, solved_, z_);
  }

  void wait() override { space_.fence("terrace::perf::KokkosKernelsSchwarz"); }
  std::vector<double> result(Phase phase) override {
    return phase == Phase::Apply ? download(z_) : std::vector<double>();
  }

 private:
  struct Triangle {
    Indices row_map, entries;
    Numbers values;
  };

  /// L with its ones, or U.
  static Triangle upload_triangle(const SerialFactor& factor, bool is_lower) {
    Rows rows;
    rows.n = factor.n;
    for (int row = 0; row < factor.n; ++row) {
      const int begin = is_lower ? factor.row_map[row] : factor.diagonal[row];
      const int end = is_lower ? factor.diagonal[row] + 1 : factor.row_map[row + 1];
      rows.entries.insert(rows.entries.end(), factor.entries + begin, factor.entries + end);
      rows.values.insert(rows.values.end(), factor.values + begin, factor.values + end);
      if (is_lower) rows.values.back() = 1.0;
      rows.row_map.push_back(static_cast<int>(rows.entries.size()));
    }
    return {upload<Space>(rows.row_map), upload<Space>(rows.entries), upload<Space>(rows.values)};
  }

  void gather(const Indices& source, const Numbers& from, const Numbers& to) const {
    Kokkos::parallel_for("terrace::perf::gather", Kokkos::RangePolicy<Space>(space_, 0, to.extent_int(0)),
                         Gather<Indices, Numbers, Numbers>{source, from, to});
  }

  Space space_;
  Triangle L_, U_;
  Indices rows_, owner_;
  Numbers r_, z_, gathered_, half_, solved_;
  std::optional<Solver> lower_, upper_;
};

}  // namespace terrace::perf

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kokkos Kernels' level-scheduled solves with both triangles of an incomplete factor that a serial loop made.
#pragma once

#include <optional>

#include "common/kokkos_kernels_sptrsv.hpp"
#include "harness/upload.hpp"
#include "peers/serial_factor.hpp"

namespace terrace::perf {

template <class Space>
class KokkosKernelsFactor {
  using Indices = Kokkos::View<int*, DeviceOf<Space>>;
  using Numbers = Kokkos::View<double*, DeviceOf<Space>>;
  using Solver = common::KokkosKernelsSptrsv<Indices, Indices, Numbers, Space>;

 public:
  explicit KokkosKernelsFactor(const SerialFactor& factor)
      : L_(upload_triangle(factor, true)), U_(upload_triangle(factor, false)), half_("half", factor.n) {}

  /// Both symbolic phases.
  void analyze(const Space& space) {
    lower_.emplace(space, L_.row_map, L_.entries, L_.values, true);
    upper_.emplace(space, U_.row_map, U_.entries, U_.values, false);
  }

  void solve(const Numbers& b, const Numbers& x) {
    lower_->solve(b, half_);
    upper_->solve(half_, x);
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

  Triangle L_, U_;
  Numbers half_;
  std::optional<Solver> lower_, upper_;
};

}  // namespace terrace::perf

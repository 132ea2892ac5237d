// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first row where something happens, found by a kernel and read by the host.
#pragma once

#include <optional>

#include "algorithms/structured/stencil.hpp"

namespace terrace::structured {

/// A cell that kernels lower to the number of their row; `rows` means nowhere. It can be used again after clear(): to
/// allocate and free on a device costs more than a small kernel.
template <class Space>
class FirstRow {
 public:
  FirstRow(const Space& space, std::int64_t rows)
      : cell_(parallel::uninitialized<std::int64_t>(space, "terrace::structured::first_row", 1)), rows_(rows) {
    clear(space);
  }

  void clear(const Space& space) const { Kokkos::deep_copy(space, cell_, rows_); }

  std::int64_t* data() const { return cell_.data(); }

  /// Waits for `space`.
  std::optional<std::int64_t> read(const Space& space) const {
    std::int64_t found = rows_;
    Kokkos::deep_copy(space, parallel::on_host(&found, 1), cell_);
    space.fence("terrace::structured::first_row");
    return found == rows_ ? std::nullopt : std::optional<std::int64_t>(found);
  }

 private:
  Kokkos::View<std::int64_t*, parallel::Device<Space>> cell_;
  std::int64_t rows_;
};

}  // namespace terrace::structured

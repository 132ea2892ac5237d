// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "info/level_widths.hpp"

#include <Kokkos_Core.hpp>
#include <built_types.hpp>
#include <terrace/level_sets.hpp>

namespace terrace::tools {

std::vector<int> find_level_widths(const MatrixMarketMatrix& matrix, Uplo uplo) {
  using Space = Kokkos::DefaultHostExecutionSpace;
  using Device = Kokkos::Device<Space, Space::memory_space>;
  const std::vector<WidestOffset> row_map(matrix.row_map.begin(), matrix.row_map.end());
  const Kokkos::View<const WidestOffset*, Device> row_map_view(row_map.data(), row_map.size());
  const Kokkos::View<const int*, Device> entries(matrix.entries.data(), matrix.entries.size());
  const auto sets = level_sets<int, WidestOffset, Space>(Space(), row_map_view, entries,
                                                         {.uplo = uplo, .diag = Diag::Unit, .stored = Stored::Full});
  std::vector<int> widths;
  widths.reserve(static_cast<std::size_t>(sets.levels()));
  for (int level = 0; level < sets.levels(); ++level) widths.push_back(sets.width(level));
  return widths;
}

}  // namespace terrace::tools

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/mistakes.hpp"

namespace terrace::fuzz {

std::optional<ErrorCode> make_mistake(Draw& draw, bool checked, Arrays& arrays) {
  if (!draw.chance(0.06) || arrays.entries.empty()) return std::nullopt;
  const int place = draw.below(static_cast<int>(arrays.entries.size()));
  switch (draw.below(checked ? 5 : 3)) {
    case 0:
      draw.note("mistake: row map");
      arrays.row_map.back() += 3;
      return ErrorCode::InvalidRowMap;
    case 1:
      draw.note("mistake: begin of the row map");
      arrays.row_map.front() = 1;
      return ErrorCode::InvalidRowMap;
    case 2:
      draw.note("mistake: a value too many");
      arrays.values.push_back(1.0);
      return ErrorCode::SizeMismatch;
    case 3:
      draw.note("mistake: column ", arrays.entries[place] = draw.chance(0.5) ? -1 : arrays.rows());
      return ErrorCode::ColumnOutOfRange;
    default:
      for (std::size_t row = 0; row + 1 < arrays.row_map.size(); ++row)
        if (arrays.row_map[row + 1] - arrays.row_map[row] >= 2) {
          draw.note("mistake: a column twice in row ", row);
          arrays.entries[arrays.row_map[row] + 1] = arrays.entries[arrays.row_map[row]];
          return ErrorCode::DuplicateEntry;
        }
      return std::nullopt;
  }
}

}  // namespace terrace::fuzz

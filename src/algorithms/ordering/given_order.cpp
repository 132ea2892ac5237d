// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "algorithms/ordering/given_order.hpp"

#include <string>
#include <terrace/error.hpp>

namespace terrace::ordering {
namespace {

[[noreturn]] void refuse(const std::string& message) { throw Error(ErrorCode::InvalidOption, message); }

std::string entry(std::size_t place) { return "permutation[" + std::to_string(place) + "]"; }

}  // namespace

void check_given_order(Ordering ordering, const std::vector<int>& permutation, std::int64_t rows) {
  if (ordering != Ordering::Given) {
    if (permutation.empty()) return;
    refuse(std::string("a permutation is given, and the ordering is ") + to_string(ordering) +
           "; Ordering::Given takes a permutation");
  }
  if (static_cast<std::int64_t>(permutation.size()) != rows)
    refuse("the permutation has " + std::to_string(permutation.size()) + " entries, and the matrix has " +
           std::to_string(rows) + " rows");
  std::vector<std::size_t> place(permutation.size(), permutation.size());
  for (std::size_t i = 0; i < permutation.size(); ++i) {
    const int row = permutation[i];
    if (row < 0 || row >= rows)
      refuse(entry(i) + " is " + std::to_string(row) + "; the rows are 0 to " + std::to_string(rows - 1));
    if (place[row] < i)
      refuse(entry(i) + " is " + std::to_string(row) + ", and so is " + entry(place[row]) +
             "; each row stands in a permutation once");
    place[row] = i;
  }
}

}  // namespace terrace::ordering

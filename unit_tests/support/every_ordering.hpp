// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The orderings of this build: without METIS there is no nested dissection.
#pragma once

#include <terrace/error.hpp>

#include "algorithms/ordering/orderings.hpp"

namespace terrace::test {

inline bool has_nested_dissection() {
  try {
    ordering::nested_dissection({});
  } catch (const Error&) {
    return false;
  }
  return true;
}

inline std::vector<Ordering> every_ordering() {
  std::vector<Ordering> all{Ordering::Natural, Ordering::ReverseCuthillMckee, Ordering::Multicolor};
  if (has_nested_dissection()) all.push_back(Ordering::NestedDissection);
  return all;
}

}  // namespace terrace::test

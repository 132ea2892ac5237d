// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The names of the orderings and scalings, as messages and the command line print them.
#include <terrace/ordering.hpp>

namespace terrace {

const char* to_string(Ordering ordering) {
  switch (ordering) {
    case Ordering::Natural: return "natural";
    case Ordering::ReverseCuthillMckee: return "rcm";
    case Ordering::NestedDissection: return "nd";
    case Ordering::Multicolor: return "multicolor";
    case Ordering::ApproximateMinimumDegree: return "amd";
    case Ordering::Automatic: return "automatic";
    case Ordering::Given: return "given";
  }
  return "unknown";
}

const char* to_string(Scaling scaling) {
  switch (scaling) {
    case Scaling::None: return "none";
    case Scaling::Diagonal: return "diagonal";
    case Scaling::Equilibrate: return "equilibrate";
  }
  return "unknown";
}

}  // namespace terrace

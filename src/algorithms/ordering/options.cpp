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
  }
  return "unknown";
}

const char* to_string(Scaling scaling) { return scaling == Scaling::None ? "none" : "diagonal"; }

}  // namespace terrace

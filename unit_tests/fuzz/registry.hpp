// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The classes under test with the types that this program was compiled for. Each stamped source adds one.
#pragma once

#include <string>
#include <vector>

#include "fuzz/draw.hpp"

namespace terrace::fuzz {

struct Subject {
  std::string class_name, space, scalar, offset;
  void (*run)(Draw&);
  std::string text() const { return class_name + "<" + scalar + ", " + offset + ", " + space + ">"; }
};

inline std::vector<Subject>& subjects() {
  static std::vector<Subject> all;
  return all;
}

struct Registration {
  template <class Drawn>
  static bool add(const char* space, const char* scalar, const char* offset) {
    subjects().push_back({Drawn::name, space, scalar, offset, &Drawn::run});
    return true;
  }
};

}  // namespace terrace::fuzz

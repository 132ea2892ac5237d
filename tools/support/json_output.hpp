// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// JSON on standard output: one object, keys in the order in which they were given.
#pragma once

#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

namespace terrace::tools {

using Json = nlohmann::ordered_json;

/// NaN and Inf, which JSON does not know, are printed as null; bytes that are no UTF-8 are replaced.
inline void print_json(const Json& object) {
  std::cout << object.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
}

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace terrace::tools

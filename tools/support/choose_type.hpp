// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a name that the user typed to a type that this build contains.
#pragma once

#include <built_types.hpp>
#include <string>
#include <terrace/error.hpp>
#include <tuple>

namespace terrace::tools {

/// Calls `call` with a null pointer to the type among `Types` that has the name.
/// \throws Error InvalidOption, saying which kind of name it was.
template <class... Types, class Call>
void choose_type(std::tuple<Types...>*, const char* kind, const std::string& name, const Call& call) {
  const auto try_type = [&]<class Type>(Type* type) {
    if (name_of<Type> != name) return false;
    call(type);
    return true;
  };
  if ((try_type(static_cast<Types*>(nullptr)) || ...)) return;
  throw Error(ErrorCode::InvalidOption, std::string("this build has no solver for ") + kind + " '" + name + "'");
}

}  // namespace terrace::tools

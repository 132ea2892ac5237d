// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the library's own classes reach each other's insides: the one door beside the public interface.
#pragma once

#include <utility>

namespace terrace::detail {

struct Access {
  /// What a class of the library holds.
  template <class Object>
  static auto& state(const Object& object) {
    return *object.state_;
  }

  /// An object by a constructor that is not public.
  template <class Object, class... Arguments>
  static Object make(Arguments&&... arguments) {
    return Object(std::forward<Arguments>(arguments)...);
  }
};

}  // namespace terrace::detail

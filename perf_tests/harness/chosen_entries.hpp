// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which methods a command line asks for.
#pragma once

#include "common/harness/case.hpp"
#include "harness/flags.hpp"

namespace terrace::perf {

/// Appends those of `all` that are named, or all. \throws UsageError
inline void add_chosen(std::vector<Entry>& methods, const std::string& flag, const std::vector<std::string>& chosen,
                       const std::vector<Entry>& all) {
  std::vector<std::string> names = names_of(all);
  names.push_back("none");
  require_choices(flag, chosen, names);
  for (const Entry& entry : all)
    if (is_chosen(entry.name, chosen)) methods.push_back(entry);
}

}  // namespace terrace::perf

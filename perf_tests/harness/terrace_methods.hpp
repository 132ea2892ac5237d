// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of Terrace's algorithms.
#pragma once

#include "harness/measured_space.hpp"
#include "harness/terrace_method.hpp"

namespace terrace::perf {

template <class Space>
std::vector<MethodEntry> terrace_methods() {
  constexpr auto terrace = MethodEntry::Kind::Terrace;
  constexpr Place space = Place::Space;
  return {
      {"automatic", terrace, space, Input::Rows, true, make_terrace<Space, Algorithm::Automatic>},
      {"once", terrace, space, Input::Rows, true, make_terrace_once<Space>},
      {"sequential", terrace, space, Input::Rows, true, make_terrace<Space, Algorithm::Sequential>},
      {"level_scheduled", terrace, space, Input::Rows, true, make_terrace<Space, Algorithm::LevelScheduled>},
      {"sync_free_rows", terrace, space, Input::Rows, true, make_terrace<Space, Algorithm::SyncFreeRows>},
      {"sync_free_columns", terrace, space, Input::Columns, true, make_terrace<Space, Algorithm::SyncFreeColumns>},
  };
}

}  // namespace terrace::perf

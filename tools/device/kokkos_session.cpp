// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/kokkos_session.hpp"

#include <Kokkos_Core.hpp>
#include <built_types.hpp>
#include <terrace/level_sets.hpp>
#include <tuple>

namespace terrace::tools {
namespace {

Kokkos::InitializationSettings settings(int threads) {
  Kokkos::InitializationSettings result;
  result.set_disable_warnings(true);  // advice on thread binding, in the middle of a report
  if (threads > 0) result.set_num_threads(threads);
  return result;
}

template <class Space>
Backend describe() {
  return {Space::name(), Space().concurrency(), std::is_same_v<Space, Kokkos::DefaultExecutionSpace>,
          Kokkos::SpaceAccessibility<Space, Kokkos::HostSpace>::accessible};
}

template <class... Spaces>
std::vector<Backend> describe_all(std::tuple<Spaces...>*) {
  return {describe<Spaces>()...};
}

}  // namespace

struct KokkosSession::Guard {
  explicit Guard(int threads) : scope(settings(threads)) {}
  Kokkos::ScopeGuard scope;
};

KokkosSession::KokkosSession(int threads) : guard_(std::make_unique<Guard>(threads)) {}

KokkosSession::~KokkosSession() = default;

std::vector<Backend> backends() { return describe_all(static_cast<BuiltSpaces*>(nullptr)); }

std::string kokkos_version() {
  return std::to_string(KOKKOS_VERSION_MAJOR) + "." + std::to_string(KOKKOS_VERSION_MINOR) + "." +
         std::to_string(KOKKOS_VERSION_PATCH);
}

std::vector<int> find_level_widths(const std::vector<std::size_t>& row_map, const std::vector<int>& entries,
                                   Uplo uplo) {
  using Space = Kokkos::DefaultHostExecutionSpace;
  using Device = Kokkos::Device<Space, Space::memory_space>;
  const std::vector<WidestOffset> converted(row_map.begin(), row_map.end());
  const Kokkos::View<const WidestOffset*, Device> row_map_view(converted.data(), converted.size());
  const Kokkos::View<const int*, Device> entries_view(entries.data(), entries.size());
  const auto sets = level_sets<int, WidestOffset, Space>(Space(), row_map_view, entries_view,
                                                         {.uplo = uplo, .diag = Diag::Unit, .stored = Stored::Full});
  std::vector<int> widths;
  widths.reserve(static_cast<std::size_t>(sets.levels()));
  for (int level = 0; level < sets.levels(); ++level) widths.push_back(sets.width(level));
  return widths;
}

}  // namespace terrace::tools

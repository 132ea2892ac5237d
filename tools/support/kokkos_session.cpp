// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/kokkos_session.hpp"

#include <Kokkos_Core.hpp>
#include <built_types.hpp>
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

}  // namespace terrace::tools

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kokkos for the length of main(), behind plain types, so that the program's front needs no Kokkos header.
#pragma once

#include <memory>
#include <string>
#include <terrace/triangular_options.hpp>
#include <vector>

namespace terrace::tools {

/// Initializes Kokkos and finalizes it. Kokkos never sees the program's arguments, so it cannot take any.
class KokkosSession {
 public:
  /// threads: of the host backend; 0 leaves the choice to Kokkos and its environment variables.
  explicit KokkosSession(int threads);
  ~KokkosSession();

 private:
  struct Guard;
  std::unique_ptr<Guard> guard_;
};

struct Backend {
  std::string name;  ///< as Kokkos spells it
  int concurrency = 0;
  bool is_default = false;
  bool is_host = false;
};

/// The execution spaces that Terrace was built for. Needs a session.
std::vector<Backend> backends();

std::string kokkos_version();

/// The number of rows in each level of a triangle of a square matrix on the host. Needs a session.
std::vector<int> find_level_widths(const std::vector<std::size_t>& row_map, const std::vector<int>& entries, Uplo uplo);

}  // namespace terrace::tools

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The products on an execution space.
#pragma once

#include "peers/peers.hpp"
#include "products/cases.hpp"
#include "products/terrace_products.hpp"

namespace terrace::perf {

/// `hec` chooses its width; `hec_w7` has the one that --hec-width asks for.
template <class Space>
std::vector<Case> cases_on(const Flags& flags, const std::vector<Entry>& vendors) {
  const auto hec = [](const std::string& name, const HecOptions& options) {
    return Entry{name,
                 "",
                 {Phase::Analysis, Phase::Multiply, Phase::ApplyEight},
                 make_on<ProductProblem, HecProduct<Space>>(options)};
  };
  std::vector<Entry> methods{
      {"crs", "", {Phase::Multiply, Phase::ApplyEight}, make_on<ProductProblem, CrsProduct<Space>>()}, hec("hec", {})};
  for (const int width : flags.hec_widths) methods.push_back(hec("hec_w" + std::to_string(width), {.width = width}));
  std::vector<Entry> peers{{"kokkos_kernels",
                            "",
                            {Phase::Multiply, Phase::ApplyEight},
                            make_on<ProductProblem, KokkosKernelsProduct<Space>>()}};
  peers.insert(peers.end(), vendors.begin(), vendors.end());
  return product_cases(flags, Space::name(), methods, peers);
}

}  // namespace terrace::perf

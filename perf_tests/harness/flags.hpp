// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of a benchmark, beside Google Benchmark's own flags.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "matrices/matrix_source.hpp"

namespace terrace::perf {

struct Flags {
  Size size = Size::Toy;
  std::string space;                    ///< empty: the default
  std::vector<std::string> shapes;      ///< empty: all
  std::vector<std::string> algorithms;  ///< empty: all
  std::vector<std::string> peers;       ///< empty: all
  std::string data;                     ///< a folder of Matrix Market files, or nothing
  int repetitions = 11;                 ///< of a solve; an analysis is repeated a third as often
  int right_hand_sides = 1;             ///< that are solved for at once
  bool right_layout = false;            ///< they lie as in Kokkos::LayoutRight
  std::vector<int> hec_widths;          ///< of the ELL part, to be measured beside the one that is chosen
  bool upper = false;                   ///< triangles, instead of lower ones
  std::vector<int> blocks;              ///< of a partition; empty: the usual ones
  std::vector<int> overlap;             ///< layers of neighbours around them; empty: the usual ones
  std::string partition = "boxes";      ///< or metis
  std::string block = "ilu0";           ///< or ilut:P,TAU
  double wind = 1.0;                    ///< of the shapes with convection
  std::string ordering = "automatic";   ///< of direct factorizations
  double amalgamation = 1.0;            ///< likewise
  std::string scaling;                  ///< likewise; empty: by the matrix
  int threads = 0;                      ///< of the peers on the host; 0: those of Kokkos
  bool list = false;
  bool help = false;
  std::vector<std::string> given;  ///< the names of those that were given
};

/// A flag or a value that does not exist; what() names the choices.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Reads what Google Benchmark and Kokkos have left of the command line.
/// \throws UsageError
Flags parse_flags(int argc, char** argv);

/// The help text.
std::string usage();

/// Throws UsageError if another flag was given than those that this program understands, or that all do.
void require_understood(const Flags& flags, const std::vector<std::string>& understood);

/// Throws UsageError unless every name is among the choices.
void require_choices(const std::string& flag, const std::vector<std::string>& names,
                     const std::vector<std::string>& choices);

/// Whether the list names it; an empty one names everything, and "none" nothing.
bool is_chosen(const std::string& name, const std::vector<std::string>& chosen);

template <class Named>
std::vector<std::string> names_of(const std::vector<Named>& all) {
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const Named& named : all) names.push_back(named.name);
  return names;
}

}  // namespace terrace::perf

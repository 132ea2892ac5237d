// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "demo/contest.hpp"

#include "demo/contest_scalar.hpp"
#include "support/choose_type.hpp"

namespace terrace::tools {

template <class Number>
std::vector<std::unique_ptr<Contest<Number>>> make_contests(const TriangularSystem<Number>& system) {
  const std::string precision = std::is_same_v<Number, double> ? "double" : "complex-double";
  std::vector<std::unique_ptr<Contest<Number>>> contests;
  choose_type(static_cast<BuiltScalars*>(nullptr), "precision", precision, [&]<class Scalar>(Scalar*) {
    if constexpr (name_of<Scalar> == "double" || name_of<Scalar> == "complex-double") {
      if constexpr (std::is_same_v<HostNumberOf<Scalar>, Number>) contests = make_contests_in<Scalar>(system);
    }
  });
  return contests;
}

template std::vector<std::unique_ptr<Contest<double>>> make_contests(const TriangularSystem<double>&);
template std::vector<std::unique_ptr<Contest<std::complex<double>>>> make_contests(
    const TriangularSystem<std::complex<double>>&);

}  // namespace terrace::tools

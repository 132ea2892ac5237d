// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses the scalar type among those that fit the system's numbers.
#include "solve/iteration.hpp"

#include "solve/iterate_scalar.hpp"
#include "support/choose_type.hpp"

namespace terrace::tools {

template <class Number>
Iteration<Number> iterate(const Request& request, const LinearSystem<Number>& system, ProgressLine& progress) {
  Iteration<Number> result;
  choose_type(static_cast<BuiltScalars*>(nullptr), "precision", request.precision, [&]<class Scalar>(Scalar*) {
    if constexpr (std::is_same_v<HostNumberOf<Scalar>, Number>) {
      result = iterate_scalar<Scalar>(request, system, progress);
    }
  });
  return result;
}

template Iteration<double> iterate(const Request&, const LinearSystem<double>&, ProgressLine&);
template Iteration<std::complex<double>> iterate(const Request&, const LinearSystem<std::complex<double>>&,
                                                 ProgressLine&);

}  // namespace terrace::tools

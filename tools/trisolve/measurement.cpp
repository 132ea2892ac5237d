// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses the scalar type among those that fit the system's numbers.
#include "trisolve/measurement.hpp"

#include "support/choose_type.hpp"
#include "trisolve/measure_scalar.hpp"

namespace terrace::tools {

template <class Number>
Measurement<Number> measure(const Request& request, const TriangularSystem<Number>& system, ProgressLine& progress) {
  Measurement<Number> result;
  choose_type(static_cast<BuiltScalars*>(nullptr), "precision", request.precision, [&]<class Scalar>(Scalar*) {
    if constexpr (std::is_same_v<HostNumberOf<Scalar>, Number>) {
      result = measure_scalar<Scalar>(request, system, progress);
    }
  });
  return result;
}

template Measurement<double> measure(const Request&, const TriangularSystem<double>&, ProgressLine&);
template Measurement<std::complex<double>> measure(const Request&, const TriangularSystem<std::complex<double>>&,
                                                   ProgressLine&);

}  // namespace terrace::tools

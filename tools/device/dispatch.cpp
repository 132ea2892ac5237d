// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the names on the command line to what is compiled for the types that they name.
#include <built_types.hpp>

#include "device/runs.hpp"

namespace terrace::tools {

template <class Number>
Measurement<Number> measure(const Request& request, const TriangularSystem<Number>& system, ProgressLine& progress) {
  Measurement<Number> result;
  choose_type(static_cast<BuiltScalars*>(nullptr), "--precision", request.precision, [&]<class Scalar>(Scalar*) {
    if constexpr (std::is_same_v<HostNumberOf<Scalar>, Number>)
      result = TriangularRun<Scalar>::run(request, system, progress);
  });
  return result;
}

template <class Number>
void run_schwarz(const Request& request, const LinearSystem<Number>& system, const std::vector<SchwarzShape>& shapes,
                 ProgressLine& progress, const TakeSchwarzRun<Number>& take) {
  choose_type(static_cast<BuiltScalars*>(nullptr), "--precision", request.precision, [&]<class Scalar>(Scalar*) {
    if constexpr (std::is_same_v<HostNumberOf<Scalar>, Number>)
      SchwarzRun<Scalar>::run(request, system, shapes, progress, take);
  });
}

template <class Number>
Run<Number> run_solve(const Request& request, const LinearSystem<Number>& system, ProgressLine& progress) {
  Run<Number> result;
  if (request.solve.is_direct) {
    choose_type(static_cast<BuiltScalars*>(nullptr), "--precision", request.precision, [&]<class Scalar>(Scalar*) {
      if constexpr (std::is_same_v<HostNumberOf<Scalar>, Number>)
        result = DirectRun<Scalar>::run(request, system, progress);
    });
    return result;
  }
  if (const auto& shape = request.solve.preconditioner->schwarz) {
    run_schwarz<Number>(request, system, {*shape}, progress,
                        [&result](const SchwarzShape&, const std::function<Run<Number>()>& run) { result = run(); });
    return result;
  }
  choose_type(static_cast<BuiltScalars*>(nullptr), "--precision", request.precision, [&]<class Scalar>(Scalar*) {
    if constexpr (std::is_floating_point_v<Scalar> && std::is_same_v<Number, double>) {
      if (system.diagonals) {
        result = DiagonalsRun<Scalar>::run(request, system, progress);
        return;
      }
    }
    if constexpr (std::is_same_v<HostNumberOf<Scalar>, Number>)
      result = RowsRun<Scalar>::run(request, system, progress);
  });
  return result;
}

using Complex = std::complex<double>;
template Measurement<double> measure(const Request&, const TriangularSystem<double>&, ProgressLine&);
template Measurement<Complex> measure(const Request&, const TriangularSystem<Complex>&, ProgressLine&);
template void run_schwarz(const Request&, const LinearSystem<double>&, const std::vector<SchwarzShape>&, ProgressLine&,
                          const TakeSchwarzRun<double>&);
template void run_schwarz(const Request&, const LinearSystem<Complex>&, const std::vector<SchwarzShape>&, ProgressLine&,
                          const TakeSchwarzRun<Complex>&);
template Run<double> run_solve(const Request&, const LinearSystem<double>&, ProgressLine&);
template Run<Complex> run_solve(const Request&, const LinearSystem<Complex>&, ProgressLine&);

}  // namespace terrace::tools

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "demo/demo_system.hpp"

#include "demo/poisson.hpp"
#include "demo/well_posed.hpp"
#include "support/read_matrix.hpp"

namespace terrace::tools {
namespace {

constexpr unsigned seed = 1;

DemoSystem of_poisson(int size) {
  TriangularSystem<double> system{
      .triangle = poisson_lower_triangle(size), .diag = Diag::NonUnit, .op = Op::None, .columns = 1, .b = {}};
  make_right_hand_sides(system, seed);
  const std::string edge = std::to_string(size);
  return {"7-point Poisson matrix on a grid of " + edge + " x " + edge + " x " + edge, "", std::move(system)};
}

template <class Number>
DemoSystem of_file(const std::string& path, const MatrixMarketMatrix& matrix) {
  DemoSystem result{path.substr(path.find_last_of('/') + 1), "", {}};
  auto system = make_well_posed(extract_triangle<Number>(matrix, Uplo::Lower, Diag::NonUnit), seed, result.remark);
  result.system = std::move(system);
  return result;
}

}  // namespace

DemoSystem make_demo_system(const DemoRequest& request, ProgressLine& progress) {
  if (request.matrix.empty()) {
    progress.stage("making the Poisson matrix");
    return of_poisson(request.size);
  }
  const MatrixMarketMatrix matrix = read_matrix(request.matrix, progress);
  progress.stage("making the system");
  if (matrix.header.field == MatrixMarketHeader::Field::Complex) {
    return of_file<std::complex<double>>(request.matrix, matrix);
  }
  return of_file<double>(request.matrix, matrix);
}

}  // namespace terrace::tools

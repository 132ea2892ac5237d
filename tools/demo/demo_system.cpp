// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "demo/demo_system.hpp"

#include <cmath>

#include "common/substitution.hpp"

namespace terrace::tools {
namespace {

constexpr unsigned seed = 1;
constexpr double overflow_is_near = 1e100;

/// Every row has a diagonal one can divide by: stored, finite, not zero.
template <class Number>
bool has_usable_diagonal(const HostMatrix<Number>& T) {
  for (int row = 0; row < T.n; ++row) {
    if (T.row_map[row] == T.row_map[row + 1]) return false;
    const std::size_t last = T.row_map[row + 1] - 1;
    const double size = std::abs(T.values[last]);
    if (T.entries[last] != row || size == 0 || !std::isfinite(size)) return false;
  }
  return true;
}

/// The same strictly lower part with ones on the diagonal.
template <class Number>
HostMatrix<Number> with_unit_diagonal(const HostMatrix<Number>& T) {
  HostMatrix<Number> result;
  result.n = T.n;
  const auto add = [&result](int column, Number value) {
    result.entries.push_back(column);
    result.values.push_back(value);
  };
  for (int row = 0; row < T.n; ++row) {
    for (std::size_t k = T.row_map[row]; k < T.row_map[row + 1]; ++k) {
      if (T.entries[k] != row) add(T.entries[k], T.values[k]);
    }
    add(row, Number(1));
    result.row_map.push_back(result.entries.size());
  }
  return result;
}

template <class Number>
void scale_rows(HostMatrix<Number>& T) {
  for (int row = 0; row < T.n; ++row) {
    const std::size_t diagonal = T.row_map[row + 1] - 1;
    double sum = 0;
    for (std::size_t k = T.row_map[row]; k < diagonal; ++k) sum += std::abs(T.values[k]);
    const double factor = std::abs(T.values[diagonal]) / sum;
    if (factor >= 1 || sum == 0) continue;
    for (std::size_t k = T.row_map[row]; k < diagonal; ++k) T.values[k] *= factor;
  }
}

template <class Number>
bool explodes(const TriangularSystem<Number>& system) {
  std::vector<Number> x(system.b.size());
  solve_by_serial_loop(system, x);
  for (const Number& number : x) {
    if (!(std::abs(number) < overflow_is_near)) return true;
  }
  return false;
}

/// `remark` becomes a sentence on what was changed, or stays as it is.
template <class Number>
TriangularSystem<Number> make_well_posed(HostMatrix<Number> triangle, std::string& remark) {
  TriangularSystem<Number> system{
      .triangle = std::move(triangle), .diag = Diag::NonUnit, .op = Op::None, .columns = 1, .b = {}};
  if (!has_usable_diagonal(system.triangle)) {
    system.triangle = with_unit_diagonal(system.triangle);
    system.diag = Diag::Unit;
    remark = "The diagonal is taken as ones, since some of it is missing or zero.";
  }
  make_right_hand_sides(system, seed);
  if (explodes(system)) {
    scale_rows(system.triangle);
    make_right_hand_sides(system, seed);
    remark += (remark.empty() ? "" : " ");
    remark += "Rows are scaled to be no larger left of the diagonal than on it; x would overflow otherwise.";
  }
  return system;
}

/// The lower triangle: 6 on the diagonal, -1 for each neighbor that comes before, x fastest.
HostMatrix<double> poisson_lower_triangle(int size) {
  HostMatrix<double> triangle;
  triangle.n = size * size * size;
  const auto add = [&triangle](int column, double value) {
    triangle.entries.push_back(column);
    triangle.values.push_back(value);
  };
  for (int row = 0; row < triangle.n; ++row) {
    if (row >= size * size) add(row - size * size, -1);
    if (row / size % size > 0) add(row - size, -1);
    if (row % size > 0) add(row - 1, -1);
    add(row, 6);
    triangle.row_map.push_back(triangle.entries.size());
  }
  return triangle;
}

template <class Number>
DemoSystem of_file(const std::string& path, MatrixMarketMatrix&& matrix) {
  DemoSystem result{path.substr(path.find_last_of('/') + 1), "", {}};
  auto triangle = triangle_of(to_host_matrix<Number>(std::move(matrix)), Uplo::Lower, Diag::NonUnit);
  result.system = make_well_posed(std::move(triangle), result.remark);
  return result;
}

}  // namespace

template <class Number>
void solve_by_serial_loop(const TriangularSystem<Number>& system, std::vector<Number>& x) {
  const HostMatrix<Number>& T = system.triangle;
  common::substitute_forward(T.n, T.row_map.data(), T.entries.data(), T.values.data(), system.b.data(), x.data());
}
template void solve_by_serial_loop(const TriangularSystem<double>&, std::vector<double>&);
template void solve_by_serial_loop(const TriangularSystem<std::complex<double>>&, std::vector<std::complex<double>>&);

DemoSystem make_poisson_system(int size) {
  TriangularSystem<double> system{
      .triangle = poisson_lower_triangle(size), .diag = Diag::NonUnit, .op = Op::None, .columns = 1, .b = {}};
  make_right_hand_sides(system, seed);
  const std::string edge = std::to_string(size);
  return {"7-point Poisson matrix on a grid of " + edge + " x " + edge + " x " + edge, "", std::move(system)};
}

DemoSystem read_demo_system(const std::string& path, ProgressLine& progress) {
  MatrixMarketMatrix matrix = read_matrix(path, progress);
  if (matrix.header.rows != matrix.header.columns)
    throw Error(ErrorCode::NotSquare, not_square_message(matrix.header, "a triangular solve"));
  progress.stage("making the system");
  if (matrix.header.field == MatrixMarketHeader::Field::Complex)
    return of_file<std::complex<double>>(path, std::move(matrix));
  return of_file<double>(path, std::move(matrix));
}

}  // namespace terrace::tools

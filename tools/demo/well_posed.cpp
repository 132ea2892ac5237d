// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "demo/well_posed.hpp"

#include <cmath>

#include "demo/serial_loop.hpp"

namespace terrace::tools {
namespace {

constexpr double overflow_is_near = 1e100;

/// Every row has a diagonal one can divide by: stored, finite, not zero.
template <class Number>
bool has_usable_diagonal(const HostTriangle<Number>& T) {
  for (int row = 0; row < T.rows; ++row) {
    if (T.row_map[row] == T.row_map[row + 1]) return false;
    const std::size_t last = T.row_map[row + 1] - 1;
    const double size = std::abs(T.values[last]);
    if (T.entries[last] != row || size == 0 || !std::isfinite(size)) return false;
  }
  return true;
}

/// The same strictly lower part with ones on the diagonal.
template <class Number>
HostTriangle<Number> with_unit_diagonal(const HostTriangle<Number>& T) {
  HostTriangle<Number> result;
  result.rows = T.rows;
  const auto add = [&result](int column, Number value) {
    result.entries.push_back(column);
    result.values.push_back(value);
  };
  for (int row = 0; row < T.rows; ++row) {
    for (std::size_t k = T.row_map[row]; k < T.row_map[row + 1]; ++k) {
      if (T.entries[k] != row) add(T.entries[k], T.values[k]);
    }
    add(row, Number(1));
    result.row_map.push_back(result.entries.size());
  }
  return result;
}

template <class Number>
void scale_rows(HostTriangle<Number>& T) {
  for (int row = 0; row < T.rows; ++row) {
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

}  // namespace

template <class Number>
TriangularSystem<Number> make_well_posed(HostTriangle<Number> triangle, unsigned seed, std::string& remark) {
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

template TriangularSystem<double> make_well_posed(HostTriangle<double>, unsigned, std::string&);
template TriangularSystem<std::complex<double>> make_well_posed(HostTriangle<std::complex<double>>, unsigned,
                                                                std::string&);

}  // namespace terrace::tools

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "direct/direct_shapes.hpp"

#include <algorithm>
#include <iostream>
#include <optional>
#include <terrace/matrix_market.hpp>
#include <utility>

#include "direct/survey_shapes.hpp"
#include "matrices/grid_shapes.hpp"
#include "matrices/matrix_entry.hpp"

namespace terrace::perf {
namespace {

const std::string sizes = "sizes", hosts = "hosts", tables = "tables", survey = "survey";

struct Values {
  bool are_complex = false;
  std::string like = {};
};

DirectShape grid(std::string name, std::vector<std::string> groups, const LowerStencil& stencil, const Grid& toy,
                 const Grid& full, const Values& values = {}) {
  return {std::move(name), std::move(groups), values.like, values.are_complex,
          [=](Size size) { return grid_pattern(size == Size::Toy ? toy : full, stencil); }};
}

std::vector<DirectShape> of_all_sizes() {
  const LowerStencil solid = twenty_seven_point(), shell = nine_point();
  const Values waves{.are_complex = true};
  return {
      grid("elastic-20", {sizes}, solid, {4, 4, 4, 3}, {20, 20, 20, 3}),
      grid("elastic-28", {sizes, hosts}, solid, {6, 6, 6, 3}, {28, 28, 28, 3}),
      grid("elastic-42", {sizes}, solid, {7, 7, 7, 3}, {42, 42, 42, 3}),
      grid("shell-190", {sizes, hosts}, shell, {14, 14, 1, 6}, {190, 190, 1, 6}),
      grid("grid7-64", {sizes, hosts}, seven_point(), {11, 11, 11}, {64, 64, 64}),
      grid("grid5-1000", {sizes}, five_point(), {50, 50, 1}, {1000, 1000, 1}),
      grid("wave-53", {sizes}, solid, {9, 9, 9}, {53, 53, 53}, waves),
      grid("wave-shell-62", {sizes}, shell, {12, 12, 1, 6}, {62, 62, 1, 6}, waves),
      grid("wave-32", {hosts}, solid, {8, 8, 8}, {32, 32, 32}, waves),
  };
}

std::vector<DirectShape> of_the_tables() {
  const LowerStencil solid = twenty_seven_point(), shell = nine_point();
  return {
      grid("wave-plate", {tables}, solid, {9, 9, 3, 3}, {50, 50, 3, 3}, {true, "windscreen"}),
      grid("solid-31", {tables}, solid, {3, 4, 6, 3}, {12, 22, 31, 3}, {false, "crystk03"}),
      grid("strip-170", {tables}, shell, {5, 30, 1, 6}, {25, 170, 1, 6}, {false, "bcsstk37"}),
      grid("strip-280", {tables}, shell, {4, 40, 1, 6}, {18, 280, 1, 6}, {false, "bcsstk35"}),
      grid("solid-34", {tables}, solid, {6, 6, 6, 2}, {34, 34, 34, 2}, {false, "t3dh"}),
      grid("slab-112", {tables}, solid, {9, 9, 4, 2}, {112, 113, 6, 2}, {false, "TEM152078"}),
      grid("slab-123", {tables}, solid, {10, 10, 4, 2}, {123, 123, 6, 2}, {false, "TEM181302"}),
      grid("shell-191", {tables}, shell, {15, 14, 1, 6}, {191, 190, 1, 6}, {false, "pwtk"}),
      grid("shell-203", {tables}, shell, {15, 16, 1, 6}, {203, 202, 1, 6}, {false, "BenElechi1"}),
  };
}

/// In the order of the tables.
const std::vector<std::string> known{"1138_bus", "bcsstk16", "Dubcova1", "rail_79841_K", "helmholtz_2D", "young1c"};
const std::string not_served_by_static_pivots = "cont-300_kkt";

DirectMatrix generated(const DirectShape& shape, Size size) {
  if (shape.has_complex_values)
    return {shape.name, {}, [&shape, size] { return laplacian_on<Complex>(shape.pattern(size)); }};
  return {shape.name, [&shape, size] { return laplacian_on<Real>(shape.pattern(size)); }, {}};
}

/// Whether nothing on the diagonal says that A is indefinite. Peers that need a definite matrix find out.
bool may_be_definite(const SymmetricRows<Real>& A) {
  for (int row = 0; row < A.n; ++row)
    if (!(A.values[A.row_map[row + 1] - 1] > 0)) return false;
  return true;
}

DirectMatrix stored(const std::string& name, const std::string& path, bool is_complex) {
  if (is_complex) return {name, {}, [path] { return read_symmetric<Complex>(path); }};
  const auto read = [path] {
    auto A = read_symmetric<Real>(path);
    A.is_positive_definite = may_be_definite(A);
    return A;
  };
  return {name, read, {}};
}

/// Of a symmetric matrix with values; others are left out, and files that cannot be read.
std::optional<MatrixMarketHeader> header_of(const std::string& path) try {
  using Header = MatrixMarketHeader;
  const Header header = read_matrix_market_header(path);
  const bool is_served = header.symmetry == Header::Symmetry::Symmetric && header.field != Header::Field::Pattern;
  return is_served ? std::optional(header) : std::nullopt;
} catch (const Error& error) {
  std::cerr << "left out: " << error.what() << '\n';
  return std::nullopt;
}

/// The symmetric matrices of the folder with values: those that are known first, then others by their names.
std::vector<DirectMatrix> stored_in(const std::string& folder) {
  std::vector<MatrixFile> files = matrix_files(folder);
  const auto rank = [](const MatrixFile& file) { return std::find(known.begin(), known.end(), file.name); };
  std::stable_sort(files.begin(), files.end(), [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  std::vector<DirectMatrix> matrices;
  for (const auto& [name, path] : files) {
    if (name == not_served_by_static_pivots) continue;
    if (const auto header = header_of(path))
      matrices.push_back(stored(name, path, header->field == MatrixMarketHeader::Field::Complex));
  }
  return matrices;
}

bool is_asked_for(const DirectShape& shape, const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return name == shape.name || std::find(shape.groups.begin(), shape.groups.end(), name) != shape.groups.end();
  });
}

}  // namespace

const std::vector<DirectShape>& direct_shapes() {
  static const std::vector<DirectShape> all = [] {
    std::vector<DirectShape> list = of_all_sizes();
    for (auto* more : {of_the_tables, survey_shapes})
      for (DirectShape& shape : more()) list.push_back(std::move(shape));
    return list;
  }();
  return all;
}

std::vector<DirectMatrix> chosen_direct_matrices(const Flags& flags) {
  std::vector<std::string> names{"none", sizes, hosts, tables, survey};
  for (const DirectShape& shape : direct_shapes()) names.push_back(shape.name);
  require_choices("--shapes", flags.shapes, names);
  std::vector<DirectMatrix> matrices;
  for (const DirectShape& shape : direct_shapes())
    if (is_asked_for(shape, flags.shapes.empty() ? std::vector{sizes} : flags.shapes))
      matrices.push_back(generated(shape, flags.size));
  if (flags.data.empty()) return matrices;
  std::vector<DirectMatrix> of_folder;
  try {
    of_folder = stored_in(flags.data);
  } catch (const std::exception& error) {
    throw UsageError("--data=" + flags.data + ": " + error.what());
  }
  if (of_folder.empty()) throw UsageError("--data=" + flags.data + " has no symmetric matrix with values");
  for (DirectMatrix& matrix : of_folder) matrices.push_back(std::move(matrix));
  return matrices;
}

}  // namespace terrace::perf

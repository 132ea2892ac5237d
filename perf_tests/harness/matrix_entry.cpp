// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/matrix_entry.hpp"

#include <algorithm>
#include <filesystem>
#include <terrace/matrix_market.hpp>

namespace terrace::perf {
namespace {

LowerTriangle lower_triangle(const MatrixMarketMatrix& A) {
  LowerTriangle L{static_cast<int>(A.header.rows), {0}, {}, {}};
  for (int row = 0; row < L.n; ++row) {
    double diagonal = 1.0;
    for (std::size_t k = A.row_map[row]; k < A.row_map[row + 1]; ++k) {
      if (A.entries[k] == row && A.real[k] != 0.0) diagonal = A.real[k];
      if (A.entries[k] >= row) continue;
      L.entries.push_back(A.entries[k]);
      L.values.push_back(A.real[k]);
    }
    L.entries.push_back(row);
    L.values.push_back(diagonal);
    L.row_map.push_back(L.entries.size());
  }
  return L;
}

LowerTriangle read_lower_triangle(const std::string& path) try {
  const MatrixMarketMatrix A = read_matrix_market(path);
  if (A.header.rows != A.header.columns) throw UnusableMatrix(path + " is not square");
  if (A.header.field == MatrixMarketHeader::Field::Complex)
    throw UnusableMatrix(path + " is complex; the benchmarks solve real systems");
  return lower_triangle(A);
} catch (const Error& error) {
  throw UnusableMatrix(error.what());
}

}  // namespace

std::vector<MatrixEntry> generated_matrices(const std::vector<std::string>& names, Size size) {
  std::vector<MatrixEntry> matrices;
  for (const Shape& shape : shapes())
    if (names.empty() || std::find(names.begin(), names.end(), shape.name) != names.end())
      matrices.push_back({shape.name, [&shape, size] { return make_matrix(shape, size); }});
  return matrices;
}

std::vector<MatrixEntry> stored_matrices(const std::string& folder) {
  std::vector<MatrixEntry> matrices;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const std::string path = file.path().string();
    const std::string name = file.path().filename().string();
    const std::size_t suffix = name.rfind(".mtx");
    if (suffix == std::string::npos || (name.substr(suffix) != ".mtx" && name.substr(suffix) != ".mtx.gz")) continue;
    matrices.push_back({name.substr(0, suffix), [path] { return read_lower_triangle(path); }});
  }
  std::sort(matrices.begin(), matrices.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return matrices;
}

}  // namespace terrace::perf

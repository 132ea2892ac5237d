// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "matrices/matrix_entry.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <numeric>
#include <terrace/matrix_market.hpp>

#include "common/harness/method.hpp"

namespace terrace::perf {
namespace {

/// Entry k of A seen as an entry of the lower triangle that is wanted.
struct LowerEntry {
  int row, column;
  Real value;
};

/// The lower triangle of A, or the transpose of its upper one. A is walked by rows, so either way the columns of each
/// row come in ascending order.
LowerTriangle lower_triangle(const MatrixMarketMatrix& A, bool upper) {
  const int n = static_cast<int>(A.header.rows);
  const auto for_each_entry = [&](const auto& use) {
    for (int row = 0; row < n; ++row)
      for (std::size_t k = A.row_map[row]; k < A.row_map[row + 1]; ++k) {
        const int column = static_cast<int>(A.entries[k]);
        if (upper ? column >= row : column <= row)
          use(LowerEntry{upper ? column : row, upper ? row : column, static_cast<Real>(A.real[k])});
      }
  };
  LowerTriangle L{n, std::vector<std::size_t>(static_cast<std::size_t>(n) + 1, 0), {}, {}};
  for (int row = 0; row < n; ++row) L.row_map[row + 1] = 1;  // the diagonal
  for_each_entry([&](const LowerEntry& entry) { L.row_map[entry.row + 1] += entry.column < entry.row ? 1 : 0; });
  std::partial_sum(L.row_map.begin(), L.row_map.end(), L.row_map.begin());
  L.entries.resize(L.row_map.back());
  L.values.resize(L.row_map.back());
  std::vector<std::size_t> next(L.row_map.begin(), L.row_map.end() - 1);
  for (int row = 0; row < n; ++row) {
    L.entries[L.row_map[row + 1] - 1] = row;
    L.values[L.row_map[row + 1] - 1] = Real(1);
  }
  for_each_entry([&](const LowerEntry& entry) {
    if (entry.column == entry.row) {
      if (entry.value != Real(0)) L.values[L.row_map[entry.row + 1] - 1] = entry.value;
      return;
    }
    L.entries[next[entry.row]] = entry.column;
    L.values[next[entry.row]++] = entry.value;
  });
  return L;
}

LowerTriangle read_triangle(const std::string& path, bool upper) try {
  const MatrixMarketMatrix A = read_matrix_market(path);
  if (A.header.rows != A.header.columns) throw LeftOut("not square");
  if (A.header.field == MatrixMarketHeader::Field::Complex) throw LeftOut("complex; the benchmarks solve real systems");
  return lower_triangle(A, upper);
} catch (const Error& error) {
  throw LeftOut(error.what());
}

}  // namespace

std::vector<MatrixEntry> generated_matrices(const std::vector<std::string>& names, Size size) {
  std::vector<MatrixEntry> matrices;
  for (const Shape& shape : shapes())
    if (names.empty() ? !shape.only_by_name : std::find(names.begin(), names.end(), shape.name) != names.end())
      matrices.push_back({shape.name, [&shape, size] { return make_matrix(shape, size); }});
  return matrices;
}

std::vector<MatrixFile> matrix_files(const std::string& folder) {
  std::vector<MatrixFile> files;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const std::string name = file.path().filename().string();
    const std::size_t suffix = name.rfind(".mtx");
    if (suffix != std::string::npos && (name.substr(suffix) == ".mtx" || name.substr(suffix) == ".mtx.gz"))
      files.push_back({name.substr(0, suffix), file.path().string()});
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return files;
}

std::vector<MatrixEntry> stored_matrices(const std::string& folder, bool upper) {
  std::vector<MatrixEntry> matrices;
  for (const MatrixFile& file : matrix_files(folder))
    matrices.push_back({file.name, [path = file.path, upper] { return read_triangle(path, upper); }});
  return matrices;
}

std::vector<MatrixEntry> chosen_matrices(const Flags& flags, const std::vector<std::string>& usual) {
  std::vector<std::string> names{"none"};
  for (const Shape& shape : shapes()) names.push_back(shape.name);
  require_choices("--shapes", flags.shapes, names);
  std::vector<MatrixEntry> matrices = generated_matrices(flags.shapes.empty() ? usual : flags.shapes, flags.size);
  if (flags.data.empty()) return matrices;
  try {
    for (const MatrixEntry& matrix : stored_matrices(flags.data, flags.upper)) matrices.push_back(matrix);
  } catch (const std::exception& error) {
    throw UsageError("--data=" + flags.data + ": " + error.what());
  }
  return matrices;
}

void print_list(const std::vector<MatrixEntry>& matrices, bool upper) {
  std::printf("%-20s %10s %11s %7s %9s\n", "matrix", "n", "nnz", "levels", "widest");
  for (const MatrixEntry& matrix : matrices) {
    const LowerTriangle L = matrix.make();
    const LevelCount levels = upper ? count_levels_of_transpose(L) : count_levels(L);
    std::printf("%-20s %10d %11zu %7d %9d\n", matrix.name.c_str(), L.n, L.nnz(), levels.levels, levels.widest);
    std::fflush(stdout);
  }
}

}  // namespace terrace::perf

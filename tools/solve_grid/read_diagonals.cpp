// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <zlib.h>

#include <bit>
#include <memory>
#include <terrace/error.hpp>

#include "solve_grid/grid_problem.hpp"

namespace terrace::tools {

static_assert(std::endian::native == std::endian::little, "numbers are read as they lie in the file");

template <class Number>
std::vector<Number> read_numbers(const std::string& path) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  if (!file) throw Error(ErrorCode::InvalidFile, path + " cannot be opened");
  constexpr unsigned numbers_at_once = 1u << 20;
  std::vector<Number> numbers;
  while (true) {
    const std::size_t before = numbers.size();
    numbers.resize(before + numbers_at_once);
    const int bytes = gzread(file.get(), numbers.data() + before, numbers_at_once * sizeof(Number));
    int error = Z_OK;
    gzerror(file.get(), &error);
    if (bytes < 0 || error != Z_OK || static_cast<std::size_t>(bytes) % sizeof(Number) != 0)
      throw Error(ErrorCode::InvalidFile, path + " is damaged or ends in the middle of a number");
    numbers.resize(before + static_cast<std::size_t>(bytes) / sizeof(Number));
    if (numbers.size() == before) return numbers;
  }
}

template std::vector<float> read_numbers(const std::string&);
template std::vector<double> read_numbers(const std::string&);

GridProblem read_diagonals(const std::string& path, const Grid& grid) {
  const auto numbers = read_numbers<double>(path);
  const auto n = static_cast<std::size_t>(grid.cells());
  const std::size_t diagonals = grid.nz > 1 ? 4 : 3;
  if (numbers.size() != diagonals * n && numbers.size() != (diagonals + 1) * n)
    throw Error(ErrorCode::InvalidFile, path + " has " + std::to_string(numbers.size()) + " numbers; " +
                                            std::to_string(diagonals) + " diagonals of the " + to_string(grid) +
                                            " grid have " + std::to_string(diagonals * n) + ", with b " +
                                            std::to_string((diagonals + 1) * n));
  const auto part = [&](std::size_t place) {
    const auto first = numbers.begin() + static_cast<std::ptrdiff_t>(place * n);
    return std::vector<double>(first, first + static_cast<std::ptrdiff_t>(n));
  };
  const bool has_b = numbers.size() > diagonals * n;
  return {grid,
          path,
          part(0),
          part(1),
          part(2),
          grid.nz > 1 ? part(3) : std::vector<double>(n, 0.0),
          has_b ? part(diagonals) : std::vector<double>(n, 1.0)};
}

}  // namespace terrace::tools

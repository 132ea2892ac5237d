// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a Matrix Market file: banner and size line, entries, compressed rows.
//
// The format: R. F. Boisvert, R. Pozo, K. A. Remington, The Matrix Market Exchange Formats: Initial Design,
// NISTIR 5935 (1996). The dense `array` format is not read.
#include <terrace/matrix_market.hpp>

#include <unistd.h>

#include <cmath>
#include <limits>
#include <new>

#include "compress_entries.hpp"
#include "read_entries.hpp"
#include "read_header.hpp"
#include "text_input.hpp"

namespace terrace {
namespace {

using Field = MatrixMarketHeader::Field;
using Symmetry = MatrixMarketHeader::Symmetry;

/// The bytes that reading needs at its peak: the lines as triplets next to the compressed rows. In floating point,
/// because the declared number of entries may be any.
double needed_bytes(const MatrixMarketHeader& header) {
  const double per_row = 2 * sizeof(std::size_t);
  const double value = header.field == Field::Complex ? 2 * sizeof(double) : sizeof(double);
  const double per_line = 2 * sizeof(int) + (header.field == Field::Pattern ? 0 : value);
  const double halves = header.symmetry == Symmetry::General ? 1 : 2;
  const double per_entry = halves * (sizeof(int) + value);
  return static_cast<double>(header.rows) * per_row +
         static_cast<double>(header.stored_entries) * (per_line + per_entry);
}

/// The memory of the machine, which no allocation reports: the system may grant more and fail when it is touched.
double physical_bytes() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  if (pages <= 0) return std::numeric_limits<double>::infinity();
  return static_cast<double>(pages) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
}

std::string describe_need(const MatrixMarketHeader& header) {
  const auto gibibytes = [](double bytes) {
    constexpr double gibibyte = 1024.0 * 1024.0 * 1024.0;
    return std::to_string(static_cast<std::int64_t>(std::ceil(bytes / gibibyte))) + " GiB";
  };
  return "not enough memory: to read a " + std::to_string(header.rows) + "x" + std::to_string(header.columns) +
         " matrix of " + std::to_string(header.stored_entries) + " entries takes " + gibibytes(needed_bytes(header)) +
         "; this machine has " + gibibytes(physical_bytes());
}

}  // namespace

MatrixMarketMatrix read_matrix_market(const std::string& path, const ReadProgress& progress) {
  io::TextInput input(path, progress);
  MatrixMarketMatrix matrix;
  matrix.header = io::read_header(input);
  const std::int64_t size_line = input.line_number();
  if (needed_bytes(matrix.header) > physical_bytes()) {
    input.fail_at(size_line, ErrorCode::OutOfMemory, describe_need(matrix.header));
  }
  try {
    io::compress_entries(io::read_entries(input, matrix.header), matrix);
  } catch (const std::bad_alloc&) {
    input.fail_at(size_line, ErrorCode::OutOfMemory, describe_need(matrix.header));
  }
  if (progress) progress(1.0);
  return matrix;
}

MatrixMarketHeader read_matrix_market_header(const std::string& path) {
  io::TextInput input(path, {});
  return io::read_header(input);
}

}  // namespace terrace

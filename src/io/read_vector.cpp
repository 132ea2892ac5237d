// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads vectors: the array format, or a matrix in the coordinate format that is made dense.
#include <algorithm>
#include <cctype>
#include <climits>
#include <terrace/matrix_market.hpp>

#include "read_header.hpp"
#include "text_input.hpp"
#include "words.hpp"

namespace terrace {
namespace {

using io::TextInput;
using io::Words;

/// Of a sparse file that is made dense: 32 GiB.
constexpr std::size_t max_dense_numbers = std::size_t(1) << 32;

std::string lower(std::string_view word) {
  std::string text(word);
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

/// Whether the banner announces an array; `complex` says of what.
bool announces_array(TextInput& input, bool& complex) {
  std::string_view line;
  if (!input.next_line(line)) return false;
  Words words(line);
  words.next();
  words.next();
  if (lower(words.next()) != "array") return false;
  const std::string field = lower(words.next());
  complex = field == "complex";
  if (!complex && field != "real" && field != "integer")
    input.fail("an array of " + io::quoted(field) + " is not read");
  if (const std::string symmetry = lower(words.next()); symmetry != "general")
    input.fail("vectors are general, not " + io::quoted(symmetry));
  return true;
}

MatrixMarketVectors read_size(TextInput& input) {
  std::string_view line;
  if (!io::next_data_line(input, line)) input.fail("the file ends before its size line");
  Words words(line);
  MatrixMarketVectors vectors;
  const auto parse = [&](std::int64_t& size) {
    return io::parse_integer(words.next(), size) == io::Parsed::Number && size >= 0 && size <= INT_MAX;
  };
  if (!parse(vectors.rows) || !parse(vectors.columns))
    input.fail("the size line must hold two numbers, rows and columns");
  return vectors;
}

double read_number(TextInput& input, Words& words) {
  double number = 0;
  const std::string_view word = words.next();
  if (io::parse_real(word, number) != io::Parsed::Number) input.fail("expected a number, found " + io::quoted(word));
  return number;
}

MatrixMarketVectors read_array(TextInput& input, bool complex) {
  MatrixMarketVectors vectors = read_size(input);
  const std::int64_t count = vectors.rows * vectors.columns;
  std::string_view line;
  for (std::int64_t k = 0; k < count; ++k) {
    if (!io::next_data_line(input, line))
      input.fail("the file ends after " + std::to_string(k) + " of " + std::to_string(count) + " numbers");
    Words words(line);
    vectors.real.push_back(read_number(input, words));
    if (complex) vectors.imaginary.push_back(read_number(input, words));
    if (!words.next().empty()) input.fail("there is more than one number in the line");
  }
  if (io::next_data_line(input, line)) input.fail("there are more than " + std::to_string(count) + " numbers");
  return vectors;
}

MatrixMarketVectors densify(const std::string& path) {
  const MatrixMarketMatrix matrix = read_matrix_market(path);
  MatrixMarketVectors vectors{matrix.header.rows, matrix.header.columns, {}, {}};
  const auto rows = static_cast<std::size_t>(vectors.rows), columns = static_cast<std::size_t>(vectors.columns);
  if (columns > 0 && rows > max_dense_numbers / columns)
    throw Error(ErrorCode::OutOfMemory, path + " has " + std::to_string(rows) + " rows and " + std::to_string(columns) +
                                            " columns; as right-hand sides they would not fit into memory");
  vectors.real.resize(rows * columns);
  if (!matrix.imaginary.empty()) vectors.imaginary.resize(rows * columns);
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t k = matrix.row_map[row]; k < matrix.row_map[row + 1]; ++k) {
      const std::size_t place = static_cast<std::size_t>(matrix.entries[k]) * rows + row;
      vectors.real[place] = matrix.real[k];
      if (!matrix.imaginary.empty()) vectors.imaginary[place] = matrix.imaginary[k];
    }
  return vectors;
}

}  // namespace

MatrixMarketVectors read_matrix_market_vectors(const std::string& path) {
  TextInput input(path, {});
  bool complex = false;
  return announces_array(input, complex) ? read_array(input, complex) : densify(path);
}

}  // namespace terrace

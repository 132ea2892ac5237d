// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a vector: the array format with one column, or a matrix of one column in the coordinate format.
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
    input.fail("a vector is general, not " + io::quoted(symmetry));
  return true;
}

std::int64_t read_length(TextInput& input) {
  std::string_view line;
  if (!io::next_data_line(input, line)) input.fail("the file ends before its size line");
  Words words(line);
  std::int64_t rows = 0, columns = 0;
  if (io::parse_integer(words.next(), rows) != io::Parsed::Number ||
      io::parse_integer(words.next(), columns) != io::Parsed::Number || rows < 0 || rows > INT_MAX)
    input.fail("the size line must hold two numbers, rows and columns");
  if (columns != 1) input.fail("there are " + std::to_string(columns) + " columns; a right-hand side has one");
  return rows;
}

double read_number(TextInput& input, Words& words) {
  double number = 0;
  const std::string_view word = words.next();
  if (io::parse_real(word, number) != io::Parsed::Number) input.fail("expected a number, found " + io::quoted(word));
  return number;
}

MatrixMarketVector read_array(TextInput& input, bool complex) {
  MatrixMarketVector vector;
  const std::int64_t rows = read_length(input);
  std::string_view line;
  for (std::int64_t row = 0; row < rows; ++row) {
    if (!io::next_data_line(input, line))
      input.fail("the file ends after " + std::to_string(row) + " of " + std::to_string(rows) + " numbers");
    Words words(line);
    vector.real.push_back(read_number(input, words));
    if (complex) vector.imaginary.push_back(read_number(input, words));
    if (!words.next().empty()) input.fail("there is more than one number in the line");
  }
  if (io::next_data_line(input, line)) input.fail("there are more than " + std::to_string(rows) + " numbers");
  return vector;
}

MatrixMarketVector densify(const std::string& path) {
  const MatrixMarketMatrix matrix = read_matrix_market(path);
  if (matrix.header.columns != 1)
    throw Error(ErrorCode::InvalidFile,
                path + " has " + std::to_string(matrix.header.columns) + " columns; a right-hand side has one");
  MatrixMarketVector vector;
  const auto rows = static_cast<std::size_t>(matrix.header.rows);
  vector.real.resize(rows);
  if (!matrix.imaginary.empty()) vector.imaginary.resize(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t k = matrix.row_map[row]; k < matrix.row_map[row + 1]; ++k) {
      vector.real[row] = matrix.real[k];
      if (!matrix.imaginary.empty()) vector.imaginary[row] = matrix.imaginary[k];
    }
  }
  return vector;
}

}  // namespace

MatrixMarketVector read_matrix_market_vector(const std::string& path) {
  TextInput input(path, {});
  bool complex = false;
  return announces_array(input, complex) ? read_array(input, complex) : densify(path);
}

}  // namespace terrace

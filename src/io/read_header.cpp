// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "read_header.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "words.hpp"

namespace terrace::io {
namespace {

using Field = MatrixMarketHeader::Field;
using Symmetry = MatrixMarketHeader::Symmetry;

/// A place in the banner and the words that may stand there, in the order of their enumerators.
struct Place {
  std::string_view name;
  std::array<std::string_view, 4> known;

  int find(std::string_view word) const {
    const auto found = std::find(known.begin(), known.end(), word);
    return word.empty() || found == known.end() ? -1 : static_cast<int>(found - known.begin());
  }

  std::string list() const {
    std::string text(known[0]);
    for (std::size_t i = 1; i < known.size() && !known[i].empty(); ++i) text.append(", ").append(known[i]);
    return text;
  }
};

constexpr std::array<Place, 4> places = {{{"object", {"matrix"}},
                                          {"format", {"coordinate"}},
                                          {"field", {"real", "integer", "pattern", "complex"}},
                                          {"symmetry", {"general", "symmetric", "skew-symmetric", "hermitian"}}}};

std::string lower_case(std::string_view word) {
  std::string lower(word);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

/// A word that is known at a later place means that the word for this place was left out.
bool belongs_later(std::size_t place, std::string_view word) {
  return std::any_of(places.begin() + static_cast<std::ptrdiff_t>(place) + 1, places.end(),
                     [&](const Place& later) { return later.find(word) >= 0; });
}

int read_place(const TextInput& input, std::size_t index, std::string_view word) {
  const Place& place = places[index];
  const std::string lower = lower_case(word);
  const int found = place.find(lower);
  if (found >= 0) return found;
  const std::string name(place.name);
  if (word.empty() || belongs_later(index, lower)) {
    const std::string where = word.empty() ? "" : " before " + quoted(word);
    input.fail("the banner lacks the " + name + " word (" + place.list() + ")" + where);
  }
  input.fail("the banner's " + name + " word is " + quoted(word) + "; what can be read is: " + place.list());
}

void check_banner(const TextInput& input, const MatrixMarketHeader& header) {
  if (header.symmetry == Symmetry::Hermitian && header.field != Field::Complex) {
    input.fail("the banner says hermitian, which needs the field complex");
  }
  if (header.symmetry == Symmetry::SkewSymmetric && header.field == Field::Pattern) {
    input.fail("the banner says skew-symmetric, but a pattern has no values to negate");
  }
}

void read_banner(TextInput& input, MatrixMarketHeader& header) {
  std::string_view line;
  if (!input.next_line(line)) input.fail_at(1, ErrorCode::InvalidFile, "the file is empty");
  Words words(line);
  if (lower_case(words.next()) != "%%matrixmarket") {
    input.fail("the banner is missing: the file does not begin with %%MatrixMarket");
  }
  std::array<int, places.size()> found;
  for (std::size_t i = 0; i < places.size(); ++i) found[i] = read_place(input, i, words.next());
  const std::string_view extra = words.next();
  if (!extra.empty()) input.fail("the banner has a word too many: " + quoted(extra));
  header.field = static_cast<Field>(found[2]);
  header.symmetry = static_cast<Symmetry>(found[3]);
  check_banner(input, header);
}

std::int64_t read_size(const TextInput& input, std::string_view word, const std::string& what, std::int64_t largest) {
  if (word.empty()) input.fail("the size line lacks the number of " + what + "; it holds rows, columns and entries");
  std::int64_t number = 0;
  const Parsed parsed = parse_integer(word, number);
  const std::string subject = "the number of " + what + ", " + quoted(word) + ", ";
  if (parsed == Parsed::NotANumber) input.fail(subject + "is not a whole number");
  if (parsed == Parsed::Number && number < 0) input.fail(subject + "is negative");
  if (parsed == Parsed::OutOfRange || number > largest) {
    input.fail(subject + "is beyond " + std::to_string(largest));
  }
  return number;
}

void read_size_line(TextInput& input, MatrixMarketHeader& header) {
  constexpr std::int64_t largest_index = std::numeric_limits<int>::max();
  std::string_view line;
  if (!next_data_line(input, line)) input.fail("the file ends before its size line (rows, columns and entries)");
  Words words(line);
  header.rows = read_size(input, words.next(), "rows", largest_index);
  header.columns = read_size(input, words.next(), "columns", largest_index);
  header.stored_entries = read_size(input, words.next(), "entries", std::numeric_limits<std::int64_t>::max());
  const std::string_view extra = words.next();
  if (!extra.empty()) input.fail("the size line holds more than rows, columns and entries: " + quoted(extra));
  if (header.symmetry != Symmetry::General && header.rows != header.columns) {
    input.fail("the matrix is " + std::to_string(header.rows) + "x" + std::to_string(header.columns) + ", but " +
               std::string(places[3].known[static_cast<std::size_t>(header.symmetry)]) + " matrices are square");
  }
}

}  // namespace

bool next_data_line(TextInput& input, std::string_view& line) {
  while (input.next_line(line)) {
    const std::string_view first = Words(line).next();
    if (!first.empty() && first[0] != '%') return true;
  }
  return false;
}

MatrixMarketHeader read_header(TextInput& input) {
  MatrixMarketHeader header;
  read_banner(input, header);
  read_size_line(input, header);
  return header;
}

}  // namespace terrace::io

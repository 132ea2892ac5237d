// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lines of entries, right and wrong.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "matrix_market_file.hpp"

namespace terrace::test {
namespace {

TEST(MatrixMarket, ReadsIntegers) {
  const auto matrix = read_text("%%MatrixMarket matrix coordinate integer general\n1 3 3\n1 1 -7\n1 2 +8\n1 3 0\n");
  EXPECT_EQ(matrix.real, (std::vector<double>{-7, 8, 0}));
}

TEST(MatrixMarket, ReadsNumbersAsCAndFortranWriteThem) {
  const std::vector<std::pair<std::string, double>> numbers = {
      {"+1.5", 1.5},
      {"1.0D+03", 1000},
      {"-2.5d-1", -0.25},
      {"+1.0D3", 1000},
      {"1E5", 1e5},
      {".5", 0.5},
      {"-.5", -0.5},
      {"5.", 5},
      {"007", 7},
      {"0.1", 0.1},
      {"1e308", 1e308},
      {"4.9e-324", 4.9e-324},
      {"1e-310", 1e-310},
      {"1e-400", 0},
      {"-1D-400", -0.0},
      {"0e999", 0},
      {"1" + std::string(400, '0') + "D-400", 1},
      {"0." + std::string(400, '0') + "1", 0},
  };
  for (const auto& [word, number] : numbers) {
    SCOPED_TRACE(word);
    EXPECT_EQ(read_text(general + "1 1 1\n1 1 " + word + "\n").real.at(0), number);
  }
}

TEST(MatrixMarket, ReadsNumbersOfAnyLengthAsTheNearestDouble) {
  const std::string zeros(400, '0'), more_zeros(800, '0'), sixes(600, '6');
  const std::vector<std::string> words = {
      sixes + "e-300",
      "-0." + sixes,
      "0." + zeros + "1e400",
      "0." + zeros + sixes + "e401",
      "0." + more_zeros + "1e400",  // 1e-401
      "-0." + more_zeros + "7e+400",
      "1" + zeros + "e-801",
      sixes + "e-999",
      "1" + more_zeros + "e-600",
      "0.1" + zeros + "1",
      "9007199254740993" + zeros + "e-400",   // half way between two doubles: to the even one
      "9007199254740993" + zeros + "1e-401",  // and a little above
      "2.4703282292062327208" + sixes + "e-324",
      "2.4703282292062327209" + sixes + "e-324",
      "0e99999999999999999999",
      "1e-99999999999999999999",
      "0." + more_zeros + "1e-99999999999999999999",
  };
  for (const std::string& word : words) {
    SCOPED_TRACE(word);
    const double expected = std::strtod(word.c_str(), nullptr);
    const double found = read_text(general + "1 1 1\n1 1 " + word + "\n").real.at(0);
    EXPECT_EQ(found, expected);
    EXPECT_EQ(std::signbit(found), std::signbit(expected));
  }
}

TEST(MatrixMarket, ANumberOfManyDigitsMayBeTooLargeInSpiteOfANegativeExponent) {
  const std::string many(800, '7');
  for (const std::string& word :
       {many, many + "e-400", "1" + many + "e+1", "-" + many + ".5D-400", many + "e99999999999999999999"})
    expect_errors(general + "1 1 1\n", {{"1 1 " + word + "\n", 3, "...' is too large for double precision"}});
}

TEST(MatrixMarket, AcceptsInfinitiesAndNaN) {
  const auto matrix = read_text(general + "1 4 4\n1 1 inf\n1 2 -Inf\n1 3 nan\n1 4 +INFINITY\n");
  EXPECT_EQ(matrix.real[0], std::numeric_limits<double>::infinity());
  EXPECT_EQ(matrix.real[1], -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(matrix.real[2]));
  EXPECT_EQ(matrix.real[3], std::numeric_limits<double>::infinity());
}

TEST(MatrixMarket, AcceptsLayoutThatDoesNotMatter) {
  const std::string body = "2 2 2\n1 1 3\n2 2 4\n";
  const std::vector<std::pair<std::string, std::string>> files = {
      {"no line end at the end", general + "2 2 2\n1 1 3\n2 2 4"},
      {"CRLF", "%%MatrixMarket matrix coordinate real general\r\n% c\r\n\r\n2 2 2\r\n1 1 3\r\n2 2 4\r\n"},
      {"comments before the size line", general + "% comment\n%\n\n  % another\n" + body},
      {"comments between entries", general + "2 2 2\n% between\n\n1 1 3\n   \n%\n2 2 4\n"},
      {"comments behind the entries", general + body + "\n  \n% behind\n\n"},
      {"white space", general + "\t2  2\t2 \n  1 1\t\t3  \n" + std::string(5000, ' ') + "2 2 4\t\n"},
      {"a long comment", general + "%" + std::string(100000, 'x') + "\n" + body},
      {"signs and leading zeros", general + "+2 2 02\n+1 01 3\n2 2 4\n"},
  };
  for (const auto& [name, text] : files) {
    SCOPED_TRACE(name);
    const auto matrix = read_text(text);
    expect_rows(matrix, {0, 1, 2}, {0, 1});
    EXPECT_EQ(matrix.real, (std::vector<double>{3, 4}));
  }
}

TEST(MatrixMarket, NamesTheLineOfATruncatedFile) {
  const std::vector<WrongFile> files = {
      {"2 2 3\n1 1 1\n2 2 2\n", 4, "the file ends here, after 2 of 3 entries"},
      {"2 2 3\n1 1 1\n2 2 2\n\n% end\n", 6, "after 2 of 3 entries"},
      {"2 2 1\n", 2, "after 0 of 1 entries"},
      {"2 2 2\n1 1 1\n2 2", 4, "the value is missing"},
      {"2 2 50000000\n1 1 1\n", 3, "after 1 of 50000000 entries"},
  };
  expect_errors(general, files);
}

TEST(MatrixMarket, NamesTheFirstSurplusLine) {
  const std::vector<WrongFile> files = {
      {"2 2 1\n1 1 1\n\n2 2 2\n", 5, "goes on here, beyond the number of entries in its size line, 1"},
      {"0 0 0\n1 1 1\n", 3, "beyond the number of entries in its size line, 0"},
  };
  expect_errors(general, files);
}

TEST(MatrixMarket, NamesWhatIsWrongWithAnIndex) {
  const std::vector<WrongFile> files = {
      {"0 1 1\n", 3, "the row index is 0, but indices start at 1"},
      {"1 0 1\n", 3, "the column index is 0, but indices start at 1"},
      {"3 1 1\n", 3, "the row index '3' is outside 1..2"},
      {"1 4 1\n", 3, "the column index '4' is outside 1..3"},
      {"-1 1 1\n", 3, "the row index '-1' is outside 1..2"},
      {"4294967297 1 1\n", 3, "the row index '4294967297' is outside 1..2"},
      {"1 99999999999999999999 1\n", 3, "the column index '99999999999999999999' is outside 1..3"},
      {"1.5 1 1\n", 3, "the row index '1.5' is not a whole number"},
      {"1 abc 1\n", 3, "the column index 'abc' is not a whole number"},
      {"1 + 1\n", 3, "the column index '+' is not a whole number"},
      {"1\n", 3, "the column index is missing"},
  };
  expect_errors(general + "2 3 1\n", files);
}

TEST(MatrixMarket, NamesWhatIsWrongWithAValue) {
  const std::vector<WrongFile> files = {
      {"1 1\n", 5, "the value is missing"},
      {"1 1 one\n", 5, "the value 'one' is not a number"},
      {"1 1 1.2.3\n", 5, "the value '1.2.3' is not a number"},
      {"1 1 1,5\n", 5, "the value '1,5' is not a number"},
      {"1 1 0x10\n", 5, "the value '0x10' is not a number"},
      {"1 1 +-1\n", 5, "the value '+-1' is not a number"},
      {"1 1 ++1\n", 5, "the value '++1' is not a number"},
      {"1 1 1D+\n", 5, "the value '1D+' is not a number"},
      {"1 1 1d1d1\n", 5, "the value '1d1d1' is not a number"},
      {"1 1 D\n", 5, "the value 'D' is not a number"},
      {"1 1 -\n", 5, "the value '-' is not a number"},
      {"1 1 1e400\n", 5, "the value '1e400' is too large for double precision"},
      {"1 1 -1D+400\n", 5, "the value '-1D+400' is too large for double precision"},
      {"1 1 1 1\n", 5, "a word too many behind the value: '1'"},
      {"1 1 1 % a comment\n", 5, "a word too many behind the value: '%'"},
  };
  expect_errors(general + "2 3 2\n1 1 1\n% comment\n", files);
}

TEST(MatrixMarket, NamesAValueThatDoesNotFitTheField) {
  const std::vector<WrongFile> files = {
      {"complex general\n1 1 1\n1 1 1\n", 3, "the imaginary part is missing"},
      {"complex general\n1 1 1\n1 1 1 i\n", 3, "the imaginary part 'i' is not a number"},
      {"complex general\n1 1 1\n1 1 1 2 3\n", 3, "a word too many behind the value: '3'"},
      {"pattern general\n1 1 1\n1 1 1\n", 3, "an entry of a pattern has no value, but here is '1'"},
      {"integer general\n1 1 1\n1 1 1.5\n", 3, "'1.5' is not a whole number, but the banner says integer"},
      {"integer general\n1 1 1\n1 1 1e2\n", 3, "'1e2' is not a whole number, but the banner says integer"},
  };
  expect_errors("%%MatrixMarket matrix coordinate ", files);
}

TEST(MatrixMarket, NamesAnEntryThatContradictsTheSymmetry) {
  const std::vector<WrongFile> files = {
      {"real symmetric\n3 3 2\n1 1 1\n2 3 1\n", 4, "the entry (2, 3) lies above the diagonal"},
      {"pattern symmetric\n3 3 1\n1 2\n", 3, "the entry (1, 2) lies above the diagonal"},
      {"real skew-symmetric\n3 3 1\n1 3 1\n", 3, "the entry (1, 3) lies above the diagonal"},
      {"real skew-symmetric\n3 3 1\n2 2 0\n", 3, "the entry (2, 2) lies on the diagonal, which is zero"},
      {"complex hermitian\n3 3 1\n1 2 1 0\n", 3, "the entry (1, 2) lies above the diagonal"},
      {"complex hermitian\n3 3 1\n3 3 1 1e-30\n", 3, "the entry (3, 3) has an imaginary part"},
  };
  expect_errors("%%MatrixMarket matrix coordinate ", files);
}

TEST(MatrixMarket, ShortensAndCleansTheWordsItQuotes) {
  expect_error(general + "1 1 1\n1 1 " + std::string(1000, 'x') + "\n", 3, "'" + std::string(40, 'x') + "...' is not");
  expect_error(general + "1 1 1\n1 1 a\x1b\xff\n", 3, "the value 'a\?\?' is not a number");
}

}  // namespace
}  // namespace terrace::test

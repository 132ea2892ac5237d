// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is written is read back as it was.
#include <gtest/gtest.h>

#include <bit>
#include <filesystem>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>

#include "common/random.hpp"
#include "matrix_market_file.hpp"

namespace terrace::test {
namespace {

using Field = MatrixMarketHeader::Field;
using Symmetry = MatrixMarketHeader::Symmetry;

/// A path that ends as asked for, and the file there goes away with the object.
class OutputFile {
 public:
  explicit OutputFile(const std::string& ending) : path_(TemporaryFile("").path() + ending) {}
  ~OutputFile() { std::remove(path_.c_str()); }
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  const std::string& path() const { return path_; }
  std::string content() const {
    std::ifstream input(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(input), {}};
  }

 private:
  std::string path_;
};

/// Compared as bits, so that a NaN equals itself and zero has a sign.
std::vector<std::uint64_t> bits(const std::vector<double>& numbers) {
  std::vector<std::uint64_t> result;
  for (const double number : numbers) result.push_back(std::bit_cast<std::uint64_t>(number));
  return result;
}

void expect_the_same_when_read_back(const MatrixMarketMatrix& matrix) {
  for (const char* const ending : {"", ".gz"}) {
    const OutputFile file(ending);
    write_matrix_market(file.path(), matrix);
    const MatrixMarketMatrix found = read_matrix_market(file.path());
    EXPECT_EQ(found.header.field, matrix.header.field);
    EXPECT_EQ(found.header.symmetry, matrix.header.symmetry);
    EXPECT_EQ(found.header.rows, matrix.header.rows);
    EXPECT_EQ(found.header.columns, matrix.header.columns);
    EXPECT_EQ(found.row_map, matrix.row_map);
    EXPECT_EQ(found.entries, matrix.entries);
    EXPECT_EQ(bits(found.real), bits(matrix.real));
    EXPECT_EQ(bits(found.imaginary), bits(matrix.imaginary));
  }
}

TEST(WriteMatrixMarket, WritesEveryFieldAndSymmetry) {
  for (const char* const text :
       {"real general\n2 3 3\n1 1 0.1\n1 3 -2e-300\n2 2 7\n",  //
        "real symmetric\n3 3 3\n1 1 4\n3 1 0.3\n3 3 1e300\n", "real skew-symmetric\n3 3 2\n2 1 4\n3 1 0.3\n",
        "integer general\n2 2 2\n1 1 -3\n2 1 900719925474099200000000\n", "integer symmetric\n2 2 2\n1 1 -3\n2 1 5\n",
        "pattern general\n2 4 2\n1 4\n2 1\n", "pattern symmetric\n3 3 2\n2 1\n3 3\n",
        "complex general\n2 2 2\n1 2 1 -2\n2 1 0 0.1\n", "complex symmetric\n2 2 2\n1 1 1 -2\n2 1 0 0.1\n",
        "complex hermitian\n2 2 2\n1 1 1 0\n2 1 0 0.1\n", "complex skew-symmetric\n2 2 1\n2 1 3 0.1\n",
        "real general\n0 0 0\n", "real general\n3 0 0\n", "real general\n2 2 1\n2 2 0\n"}) {
    SCOPED_TRACE(text);
    expect_the_same_when_read_back(read_text(std::string("%%MatrixMarket matrix coordinate ") + text));
  }
}

TEST(WriteMatrixMarket, KeepsEveryBit) {
  MatrixMarketMatrix matrix;
  common::Random random(5);
  constexpr int count = 50000;
  matrix.header.rows = count;
  matrix.header.columns = 2 * count;
  matrix.row_map = {0};
  for (int row = 0; row < count; ++row) {
    matrix.entries.push_back(random.below(2 * count));
    double number = std::bit_cast<double>(random.next());
    if (number != number) number = 0;
    matrix.real.push_back(number);
    matrix.row_map.push_back(matrix.entries.size());
  }
  matrix.real[0] = -0.0;
  matrix.real[1] = std::numeric_limits<double>::infinity();
  matrix.real[2] = -std::numeric_limits<double>::infinity();
  matrix.real[3] = std::numeric_limits<double>::quiet_NaN();
  matrix.real[4] = std::numeric_limits<double>::max();
  matrix.real[5] = std::numeric_limits<double>::denorm_min();
  expect_the_same_when_read_back(matrix);
}

TEST(WriteMatrixMarket, IsPlainOrGzippedAsTheNameSays) {
  const auto matrix = read_text("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 4\n2 1 0.5\n");
  const OutputFile plain(".mtx"), zipped(".mtx.gz");
  write_matrix_market(plain.path(), matrix);
  write_matrix_market(zipped.path(), matrix);
  EXPECT_EQ(plain.content(), "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 4\n2 1 0.5\n");
  EXPECT_TRUE(zipped.content().starts_with("\x1f\x8b"));
}

TEST(WriteMatrixMarket, WritesVectorsColumnByColumn) {
  for (const char* const ending : {"", ".gz"})
    for (const MatrixMarketVectors& vectors :
         {MatrixMarketVectors{2, 2, {1, 0.1, -3, 1e-300}, {}}, MatrixMarketVectors{1, 2, {1, 2}, {0.3, -0.0}},
          MatrixMarketVectors{0, 0, {}, {}}}) {
      const OutputFile file(ending);
      write_matrix_market_vectors(file.path(), vectors);
      const MatrixMarketVectors found = read_matrix_market_vectors(file.path());
      EXPECT_EQ(found.rows, vectors.rows);
      EXPECT_EQ(found.columns, vectors.columns);
      EXPECT_EQ(bits(found.real), bits(vectors.real));
      EXPECT_EQ(bits(found.imaginary), bits(vectors.imaginary));
    }
}

TEST(WriteMatrixMarket, ReportsProgressAndLetsItGiveUp) {
  MatrixMarketMatrix matrix;
  matrix.header.rows = matrix.header.columns = 300000;
  matrix.row_map = {0};
  for (int row = 0; row < 300000; ++row) {
    matrix.entries.push_back(row);
    matrix.real.push_back(1);
    matrix.row_map.push_back(matrix.entries.size());
  }
  const OutputFile file("");
  std::vector<double> fractions;
  write_matrix_market(file.path(), matrix, [&](double fraction) { fractions.push_back(fraction); });
  ASSERT_GE(fractions.size(), 3u);
  EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
  EXPECT_LT(fractions.front(), 1);
  EXPECT_EQ(fractions.back(), 1);
  EXPECT_THROW(write_matrix_market(file.path(), matrix, [](double) { throw std::runtime_error("enough"); }),
               std::runtime_error);
}

TEST(WriteMatrixMarket, SaysThatAFileCannotBeWritten) {
  const std::string path = ::testing::TempDir() + "no_such_folder/matrix.mtx";
  const Error error = error_of([&] { write_matrix_market(path, read_text(general + "0 0 0\n")); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidFile);
  EXPECT_EQ(error.what(), path + ": cannot be written: No such file or directory");
}

TEST(WriteMatrixMarket, SaysThatTheDeviceIsFull) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
  const Error error = error_of([&] {
    write_matrix_market_vectors("/dev/full", {1000, 1, std::vector<double>(1000, 0.1), {}});
  });
  EXPECT_EQ(error.code(), ErrorCode::InvalidFile);
  EXPECT_EQ(error.what(), std::string("/dev/full: cannot be written: No space left on device"));
}

}  // namespace
}  // namespace terrace::test

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole files: the header that is returned, sizes that do not fit into memory, and matrices of collections.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <string>

#include "matrix_market_file.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TERRACE_TEST_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TERRACE_TEST_SANITIZER 1
#endif
#endif

namespace terrace::test {
namespace {

using Field = MatrixMarketHeader::Field;
using Symmetry = MatrixMarketHeader::Symmetry;

TEST(MatrixMarket, ReturnsTheHeader) {
  const auto header = read_text("%%MatrixMarket matrix coordinate complex hermitian\n3 3 1\n2 1 1 1\n").header;
  EXPECT_EQ(header.field, Field::Complex);
  EXPECT_EQ(header.symmetry, Symmetry::Hermitian);
  EXPECT_EQ(header.rows, 3);
  EXPECT_EQ(header.columns, 3);
  EXPECT_EQ(header.stored_entries, 1);
}

TEST(MatrixMarket, RefusesSizesBeyondTheMemoryOfTheMachine) {
  for (const char* sizes :
       {"1 1 9223372036854775807\n", "3 3 1000000000000000000\n", "2147483647 2147483647 1000000000000000\n"}) {
    const std::string text = general + "% comment\n" + sizes + "1 1 1\n";
    expect_error(text, 3, "not enough memory: to read a ", ErrorCode::OutOfMemory);
    expect_error(gzipped(text), 3, "not enough memory: to read a ", ErrorCode::OutOfMemory);
  }
}

TEST(MatrixMarketHeader, IsReadWithoutTheEntries) {
  const std::string text = "%%MatrixMarket matrix coordinate complex symmetric\n% comment\n\n5 5 1000000\n1 1 x\n";
  for (const std::string& content : {text, gzipped(text)}) {
    const TemporaryFile file(content);
    const MatrixMarketHeader header = read_matrix_market_header(file.path());
    EXPECT_EQ(header.field, Field::Complex);
    EXPECT_EQ(header.symmetry, Symmetry::Symmetric);
    EXPECT_EQ(header.rows, 5);
    EXPECT_EQ(header.columns, 5);
    EXPECT_EQ(header.stored_entries, 1000000);
  }
}

TEST(MatrixMarketHeader, FailsAsReadingAllDoes) {
  for (const char* text : {"", "%%MatrixMarket matrix array real general\n1 1\n", "%%MatrixMarket matrix\n",
                           "%%MatrixMarket matrix coordinate real general\n2 x 1\n"}) {
    const TemporaryFile file(text);
    const Error header = error_of([&] { read_matrix_market_header(file.path()); });
    const Error all = error_of([&] { read_matrix_market(file.path()); });
    EXPECT_EQ(header.code(), ErrorCode::InvalidFile);
    EXPECT_STREQ(header.what(), all.what());
    EXPECT_EQ(header.line(), all.line());
  }
  EXPECT_EQ(error_of([] { read_matrix_market_header("no/such/file.mtx"); }).code(), ErrorCode::InvalidFile);
}

#if defined(__linux__) && !defined(TERRACE_TEST_SANITIZER)  // they need all of the address space, and end the process

/// Leaves the process half a GiB of address space; then reads, and exits with the code of the error.
void read_in_small_address_space(const std::string& path) {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t bytes = pages * static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE)) + (std::size_t{1} << 29);
  const rlimit limit = {bytes, bytes};
  setrlimit(RLIMIT_AS, &limit);
  const Error error = error_of([&] { read_matrix_market(path); });
  std::fprintf(stderr, "%s\n", error.what());
  std::exit(static_cast<int>(error.code()));
}

void expect_error_in_small_address_space(const std::string& text, ErrorCode code, const char* message) {
  const TemporaryFile file(text);
  EXPECT_EXIT(read_in_small_address_space(file.path()), ::testing::ExitedWithCode(static_cast<int>(code)), message);
}

TEST(MatrixMarket, ReportsAnAllocationThatFails) {
  expect_error_in_small_address_space(general + "200000000 1 0\n", ErrorCode::OutOfMemory, "line 2: not enough memory");
}

TEST(MatrixMarket, AllocatesForEntriesThatItHasSeenOnly) {
  const std::string text = general + "1 1 50000000\n1 1 1\n";
  for (const std::string& content : {text, gzipped(text)}) {
    expect_error_in_small_address_space(content, ErrorCode::InvalidFile, "line 3: the file ends here, after 1 of");
  }
}

#endif

/// The file of a collection in the folder TERRACE_DATA; empty when it is not there.
std::string collection_file(const std::string& name) {
  const char* folder = std::getenv("TERRACE_DATA");
  const std::string path = folder ? std::string(folder) + "/" + name + ".mtx.gz" : "";
  return std::filesystem::exists(path) ? path : "";
}

struct CollectionMatrix {
  const char* name;
  std::int64_t rows;
  std::size_t entries;
  Field field;
  Symmetry symmetry;
};

void PrintTo(const CollectionMatrix& matrix, std::ostream* stream) { *stream << matrix.name; }

class MatrixMarketCollection : public ::testing::TestWithParam<CollectionMatrix> {};

void expect_rows_in_order(const MatrixMarketMatrix& matrix) {
  ASSERT_EQ(matrix.row_map.size(), static_cast<std::size_t>(matrix.header.rows) + 1);
  ASSERT_EQ(matrix.row_map.front(), 0u);
  ASSERT_EQ(matrix.row_map.back(), matrix.entries.size());
  for (std::size_t row = 0; row + 1 < matrix.row_map.size(); ++row) {
    for (std::size_t k = matrix.row_map[row]; k < matrix.row_map[row + 1]; ++k) {
      ASSERT_LT(matrix.entries[k], matrix.header.columns);
      ASSERT_GT(matrix.entries[k], k == matrix.row_map[row] ? -1 : matrix.entries[k - 1]);
    }
  }
}

TEST_P(MatrixMarketCollection, IsReadWhole) {
  const CollectionMatrix& expected = GetParam();
  const std::string path = collection_file(expected.name);
  if (path.empty()) GTEST_SKIP() << "TERRACE_DATA names no folder with " << expected.name << ".mtx.gz";
  const MatrixMarketMatrix matrix = read_matrix_market(path);
  EXPECT_EQ(matrix.header.rows, expected.rows);
  EXPECT_EQ(matrix.header.columns, expected.rows);
  EXPECT_EQ(matrix.header.field, expected.field);
  EXPECT_EQ(matrix.header.symmetry, expected.symmetry);
  EXPECT_EQ(matrix.entries.size(), expected.entries);
  EXPECT_EQ(matrix.real.size(), expected.entries);
  EXPECT_EQ(matrix.imaginary.size(), expected.field == Field::Complex ? expected.entries : 0);
  EXPECT_EQ(matrix.summed_duplicates, 0);
  expect_rows_in_order(matrix);
  const MatrixMarketHeader header = read_matrix_market_header(path);
  EXPECT_EQ(header.rows, expected.rows);
  EXPECT_EQ(header.field, expected.field);
  EXPECT_EQ(header.symmetry, expected.symmetry);
  EXPECT_EQ(header.stored_entries, matrix.header.stored_entries);
}

INSTANTIATE_TEST_SUITE_P(
    , MatrixMarketCollection,
    ::testing::Values(CollectionMatrix{"1138_bus", 1138, 4054, Field::Real, Symmetry::Symmetric},
                      CollectionMatrix{"bcsstk16", 4884, 290378, Field::Real, Symmetry::Symmetric},
                      CollectionMatrix{"Dubcova1", 16129, 253009, Field::Real, Symmetry::Symmetric},
                      CollectionMatrix{"rail_79841_K", 79841, 553921, Field::Real, Symmetry::Symmetric},
                      CollectionMatrix{"memplus", 17758, 126150, Field::Real, Symmetry::General},
                      CollectionMatrix{"helmholtz_2D", 2880, 52016, Field::Complex, Symmetry::Symmetric},
                      CollectionMatrix{"young1c", 841, 4089, Field::Complex, Symmetry::Symmetric},
                      CollectionMatrix{"cont-300_kkt", 180895, 920698, Field::Real, Symmetry::Symmetric}),
    [](const auto& instance) {
      std::string name = instance.param.name;
      std::replace(name.begin(), name.end(), '-', '_');
      return "Matrix_" + name;
    });

TEST(MatrixMarket, KeepsTheStoredZerosOfMemplus) {
  const std::string path = collection_file("memplus");
  if (path.empty()) GTEST_SKIP() << "TERRACE_DATA names no folder with memplus.mtx.gz";
  const MatrixMarketMatrix matrix = read_matrix_market(path);
  EXPECT_EQ(std::count(matrix.real.begin(), matrix.real.end(), 0.0), 27003);
}

TEST(MatrixMarket, NamesTheMissingFieldOfScaleMicrogrid) {
  const std::string path = collection_file("ScaleMicrogrid_Jacobian_N1000_01");
  if (path.empty()) GTEST_SKIP() << "TERRACE_DATA names no folder with ScaleMicrogrid_Jacobian_N1000_01.mtx.gz";
  const Error error = error_of([&] { read_matrix_market(path); });
  EXPECT_EQ(error.what(), path +
                              ", line 1: the banner lacks the field word (real, integer, pattern, complex) before "
                              "'general'");
  EXPECT_EQ(error.line(), 1);
}

}  // namespace
}  // namespace terrace::test

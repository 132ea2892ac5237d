// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix Market files for the tests of the reader: temporary, gzipped, and wrong ones with what is to be said of them.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>
#include <terrace/matrix_market.hpp>

#include <atomic>
#include <cstdio>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace terrace::test {

/// A file with the given bytes that lives as long as the object. Tests may run in several processes at once.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& content) {
    static std::atomic<int> count = 0;
    path_ = ::testing::TempDir() + "terrace_" + std::to_string(getpid()) + "_" + std::to_string(count++) + ".mtx";
    std::ofstream(path_, std::ios::binary) << content;
  }
  ~TemporaryFile() { std::remove(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// The gzip stream of a text.
inline std::string gzipped(const std::string& text) {
  const TemporaryFile file("");
  gzFile stream = gzopen(file.path().c_str(), "wb6");
  EXPECT_EQ(gzwrite(stream, text.data(), static_cast<unsigned>(text.size())), static_cast<int>(text.size()));
  gzclose(stream);
  std::ifstream input(file.path(), std::ios::binary);
  return {std::istreambuf_iterator<char>(input), {}};
}

inline MatrixMarketMatrix read_text(const std::string& text) { return read_matrix_market(TemporaryFile(text).path()); }

/// The banner that most tests begin with.
inline const std::string general = "%%MatrixMarket matrix coordinate real general\n";

/// Expects compressed rows of this pattern, with a value for each entry.
inline void expect_rows(const MatrixMarketMatrix& matrix, const std::vector<std::size_t>& row_map,
                        const std::vector<int>& entries) {
  EXPECT_EQ(matrix.row_map, row_map);
  EXPECT_EQ(matrix.entries, entries);
  EXPECT_EQ(matrix.real.size(), entries.size());
}

/// The error that `action` throws; the test fails when it throws none.
inline Error error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error was thrown";
  return {ErrorCode::InvalidOption, "no error"};
}

/// Expects that reading `text` fails in this line, and that what is said contains `message`.
inline void expect_error(const std::string& text, std::int64_t line, const std::string& message,
                         ErrorCode code = ErrorCode::InvalidFile) {
  const TemporaryFile file(text);
  const Error error = error_of([&] { read_matrix_market(file.path()); });
  const std::string place = file.path() + ", line " + std::to_string(line) + ": ";
  EXPECT_TRUE(std::string(error.what()).starts_with(place)) << error.what();
  EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
  EXPECT_EQ(error.line(), line) << error.what();
  EXPECT_EQ(error.code(), code) << error.what();
}

/// A text that is wrong, the line where, and a part of what is to be said about it.
struct WrongFile {
  std::string text;
  std::int64_t line;
  std::string message;
};

/// Expects an error for each file; all begin with `beginning`.
inline void expect_errors(const std::string& beginning, const std::vector<WrongFile>& files) {
  for (const WrongFile& file : files) {
    SCOPED_TRACE(beginning + file.text);
    expect_error(beginning + file.text, file.line, file.message);
  }
}

}  // namespace terrace::test

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a text file, plain or gzipped, line by line, and knows the number of the line.
//
// The file passes through one buffer of fixed size, so a file without line ends cannot take all memory. Each error
// carries the path and the line, in the form `path, line 12: what is wrong`.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <terrace/error.hpp>
#include <terrace/matrix_market.hpp>
#include <vector>

namespace terrace::io {

class TextInput {
 public:
  /// Opens the file. \throws Error InvalidFile when it is missing, a directory or unreadable.
  TextInput(std::string path, ReadProgress progress);

  /// Fetches the next line without its '\n'; it stays valid until the next call. False at the end of the file.
  bool next_line(std::string_view& line);

  /// The number of the line fetched last, from 1; 0 before the first.
  std::int64_t line_number() const { return line_number_; }

  /// How many bytes of text the file holds, once a line was read; unknown for a gzipped file.
  std::optional<std::uint64_t> text_bytes() const;

  /// Throws an InvalidFile error for the line fetched last.
  [[noreturn]] void fail(const std::string& message) const;

  /// Throws an error for a line read earlier.
  [[noreturn]] void fail_at(std::int64_t line, ErrorCode code, const std::string& message) const;

 private:
  struct Close {
    void operator()(gzFile file) const { gzclose_r(file); }
  };

  bool refill();
  void check_stream() const;
  void report_progress();

  std::string path_;
  ReadProgress progress_;
  std::unique_ptr<gzFile_s, Close> file_;
  std::uint64_t file_bytes_ = 0;  // on disk; 0 when the file has no size, such as a pipe
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // of the unread part of the buffer
  std::size_t end_ = 0;
  std::int64_t line_number_ = 0;
  std::uint64_t refills_ = 0;
};

}  // namespace terrace::io

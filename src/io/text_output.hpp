// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes a text file, gzipped when its name ends in .gz.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace terrace::io {

class TextOutput {
 public:
  /// Creates the file, or empties it. \throws Error InvalidFile when it cannot be opened; so do the others when it
  /// cannot be written.
  explicit TextOutput(std::string path);

  void text(std::string_view text);
  void integer(std::int64_t number);

  /// The shortest text that reads back as the same number; `nan`, `inf`.
  void real(double number);

  /// The same without an exponent, for whole numbers.
  void whole(double number);

  /// Without it the end of the file may be missing.
  void close();

 private:
  struct Close {
    void operator()(gzFile file) const { gzclose_w(file); }
  };

  char* space_for_number();  ///< for a number, at the end of the buffer
  void advance(const char* end);
  void flush();
  [[noreturn]] void fail() const;

  std::string path_;
  std::unique_ptr<gzFile_s, Close> file_;
  std::string buffer_;
  std::size_t used_ = 0;
};

}  // namespace terrace::io

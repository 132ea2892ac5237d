// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "text_input.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace terrace::io {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;
constexpr unsigned inflate_bytes = 1u << 17;       // zlib's own buffer of compressed bytes
constexpr std::uint64_t refills_per_progress = 4;  // a call of `progress` for every 4 MiB of text

std::string system_message(int error) { return std::generic_category().message(error); }

}  // namespace

TextInput::TextInput(std::string path, ReadProgress progress) : path_(std::move(path)), progress_(std::move(progress)) {
  // A directory can be opened for reading, and would only fail at its first byte.
  std::error_code ignored;
  if (std::filesystem::is_directory(path_, ignored)) throw Error(ErrorCode::InvalidFile, path_ + ": is a directory");
  errno = 0;
  file_.reset(gzopen(path_.c_str(), "rb"));
  if (!file_) throw Error(ErrorCode::InvalidFile, path_ + ": cannot be opened: " + system_message(errno));
  gzbuffer(file_.get(), inflate_bytes);
  if (std::filesystem::is_regular_file(path_, ignored)) file_bytes_ = std::filesystem::file_size(path_, ignored);
  if (ignored) file_bytes_ = 0;
  buffer_.resize(buffer_bytes);
}

bool TextInput::next_line(std::string_view& line) {
  std::size_t scanned = 0;
  const char* line_end = nullptr;
  while (true) {
    const char* unread = buffer_.data() + begin_;
    line_end = static_cast<const char*>(std::memchr(unread + scanned, '\n', end_ - begin_ - scanned));
    if (line_end) break;
    scanned = end_ - begin_;
    if (!refill()) break;
  }
  if (!line_end && begin_ == end_) return false;

  const char* unread = buffer_.data() + begin_;
  const std::size_t length = line_end ? static_cast<std::size_t>(line_end - unread) : end_ - begin_;
  begin_ = line_end ? begin_ + length + 1 : end_;  // the last line may lack its line end
  line = std::string_view(unread, length);
  ++line_number_;
  if (std::memchr(unread, '\0', length)) fail("contains a NUL byte, so this is not a text file");
  return true;
}

/// Moves the unread part to the front and fills the rest of the buffer; false when the file has no more.
bool TextInput::refill() {
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (end_ == buffer_.size()) fail_at(line_number_ + 1, ErrorCode::InvalidFile, "is longer than 1 MiB");
  const int count = gzread(file_.get(), buffer_.data() + end_, static_cast<unsigned>(buffer_.size() - end_));
  if (count <= 0) {
    check_stream();
    return false;
  }
  end_ += static_cast<std::size_t>(count);
  if (++refills_ % refills_per_progress == 0) report_progress();
  return true;
}

/// Tells the end of the file from a stream that breaks off or is damaged.
void TextInput::check_stream() const {
  int status = Z_OK;
  const int system_error = errno;
  const std::string reason = gzerror(file_.get(), &status);
  if (status == Z_OK || status == Z_STREAM_END) return;
  const std::int64_t line = line_number_ + 1;
  if (status == Z_ERRNO) fail_at(line, ErrorCode::InvalidFile, "cannot be read: " + system_message(system_error));
  if (status == Z_MEM_ERROR) fail_at(line, ErrorCode::OutOfMemory, "no memory to decompress");
  if (status == Z_BUF_ERROR) fail_at(line, ErrorCode::InvalidFile, "the gzip stream is truncated");
  fail_at(line, ErrorCode::InvalidFile, "the gzip stream is damaged: " + reason);
}

void TextInput::report_progress() {
  if (!progress_ || file_bytes_ == 0) return;
  const double fraction = static_cast<double>(gzoffset(file_.get())) / static_cast<double>(file_bytes_);
  progress_(std::min(fraction, 1.0));
}

std::optional<std::uint64_t> TextInput::text_bytes() const {
  if (file_bytes_ == 0 || !gzdirect(file_.get())) return std::nullopt;
  return file_bytes_;
}

void TextInput::fail(const std::string& message) const { fail_at(line_number_, ErrorCode::InvalidFile, message); }

void TextInput::fail_at(std::int64_t line, ErrorCode code, const std::string& message) const {
  throw Error(code, path_ + ", line " + std::to_string(line) + ": " + message, line);
}

}  // namespace terrace::io

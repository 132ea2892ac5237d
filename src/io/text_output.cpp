// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "text_output.hpp"

#include <cerrno>
#include <charconv>
#include <system_error>
#include <terrace/error.hpp>
#include <utility>

namespace terrace::io {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;
constexpr std::size_t longest_number = 400;  // 1.8e308 without an exponent, with a sign

}  // namespace

TextOutput::TextOutput(std::string path) : path_(std::move(path)), buffer_(buffer_bytes, '\0') {
  errno = 0;
  file_.reset(gzopen(path_.c_str(), path_.ends_with(".gz") ? "wb1" : "wbT"));
  if (!file_) fail();
}

void TextOutput::text(std::string_view text) {
  while (!text.empty()) {
    if (used_ == buffer_.size()) flush();
    const std::size_t count = text.copy(buffer_.data() + used_, buffer_.size() - used_);
    used_ += count;
    text.remove_prefix(count);
  }
}

char* TextOutput::space_for_number() {
  if (buffer_.size() - used_ < longest_number) flush();
  return buffer_.data() + used_;
}

void TextOutput::advance(const char* end) { used_ = static_cast<std::size_t>(end - buffer_.data()); }

void TextOutput::integer(std::int64_t number) {
  char* const begin = space_for_number();
  advance(std::to_chars(begin, begin + longest_number, number).ptr);
}

void TextOutput::real(double number) {
  char* const begin = space_for_number();
  advance(std::to_chars(begin, begin + longest_number, number).ptr);
}

void TextOutput::whole(double number) {
  char* const begin = space_for_number();
  advance(std::to_chars(begin, begin + longest_number, number, std::chars_format::fixed).ptr);
}

void TextOutput::flush() {
  errno = 0;
  const auto count = static_cast<unsigned>(used_);
  if (count > 0 && gzwrite(file_.get(), buffer_.data(), count) != static_cast<int>(count)) fail();
  used_ = 0;
}

void TextOutput::close() {
  flush();
  errno = 0;
  if (gzclose_w(file_.release()) != Z_OK) fail();
}

void TextOutput::fail() const {
  const std::string reason = errno != 0 ? ": " + std::generic_category().message(errno) : "";
  throw Error(ErrorCode::InvalidFile, path_ + ": cannot be written" + reason);
}

}  // namespace terrace::io

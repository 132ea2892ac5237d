// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/problems/read_numbers.hpp"

#include <zlib.h>

#include <bit>
#include <memory>
#include <terrace/error.hpp>

namespace terrace::common {

static_assert(std::endian::native == std::endian::little, "numbers are read as they lie in the file");

template <class Number>
std::vector<Number> read_numbers(const std::string& path) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  if (!file) throw Error(ErrorCode::InvalidFile, path + " cannot be opened");
  constexpr unsigned numbers_at_once = 1u << 20;
  std::vector<Number> numbers;
  while (true) {
    const std::size_t before = numbers.size();
    numbers.resize(before + numbers_at_once);
    const int bytes = gzread(file.get(), numbers.data() + before, numbers_at_once * sizeof(Number));
    int error = Z_OK;
    gzerror(file.get(), &error);
    if (bytes < 0 || error != Z_OK || static_cast<std::size_t>(bytes) % sizeof(Number) != 0)
      throw Error(ErrorCode::InvalidFile, path + " is damaged or ends in the middle of a number");
    numbers.resize(before + static_cast<std::size_t>(bytes) / sizeof(Number));
    if (numbers.size() == before) return numbers;
  }
}

template std::vector<float> read_numbers(const std::string&);
template std::vector<double> read_numbers(const std::string&);

}  // namespace terrace::common

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A libFuzzer target: any bytes as a Matrix Market file, as right-hand sides and as block numbers. What is read has
// ascending rows inside the matrix, survives being written, and comes out the same from a gzipped file; what is not
// read ends in an Error.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <terrace/block_numbers.hpp>
#include <terrace/matrix_market.hpp>

// While a file is read, what it claims is allocated up to a bound, so that the fuzzer's own memory lasts.
static bool is_reading = false;

void* operator new(std::size_t bytes) {
  constexpr std::size_t most = std::size_t(1) << 24;
  void* memory = is_reading && bytes > most ? nullptr : std::malloc(bytes == 0 ? 1 : bytes);
  if (!memory) throw std::bad_alloc();
  return memory;
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return std::malloc(bytes == 0 ? 1 : bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

void check(bool is_kept, const char* promise) {
  if (is_kept) return;
  std::fprintf(stderr, "broken: %s\n", promise);
  std::abort();
}

/// A file in memory.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(memfd_create("terrace", 0)) { check(descriptor_ >= 0, "a file in memory"); }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }
  void write(const void* data, std::size_t size) const {
    check(::write(descriptor_, data, size) == static_cast<ssize_t>(size), "a file in memory takes bytes");
  }

 private:
  int descriptor_;
};

struct Outcome {
  terrace::MatrixMarketMatrix matrix;
  bool is_read = false;
  terrace::ErrorCode code = terrace::ErrorCode::NotSquare;
  std::optional<std::int64_t> line;
};

Outcome read(const MemoryFile& file) {
  Outcome outcome;
  is_reading = true;
  try {
    outcome.matrix = terrace::read_matrix_market(file.path());
    outcome.is_read = true;
  } catch (const terrace::Error& error) {
    outcome.code = error.code();
    outcome.line = error.line();
  }
  is_reading = false;
  return outcome;
}

bool are_same(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t k = 0; k < a.size(); ++k)
    if (a[k] != b[k] && !(a[k] != a[k] && b[k] != b[k])) return false;
  return true;
}

bool are_same(const terrace::MatrixMarketMatrix& a, const terrace::MatrixMarketMatrix& b) {
  return a.row_map == b.row_map && a.entries == b.entries && are_same(a.real, b.real) &&
         are_same(a.imaginary, b.imaginary);
}

void check_rows(const terrace::MatrixMarketMatrix& matrix) {
  check(matrix.row_map.size() == static_cast<std::size_t>(matrix.header.rows) + 1, "a row map of all rows");
  check(matrix.row_map.front() == 0 && matrix.row_map.back() == matrix.entries.size(), "a row map of all entries");
  check(matrix.real.size() == matrix.entries.size(), "a value for each entry");
  for (std::size_t row = 0; row + 1 < matrix.row_map.size(); ++row) {
    check(matrix.row_map[row] <= matrix.row_map[row + 1], "an ascending row map");
    for (std::size_t k = matrix.row_map[row]; k < matrix.row_map[row + 1]; ++k) {
      check(matrix.entries[k] >= 0 && matrix.entries[k] < matrix.header.columns, "a column of the matrix");
      check(k == matrix.row_map[row] || matrix.entries[k] > matrix.entries[k - 1], "ascending columns");
    }
  }
}

void check_written(const terrace::MatrixMarketMatrix& matrix) {
  const MemoryFile file;
  terrace::write_matrix_market(file.path(), matrix);
  const Outcome again = read(file);
  check(again.is_read && are_same(again.matrix, matrix), "what was written is read again");
}

void compress(const std::uint8_t* data, std::size_t size, const MemoryFile& file) {
  gzFile stream = gzopen(file.path().c_str(), "wb1");
  if (size > 0) check(gzwrite(stream, data, static_cast<unsigned>(size)) == static_cast<int>(size), "gzip");
  gzclose(stream);
}

template <class Read>
void read_anything(const Read& read) {
  is_reading = true;
  try {
    read();
  } catch (const terrace::Error&) {
  }
  is_reading = false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const MemoryFile file;
  file.write(data, size);
  const Outcome outcome = read(file);
  if (outcome.is_read) {
    check_rows(outcome.matrix);
    if (outcome.matrix.row_map.size() < 2000) check_written(outcome.matrix);
  }
  const bool is_gzipped = size > 1 && data[0] == 0x1f && data[1] == 0x8b;
  if (!is_gzipped && size > 0) {
    const MemoryFile smaller;
    compress(data, size, smaller);
    const Outcome unpacked = read(smaller);
    check(unpacked.is_read == outcome.is_read, "a gzipped file is read as a plain one is");
    check(outcome.is_read ? are_same(unpacked.matrix, outcome.matrix)
                          : unpacked.code == outcome.code && unpacked.line == outcome.line,
          "a gzipped file gives what a plain one gives");
  }
  read_anything([&] { terrace::read_matrix_market_vectors(file.path()); });
  read_anything([&] { terrace::read_block_numbers(file.path()); });
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows whose entries lie beyond 2^31: the kernels run on the far end of arrays that exist only as address space.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include "algorithms/triangular/reorder_lines.hpp"
#include "algorithms/triangular/solve_sequentially.hpp"
#include "sparse/build_rows.hpp"

namespace terrace {
namespace {

using Host = Kokkos::Serial;
constexpr std::size_t beyond = (std::size_t(1) << 31) + 12345;

/// Address space for `count` elements, of which only the touched pages become memory.
template <class T>
class Reserved {
 public:
  explicit Reserved(std::size_t count) : bytes_(count * sizeof(T)) {
    memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  }
  ~Reserved() {
    if (exists()) munmap(memory_, bytes_);
  }
  Reserved(const Reserved&) = delete;
  Reserved& operator=(const Reserved&) = delete;
  bool exists() const { return memory_ != MAP_FAILED; }
  T* data() { return static_cast<T*>(memory_); }

 private:
  std::size_t bytes_;
  void* memory_;
};

/// The bidiagonal matrix with 2 on the diagonal and -1 below it, stored from entry `beyond` on.
class BeyondTwoBillion : public ::testing::Test {
 protected:
  static constexpr int n = 100;
  Reserved<int> entries{beyond + 2 * std::size_t{n}};
  Reserved<float> values{beyond + 2 * std::size_t{n}};
  std::vector<std::size_t> line_map;

  void SetUp() override {
    if (!entries.exists() || !values.exists()) GTEST_SKIP() << "this system does not hand out unbacked address space";
    std::size_t position = beyond;
    for (int row = 0; row < n; ++row) {
      line_map.push_back(position);
      if (row > 0) put(position++, row - 1, -1.0f);
      put(position++, row, 2.0f);
    }
    line_map.push_back(position);
  }

  void put(std::size_t position, int column, float value) {
    entries.data()[position] = column;
    values.data()[position] = value;
  }

  analysis::Pattern<int, std::size_t> pattern(std::size_t skip_back) {
    analysis::Pattern<int, std::size_t> lines;
    lines.lines = n;
    lines.line_map = line_map.data();
    lines.entries = entries.data();
    lines.skip_back = skip_back;
    return lines;
  }
};

TEST_F(BeyondTwoBillion, SolvesThere) {
  Kokkos::View<float*, Host> b("b", n), x("x", n);
  Kokkos::deep_copy(b, 1.0f);
  const detail::MultiVector<const float, Host> b_vectors(b);
  const detail::MultiVector<float, Host> x_vectors(x);
  const triangular::System<float, int, std::size_t, true> system{pattern(1),
                                                                 values.data(),
                                                                 triangular::Vectors<const float, true>(b_vectors),
                                                                 triangular::Vectors<float, true>(x_vectors),
                                                                 1,
                                                                 false,
                                                                 false};
  triangular::solve_sequentially(Host(), system, true, false);
  float expected = 0.0f;
  for (int row = 0; row < n; ++row) EXPECT_FLOAT_EQ(x(row), expected = (1.0f + expected) / 2.0f);
}

TEST_F(BeyondTwoBillion, CopiesAndReordersFromThere) {
  for (const bool transpose : {false, true}) {
    const sparse::GraphView<int, std::size_t> whole{n, line_map.data(), entries.data()};
    const auto lines = analysis::copy_triangle<int, std::size_t, Host>(Host(), whole, {}, transpose);
    ASSERT_EQ(lines.line_map(n), static_cast<std::size_t>(2 * n - 1));
    const int line = transpose ? 41 : 42;  // holds the entry of row 42, column 41
    const auto at = lines.pattern().begin(line);
    EXPECT_EQ(lines.entries(at), transpose ? 42 : 41);
    EXPECT_EQ(lines.source(at), line_map[42]);
    EXPECT_GT(lines.source(at), std::size_t(1) << 31);
  }
}

}  // namespace
}  // namespace terrace

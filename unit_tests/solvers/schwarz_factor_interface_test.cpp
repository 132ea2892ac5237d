// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What callers of the Schwarz method can get wrong, and what is promised about partitions, instances, fences,
// allocations and unusual matrices.
#include <terrace/terrace.hpp>

#include "parallel/concurrency.hpp"
#include "reference/schwarz.hpp"
#include "support/device_triangle.hpp"
#include "support/recorded_events.hpp"

namespace terrace::test {
namespace {

template <class Space>
class SchwarzInterface : public ::testing::Test {
 public:
  using Tested = Combination<double, int, Space>;
  using Arrays = reference::CompressedArrays<double>;
  using PartitionType = Partition<int, Space>;
  using SubdomainsType = Subdomains<int, int, Space>;
  using Factor = SchwarzFactor<double, int, int, Space>;
  using Vector = Kokkos::View<double*, typename Tested::Device>;
  using Matrix = KokkosSparse::CrsMatrix<double, int, typename Tested::Device, void, int>;

  static PartitionType given(const std::vector<int>& numbers, int blocks) {
    return PartitionType(Space(), to_device<int, typename Tested::Device>(numbers), blocks);
  }
  static std::vector<int> runs(int n, int blocks) {
    std::vector<int> numbers(static_cast<std::size_t>(n));
    for (int row = 0; row < n; ++row) numbers[row] = row * blocks / n;
    return numbers;
  }
  static Matrix matrix_of(const DeviceArrays<Tested>& arrays) {
    const int rows = static_cast<int>(arrays.row_map.extent(0)) - 1;
    return Matrix("A", rows, rows, static_cast<int>(arrays.values.extent(0)), arrays.values, arrays.row_map,
                  arrays.entries);
  }
  static SubdomainsType subdomains(const Arrays& arrays, const PartitionType& partition,
                                   const SubdomainOptions& options = {}) {
    const DeviceArrays<Tested> device(arrays);
    return SubdomainsType(Space(), device.row_map, device.entries, partition, options);
  }
  static Factor factor(const Arrays& arrays, int blocks, const SchwarzOptions& options = {}) {
    const DeviceArrays<Tested> device(arrays);
    const int rows = static_cast<int>(arrays.row_map.size()) - 1;
    const SubdomainsType enlarged(Space(), device.row_map, device.entries, given(runs(rows, blocks), blocks),
                                  {.max_growth = 1000});
    return Factor(Space(), enlarged, device.values, options);
  }

  struct Failure {
    ErrorCode code{};
    std::optional<std::int64_t> line;
    std::string what;
  };
  static Failure failure_of(const std::function<void()>& call) {
    try {
      call();
    } catch (const Error& error) {
      return {error.code(), error.line(), error.what()};
    }
    ADD_FAILURE() << "nothing was thrown";
    return {};
  }
  static void expect_failure(ErrorCode code, const std::vector<std::string>& words, const std::function<void()>& call) {
    const Failure failure = failure_of(call);
    EXPECT_EQ(to_string(failure.code), std::string(to_string(code))) << failure.what;
    for (const auto& word : words) EXPECT_NE(failure.what.find(word), std::string::npos) << failure.what;
  }
  static Arrays grid(int nx, int ny) { return reference::compress(reference::poisson<double>(nx, ny)); }
};

using Spaces = ::testing::Types<Kokkos::DefaultHostExecutionSpace
#if defined(KOKKOS_ENABLE_CUDA)
                                ,
                                Kokkos::Cuda
#endif
                                >;
TYPED_TEST_SUITE(SchwarzInterface, Spaces);

TYPED_TEST(SchwarzInterface, RefusesPartitionsThatCannotBe) {
  using F = TestFixture;
  const DeviceArrays<typename F::Tested> device(F::grid(6, 5));
  const auto A = F::matrix_of(device);
  const auto partition = [&](const PartitionOptions& options) {
    return [&, options] { typename F::PartitionType(TypeParam(), A, options); };
  };
  F::expect_failure(ErrorCode::InvalidOption, {"-3"}, partition({.blocks = -3}));
  F::expect_failure(ErrorCode::InvalidOption, {"31", "30"}, partition({.blocks = 31}));
  F::expect_failure(ErrorCode::InvalidOption, {"16", "15", "nodes"}, partition({.blocks = 16, .unknowns_per_node = 2}));
  F::expect_failure(ErrorCode::InvalidOption, {"30", "4", "row 28"}, partition({.blocks = 2, .unknowns_per_node = 4}));
  F::expect_failure(ErrorCode::InvalidOption, {"unknowns_per_node"}, partition({.unknowns_per_node = 0}));
  F::expect_failure(ErrorCode::InvalidOption, {"partition_grid"}, partition({.method = PartitionMethod::Boxes}));
  F::expect_failure(ErrorCode::BlockOutOfRange, {"row 2", "block 7", "5 blocks"}, [] {
    F::given({0, 1, 7, 2, -1}, 5);
  });
  F::expect_failure(ErrorCode::BlockOutOfRange, {"row 1", "-1"}, [] { F::given({0, -1, 7}, 8); });
  F::expect_failure(ErrorCode::InvalidOption, {"0"}, [] { F::given({0, 0}, 0); });
  F::expect_failure(ErrorCode::InvalidOption, {"7", "y", "6"}, [] {
    partition_grid(TypeParam(), Grid{4, 6, 1}, Grid{2, 7, 1});
  });
  F::expect_failure(ErrorCode::InvalidOption, {"0", "x"}, [] {
    partition_grid(TypeParam(), Grid{4, 6, 1}, Grid{0, 1, 1});
  });
  F::expect_failure(ErrorCode::InvalidGrid, {}, [] { partition_grid(TypeParam(), Grid{4, 0, 1}, Grid{1, 1, 1}); });
}

TYPED_TEST(SchwarzInterface, RefusesWeightsThatAreNoNumbers) {
  using F = TestFixture;
  auto arrays = F::grid(6, 5);
  arrays.values[40] = std::numeric_limits<double>::infinity();
  const DeviceArrays<typename F::Tested> device(arrays);
  const auto A = F::matrix_of(device);
  int row = 0;
  while (static_cast<int>(arrays.row_map[row + 1]) <= 40) ++row;
  const auto failure =
      F::failure_of([&] { typename F::PartitionType(TypeParam(), A, {.blocks = 3, .weigh_edges = true}); });
  EXPECT_EQ(failure.code, ErrorCode::InvalidOption);
  EXPECT_EQ(failure.line, row);
  const typename F::PartitionType patterns_alone(TypeParam(), A, {.blocks = 3});
  EXPECT_EQ(patterns_alone.blocks(), 3);
}

TYPED_TEST(SchwarzInterface, PartitionsGraphsByMetis) {
  using F = TestFixture;
  const DeviceArrays<typename F::Tested> device(F::grid(20, 30));
  const auto A = F::matrix_of(device);
  const typename F::PartitionType first(TypeParam(), A, {.blocks = 6}), second(TypeParam(), A, {.blocks = 6});
  EXPECT_EQ(to_host(first.block_numbers()), to_host(second.block_numbers()));
  EXPECT_EQ(first.info().blocks, 6);
  EXPECT_LE(first.info().largest_block, 110);
  EXPECT_GT(first.info().cut.value(), 0);
  EXPECT_EQ(first.info().disconnected_blocks, 0);
  const typename F::PartitionType nodes(TypeParam(), A, {.blocks = 6, .unknowns_per_node = 5});
  const auto numbers = to_host(nodes.block_numbers());
  for (std::size_t row = 0; row < numbers.size(); ++row) EXPECT_EQ(numbers[row], numbers[row / 5 * 5]) << row;
  const typename F::PartitionType chosen(TypeParam(), A);
  EXPECT_GE(chosen.blocks(), 1);
  EXPECT_FALSE(chosen.info().reason.empty());
  const typename F::PartitionType one(TypeParam(), A, {.blocks = 1});
  EXPECT_EQ(one.info().cut, 0);
}

TYPED_TEST(SchwarzInterface, KeepsStrongEdgesTogetherOnRequest) {
  using F = TestFixture;
  auto matrix = reference::poisson<double>(16, 16);
  for (int row = 0; row < 256; ++row)
    for (auto& [column, value] : matrix.rows[row])
      if (std::abs(column - row) == 1) value *= 1e4;  // lines along x
  const DeviceArrays<typename F::Tested> device(reference::compress(matrix));
  const typename F::PartitionType weighted(TypeParam(), F::matrix_of(device), {.blocks = 4, .weigh_edges = true});
  const auto numbers = to_host(weighted.block_numbers());
  for (int row = 0; row < 256; ++row) EXPECT_EQ(numbers[row], numbers[row / 16 * 16]) << row;
}

TYPED_TEST(SchwarzInterface, DividesGridsIntoBoxes) {
  const auto boxes = partition_grid(TypeParam(), Grid{5, 4, 3}, Grid{2, 2, 3}, 2);
  const auto numbers = to_host(boxes.block_numbers());
  ASSERT_EQ(numbers.size(), 120u);
  EXPECT_EQ(boxes.blocks(), 12);
  EXPECT_EQ(boxes.info().smallest_block, 8);
  EXPECT_EQ(boxes.info().largest_block, 12);
  for (int cell = 0; cell < 60; ++cell) {
    const int i = cell % 5, j = cell / 5 % 4, k = cell / 20;
    EXPECT_EQ(numbers[2 * cell], numbers[2 * cell + 1]);
    EXPECT_EQ(numbers[2 * cell], (i > 1 ? 1 : 0) + 2 * (j / 2) + 4 * k) << i << ", " << j << ", " << k;
  }
}

TYPED_TEST(SchwarzInterface, RefusesSubdomainsThatCannotBe) {
  using F = TestFixture;
  const auto arrays = F::grid(6, 5);
  const auto partition = F::given(F::runs(30, 3), 3);
  const auto make = [&](const typename F::Arrays& of, const SubdomainOptions& options = {}) {
    return [&, of, options] { F::subdomains(of, partition, options); };
  };
  F::expect_failure(ErrorCode::InvalidOption, {"-1"}, make(arrays, {.overlap = -1}));
  F::expect_failure(ErrorCode::InvalidOption, {"0.5"}, make(arrays, {.max_growth = 0.5}));
  F::expect_failure(ErrorCode::SizeMismatch, {"30", "20"}, make(F::grid(5, 4)));
  auto decreasing = arrays, outside = arrays, twice = arrays;
  decreasing.row_map[7] = decreasing.row_map[8] + 1;
  outside.entries[17] = 30;
  twice.entries[1] = twice.entries[0];
  F::expect_failure(ErrorCode::InvalidRowMap, {"row 7"}, make(decreasing));
  F::expect_failure(ErrorCode::ColumnOutOfRange, {"row"}, make(outside));
  F::expect_failure(ErrorCode::DuplicateEntry, {"row 0"}, make(twice));
}

TYPED_TEST(SchwarzInterface, RefusesAHubThatDragsTheMatrixIntoEveryBlock) {
  using F = TestFixture;
  reference::GeneralMatrix<double> star(400);
  for (int row = 0; row < 400; ++row) star.rows[row][row] = star.rows[row][37] = star.rows[37][row] = 400.0;
  const auto arrays = reference::compress(star);
  const auto partition = F::given(F::runs(400, 50), 50);
  EXPECT_EQ(F::subdomains(arrays, partition, {.overlap = 1}).info().max_copies, 50);
  const auto failure = F::failure_of([&] { F::subdomains(arrays, partition, {.overlap = 2}); });
  EXPECT_EQ(failure.code, ErrorCode::OutOfMemory);
  EXPECT_EQ(failure.line, 37);
  EXPECT_NE(failure.what.find("400"), std::string::npos) << failure.what;
  EXPECT_NO_THROW(F::subdomains(arrays, partition, {.overlap = 2, .max_growth = 60}));
}

TYPED_TEST(SchwarzInterface, RefusesFactorsThatCannotBe) {
  using F = TestFixture;
  const auto arrays = F::grid(6, 5);
  F::expect_failure(ErrorCode::InvalidOption, {"fill_level", "-1"}, [&] {
    F::factor(arrays, 3, {.blocks = IluBlocks{{.fill_level = -1}, {}}});
  });
  F::expect_failure(ErrorCode::InvalidOption, {"Schwarz", "given"}, [&] {
    F::factor(arrays, 3, {.blocks = IluBlocks{{.ordering = Ordering::Given, .permutation = {0}}, {}}});
  });
  F::expect_failure(ErrorCode::InvalidOption, {"Schwarz", "given"}, [&] {
    F::factor(arrays, 3, {.blocks = IlutOptions{.ordering = Ordering::Given, .permutation = {0}}});
  });
  F::expect_failure(ErrorCode::InvalidOption, {"fill", "-2"},
                    [&] { F::factor(arrays, 3, {.blocks = IlutOptions{.fill = -2}}); });
  F::expect_failure(ErrorCode::InvalidOption, {"right_hand_sides"},
                    [&] { F::factor(arrays, 3, {.right_hand_sides = 0}); });
  auto headless = reference::poisson<double>(6, 5);
  headless.rows[13].erase(13);
  const auto failure = F::failure_of([&] { F::factor(reference::compress(headless), 3); });
  EXPECT_EQ(failure.code, ErrorCode::MissingDiagonal);
  EXPECT_EQ(failure.line, 13);
  EXPECT_NO_THROW(F::factor(reference::compress(headless), 3,
                            {.blocks = IluBlocks{{.fill_level = 1, .insert_missing_diagonal = true}, {}}}));
  const auto partition = F::given(F::runs(30, 3), 3);
  const auto enlarged = F::subdomains(arrays, partition);
  const typename F::Vector few("few", 5);
  F::expect_failure(ErrorCode::SizeMismatch, {"5"}, [&] { typename F::Factor(TypeParam(), enlarged, few); });
  auto factor = F::factor(arrays, 3);
  F::expect_failure(ErrorCode::SizeMismatch, {"5"}, [&] { factor.refactorize(TypeParam(), few); });
  const typename F::Vector z("z", 30);
  F::expect_failure(ErrorCode::SizeMismatch, {"5", "30"}, [&] { factor.apply(TypeParam(), few, z); });
  F::expect_failure(ErrorCode::SizeMismatch, {"5", "30"}, [&] { factor.apply(TypeParam(), z, few); });
}

TYPED_TEST(SchwarzInterface, TakesMatricesOfSizeZeroAndOne) {
  using F = TestFixture;
  const typename F::Arrays nothing{{0}, {}, {}};
  const auto none = F::subdomains(nothing, F::given({}, 3));
  EXPECT_EQ(none.info().empty_blocks, 3);
  const typename F::Factor empty(TypeParam(), none, typename F::Vector("values", 0));
  empty.apply(TypeParam(), typename F::Vector("r", 0), typename F::Vector("z", 0));
  EXPECT_TRUE(empty.info().succeeded());
  const auto one = F::factor({{0, 1}, {0}, {4.0}}, 1);
  const typename F::Vector r("r", 1), z("z", 1);
  Kokkos::deep_copy(r, 2.0);
  one.apply(TypeParam(), r, z);
  Kokkos::fence();
  EXPECT_EQ(to_host(z), std::vector<double>{0.5});
}

TYPED_TEST(SchwarzInterface, TakesBlocksOfOneRowEmptyOnesAndMoreThanRowsAllow) {
  using F = TestFixture;
  const auto matrix = reference::poisson<double>(6, 5);
  const DeviceArrays<typename F::Tested> device(reference::compress(matrix));
  std::vector<int> single(30), scattered(30);
  for (int row = 0; row < 30; ++row) {
    single[row] = row;
    scattered[row] = 7 * row;  // of 300 blocks most are empty
  }
  const typename F::Vector r("r", 30), z("z", 30);
  Kokkos::deep_copy(r, 1.0);
  for (const auto algorithm : {SchwarzAlgorithm::Automatic, SchwarzAlgorithm::Blocks, SchwarzAlgorithm::Solvers})
    for (const auto& [numbers, blocks] : {std::pair(single, 30), std::pair(scattered, 300)}) {
      const typename F::SubdomainsType enlarged(TypeParam(), device.row_map, device.entries, F::given(numbers, blocks),
                                                {.overlap = 0});
      EXPECT_EQ(enlarged.info().empty_blocks, blocks - 30);
      const typename F::Factor jacobi(TypeParam(), enlarged, device.values, {.algorithm = algorithm});
      jacobi.apply(TypeParam(), r, z);
      Kokkos::fence();
      EXPECT_EQ(to_host(z), std::vector<double>(30, 0.25));
    }
}

TYPED_TEST(SchwarzInterface, EnqueuesLabelledKernelsOnTheCallersInstanceWithoutFenceOrAllocation) {
  using F = TestFixture;
  const DeviceArrays<typename F::Tested> arrays(F::grid(30, 20));
  const auto instance = Kokkos::Experimental::partition_space(TypeParam(), 1)[0];
  const Kokkos::View<double**, typename F::Tested::Device> R("r", 600, 3), Z("z", 600, 3);
  for (const auto algorithm : {SchwarzAlgorithm::Blocks, SchwarzAlgorithm::Solvers})
    for (const auto variant : {SchwarzVariant::Restricted, SchwarzVariant::Additive}) {
      const typename F::SubdomainsType enlarged(instance, arrays.row_map, arrays.entries, F::given(F::runs(600, 9), 9));
      typename F::Factor factor(instance, enlarged, arrays.values, {.variant = variant, .algorithm = algorithm});
      factor.refactorize(instance, arrays.values);
      factor.apply(instance, R, Z);
      instance.fence();
      const RecordedEvents events;
      factor.refactorize(instance, arrays.values);
      factor.apply(instance, R, Z);
      factor.apply(instance, R, R);
      EXPECT_GE(events.kernels(), 3);
      EXPECT_EQ(events.fences(), std::vector<std::string>());
      EXPECT_EQ(events.allocations(), 0);
      EXPECT_EQ(events.kernels_elsewhere(Kokkos::Tools::Experimental::device_id(instance)), 0);
      EXPECT_EQ(events.unlabelled(), std::vector<std::string>());
    }
}

TYPED_TEST(SchwarzInterface, RepeatsItsBits) {
  using F = TestFixture;
  const auto matrix = reference::random_matrix<double>(2000, 4, 3);
  const DeviceArrays<typename F::Tested> arrays(reference::compress(matrix));
  const typename F::SubdomainsType enlarged(TypeParam(), arrays.row_map, arrays.entries,
                                            F::given(F::runs(2000, 40), 40), {.max_growth = 1000});
  for (const auto variant : {SchwarzVariant::Restricted, SchwarzVariant::Additive}) {
    const typename F::Factor factor(TypeParam(), enlarged, arrays.values,
                                    {.variant = variant, .algorithm = SchwarzAlgorithm::Blocks});
    const typename F::Vector r("r", 2000), z("z", 2000);
    Kokkos::deep_copy(r, 1.0);
    factor.apply(TypeParam(), r, z);
    Kokkos::fence();
    const auto first = to_host(z);
    for (int repetition = 0; repetition < 200; ++repetition) factor.apply(TypeParam(), r, z);
    Kokkos::fence();
    EXPECT_EQ(first, to_host(z));
  }
}

TYPED_TEST(SchwarzInterface, IsAFactorThatOthersCanOwn) {
  using F = TestFixture;
  static_assert(Factor<typename F::Factor, double, TypeParam>);
  const auto arrays = F::grid(12, 13);
  const LinearOperator<double, TypeParam> M(F::factor(arrays, 4));
  const typename F::Vector r("r", 156), z("z", 156);
  Kokkos::deep_copy(r, 1.0);
  M.apply(TypeParam(), r, z);
  Kokkos::fence();
  for (const double number : to_host(z)) EXPECT_GT(number, 0);
}

TYPED_TEST(SchwarzInterface, HoldsFewTimesItsFactor) {
  using F = TestFixture;
  const auto matrix = reference::poisson<double>(40, 40, 20);
  const DeviceArrays<typename F::Tested> arrays(reference::compress(matrix));
  const auto boxes = partition_grid(TypeParam(), Grid{40, 40, 20}, Grid{4, 4, 2});
  const typename F::SubdomainsType enlarged(TypeParam(), arrays.row_map, arrays.entries, boxes);
  const typename F::Factor factor(TypeParam(), enlarged, arrays.values, {.algorithm = SchwarzAlgorithm::Blocks});
  const auto info = factor.info();
  const double of_the_factor =
      12.0 * static_cast<double>(info.factor_entries) + 8.0 * static_cast<double>(info.subdomains.places);
  EXPECT_LE(static_cast<double>(factor.bytes_held()), 2.2 * of_the_factor);
  EXPECT_EQ(info.bytes_held, factor.bytes_held());
}

}  // namespace
}  // namespace terrace::test

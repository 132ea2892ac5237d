// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The three ways to the filled rows, on every space that can go them, against levels of fill by their definition.
#include "algorithms/incomplete/fill_levels.hpp"

#include "reference/dense_incomplete_factors.hpp"
#include "reference/elimination_shapes.hpp"
#include "support/device_triangle.hpp"

namespace terrace::test {
namespace {

using Rows = std::vector<std::vector<int>>;
using Matrix = reference::GeneralMatrix<double>;

template <class Space>
class FillRows : public ::testing::Test {
 public:
  using Tested = Combination<double, int, Space>;
  using Search = incomplete::FillSearch<int, int>;

  /// Sorted rows with their diagonals on the device.
  struct Graph {
    explicit Graph(const Matrix& matrix) : arrays(reference::compress(matrix)), diagonal("diagonal", matrix.size()) {
      Kokkos::parallel_for(
          "terrace::test::find_diagonals", Kokkos::RangePolicy<Space>(0, matrix.size()),
          incomplete::FindDiagonals<int, int>{arrays.row_map.data(), arrays.entries.data(), diagonal.data()});
      pattern.rows = matrix.size();
      pattern.row_map = arrays.row_map.data();
      pattern.entries = arrays.entries.data();
      pattern.diagonal = diagonal.data();
    }
    std::size_t entries() const { return arrays.entries.extent(0); }

    DeviceArrays<Tested> arrays;
    Kokkos::View<int*, typename Tested::Device> diagonal;
    sparse::TriangleView<int, int> pattern;
  };

  static Rows rows_of(const sparse::CrsGraph<int, int, Space>& filled) {
    const auto map = to_host(filled.row_map);
    const auto entries = to_host(filled.entries);
    Rows rows;
    for (std::size_t row = 0; row + 1 < map.size(); ++row)
      rows.emplace_back(entries.begin() + map[row], entries.begin() + map[row + 1]);
    return rows;
  }

  static Rows by_teams(const Matrix& matrix, int fill_level, std::size_t vertices_at_first, int* rounds = nullptr) {
    const Graph graph(matrix);
    incomplete::FillByTeams<int, int, Space> teams(Space(), Search{graph.pattern, fill_level}, graph.entries(),
                                                   vertices_at_first);
    if (rounds) *rounds = teams.rounds();
    return rows_of(teams.write());
  }

  static Rows by_definition(const Matrix& matrix, int fill_level) {
    Rows rows;
    for (const auto& row : reference::fill_mask(matrix, fill_level)) {
      rows.emplace_back();
      for (std::size_t column = 0; column < row.size(); ++column)
        if (row[column]) rows.back().push_back(static_cast<int>(column));
    }
    return rows;
  }

  /// One row and one column are dense.
  static Matrix with_hub(int n, int hub) {
    Matrix matrix(n);
    for (int row = 0; row < n; ++row) matrix.rows[row][row] = matrix.rows[row][hub] = matrix.rows[hub][row] = 1;
    return matrix;
  }

  static Rows all_columns(int n) {
    std::vector<int> row(static_cast<std::size_t>(n));
    std::iota(row.begin(), row.end(), 0);
    return Rows(static_cast<std::size_t>(n), row);
  }
};

using TestedSpaces = ::testing::Types<Kokkos::DefaultHostExecutionSpace, Kokkos::DefaultExecutionSpace>;
TYPED_TEST_SUITE(FillRows, TestedSpaces);

TYPED_TEST(FillRows, TeamsFindTheRowsOfTheDefinition) {
  for (const int n : {1, 2, 33, 150})
    for (const int per_row : {1, 3, 8})
      for (const int level : {0, 1, 2, 3, 7, n}) {
        const auto matrix = reference::random_matrix<double>(n, per_row, static_cast<unsigned>(n + level));
        ASSERT_EQ(this->by_teams(matrix, level, 8), this->by_definition(matrix, level))
            << n << " rows, " << per_row << " entries, level " << level;
      }
}

TYPED_TEST(FillRows, TeamsTakeLargerTablesForRowsThatNeedThem) {
  const auto matrix = reference::random_matrix<double>(600, 3, 29);
  int rounds = 0;
  EXPECT_EQ(this->by_teams(matrix, 3, 1, &rounds), this->by_definition(matrix, 3));
  EXPECT_GE(rounds, 2);
  EXPECT_EQ(this->by_teams(matrix, 3, 600, &rounds), this->by_definition(matrix, 3));
  EXPECT_EQ(rounds, 1);
}

TYPED_TEST(FillRows, RowsThatJustFillATableAreWrittenAsTheyWereCounted) {
  const auto matrix = reference::random_matrix<double>(400, 70, 31);  // rows of 56 to 73 entries; capacity for 64
  for (int repetition = 0; repetition < 5; ++repetition)
    ASSERT_EQ(this->by_teams(matrix, 0, 64), this->by_definition(matrix, 0));
}

TYPED_TEST(FillRows, AHubBeforeAllFillsEverythingAndAHubBehindAllNothing) {
  constexpr int n = 1500;  // longer than what is sorted by counting
  EXPECT_EQ(this->by_teams(this->with_hub(n, 0), 1, 8), this->all_columns(n));
  const auto behind = this->by_teams(this->with_hub(n, n - 1), 5, 8);
  EXPECT_EQ(behind.front(), (std::vector<int>{0, n - 1}));
  EXPECT_EQ(behind.back(), this->all_columns(n).back());
}

TYPED_TEST(FillRows, TeamsGiveTheSameRowsEachTime) {
  const auto matrix = reference::convection_diffusion<double>(12, 11, 10, 0.5);
  const auto first = this->by_teams(matrix, 2, 32);
  for (int repetition = 0; repetition < 5; ++repetition) ASSERT_EQ(first, this->by_teams(matrix, 2, 32));
}

TYPED_TEST(FillRows, ThreadsAndTeamsFindTheSameRows) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  const auto matrix = reference::convection_diffusion<double>(14, 12, 10, 0.5);
  const typename FillRows<Host>::Graph graph(matrix);
  for (const int level : {1, 2, 4}) {
    const auto by_threads = incomplete::fill_rows_by_threads<int, int, Host>(Host(), {graph.pattern, level});
    EXPECT_EQ(FillRows<Host>::rows_of(by_threads), this->by_teams(matrix, level, 16));
  }
}

TYPED_TEST(FillRows, StopsWhenThereAreMoreEntriesThanAllowed) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  constexpr int n = 3000;
  const auto matrix = this->with_hub(n, 0);
  const typename TestFixture::Graph graph(matrix);
  const typename FillRows<Host>::Graph on_host(matrix);
  const auto expect_stop = [&](const auto& fill) {
    try {
      fill();
      FAIL() << "nothing was thrown";
    } catch (const incomplete::TooMuchFill& found) {
      EXPECT_EQ(found.row_entries, n);
      EXPECT_LT(found.row, n);
    }
  };
  for (const std::int64_t limit :
       {std::int64_t(1), std::int64_t(n), std::int64_t(n) * n / 2, std::int64_t(n) * n - 1}) {
    const typename TestFixture::Search search{graph.pattern, 1, limit};
    expect_stop([&] { incomplete::fill_rows_by_teams<int, int, TypeParam>(TypeParam(), search, graph.entries()); });
    const typename FillRows<Host>::Search of_host{on_host.pattern, 1, limit};
    expect_stop([&] { incomplete::fill_rows_by_threads<int, int, Host>(Host(), of_host); });
    expect_stop([&] { incomplete::fill_mirrored_rows<int, int, Host>(Host(), of_host); });
  }
  const typename TestFixture::Search enough{graph.pattern, 1, std::int64_t(n) * n};
  EXPECT_EQ(
      (incomplete::fill_rows_by_teams<int, int, TypeParam>(TypeParam(), enough, graph.entries()).entries.extent(0)),
      static_cast<std::size_t>(n) * n);
}

TYPED_TEST(FillRows, SaysWhenTheOffsetsCannotCountTheEntries) {
  const parallel::Scratch<int, TypeParam> lengths(TypeParam(), "terrace::test::lengths", 3);
  Kokkos::deep_copy(lengths.view(),
                    to_device<int, typename TestFixture::Tested::Device>(std::vector<int>{1000000000, 1, 1200000000}));
  sparse::CrsGraph<int, int, TypeParam> rows;
  try {
    incomplete::allocate_rows(TypeParam(), lengths, incomplete::FillSearch<int, int>{{}, 2}, rows);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::OutOfMemory);
    EXPECT_STREQ(error.what(),
                 "the factors of fill level 2 have 2200000001 entries, more than the row map's type can count");
  }
}

TEST(MirroredRows, AreThoseOfTheDefinition) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  using OnHost = FillRows<Host>;
  for (const auto& shape : reference::elimination_shapes()) {
    if (!reference::is_symmetric(shape.matrix) || shape.matrix.size() > 350) continue;
    const OnHost::Graph graph(shape.matrix);
    for (const int level : {1, 2, 5, shape.matrix.size()}) {
      const auto found = incomplete::fill_mirrored_rows<int, int, Host>(Host(), {graph.pattern, level});
      ASSERT_EQ(OnHost::rows_of(found), OnHost::by_definition(shape.matrix, level))
          << shape.name << ", level " << level;
    }
  }
}

}  // namespace
}  // namespace terrace::test

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What only the GPU's elimination by thresholds can get wrong: rows that do not fit, rows that are given up, equal
// sizes, growth. Its factor has the bits of the generic one, by one thread for each row.
#pragma once

#include "algorithms/incomplete/threshold/collect_rows.hpp"
#include "backends/threshold.hpp"
#include "reference/general_matrix.hpp"
#include "support/cuda_stream.hpp"
#include "support/device_triangle.hpp"
#include "support/full_device.hpp"

namespace terrace::test {

template <class T>
class ThresholdEngineTest : public ::testing::Test {
 public:
  using Scalar = typename T::Scalar;
  using Real = reference::Real<Scalar>;
  using Offset = typename T::Offset;
  using Space = Kokkos::Cuda;
  using Matrix = reference::GeneralMatrix<Scalar>;
  using Elimination = incomplete::ThresholdElimination<Scalar, int, Offset>;
  using Generic = incomplete::WorkMemory<Scalar, int, Space>;
  using Warps = cuda::threshold::ThresholdWarps<Scalar, Offset>;

  static constexpr bool is_complex = !std::is_floating_point_v<Scalar>;
  static constexpr double unit = std::numeric_limits<Real>::epsilon();

  struct Options {
    Factorization factorization = Factorization::Lu;
    int fill = 10;
    double drop_tolerance = 1e-3;
    bool replace = false;
    std::size_t capacity = 1000;
    std::vector<int> order = {};  // of the claims; empty: ascending
  };

  struct Factor {
    std::vector<std::map<int, Scalar>> rows;
    std::int64_t dropped;
    std::vector<int> diagnostics;
  };

  /// All of an elimination but its memory and its order.
  static Elimination describe(const sparse::TriangleView<int, Offset>& pattern, const Scalar* values,
                              const Options& options, int* diagnostics) {
    const bool is_lu = options.factorization == Factorization::Lu;
    const bool is_hermitian = options.factorization == Factorization::HermitianCholesky;
    Elimination elimination{};
    elimination.pattern = pattern;
    elimination.matrix = {values, nullptr, pattern.entries, nullptr, nullptr, is_hermitian, true};
    elimination.pivots = {static_cast<Real>(100 * unit), is_hermitian || (!is_lu && !is_complex), options.replace,
                          diagnostics};
    elimination.fill = static_cast<unsigned>(options.fill);
    elimination.drop_tolerance = static_cast<Real>(options.drop_tolerance);
    elimination.diagonal_factor = Real(1);
    elimination.symmetric = !is_lu;
    return elimination;
  }

  template <class Workers>
  using Engine = incomplete::EngineOfWorkers<Scalar, int, Offset, Space, Workers>;
  using BesideHost = cuda::threshold::EngineBesideHost<Scalar, Offset>;

  /// A matrix on the device, and an engine for it.
  template <class EngineType>
  class Problem {
   public:
    template <class... Arguments>
    Problem(const Space& space, const Matrix& matrix, const Options& options, const Arguments&... arguments)
        : space_(space),
          n_(matrix.size()),
          arrays_(reference::compress(matrix)),
          order_(to_device<int, typename T::Device>(options.order)),
          diagnostics_("diagnostics", incomplete::PivotDiagnostics),
          engine_(space, n_, arguments...) {
      elimination_ = describe({n_, arrays_.row_map.data(), arrays_.entries.data()}, arrays_.values.data(), options,
                              diagnostics_.data());
      elimination_.finished.claim_order = options.order.empty() ? nullptr : order_.data();
    }

    /// Allocates nothing where the store has capacity.
    std::int64_t eliminate() {
      incomplete::forget_pivots(space_, diagnostics_.data(), n_);
      return engine_.run(elimination_);
    }

    Factor factor(std::int64_t dropped) const {
      EXPECT_GT(engine_.workers(), 0u);
      Factor found{std::vector<std::map<int, Scalar>>(static_cast<std::size_t>(n_)), dropped, to_host(diagnostics_)};
      const auto collected = incomplete::collect_rows<Scalar, int, Offset, Space>(space_, n_, engine_.finished_rows());
      const auto map = to_host(collected.row_map);
      const auto entries = to_host(collected.entries);
      const auto values = to_host(collected.values);
      for (int row = 0; row < n_; ++row)
        for (auto k = map[row]; k < map[row + 1]; ++k) {
          EXPECT_TRUE(k == map[row] || entries[k - 1] < entries[k]) << "row " << row << " is not in order";
          found.rows[row][entries[k]] = values[k];
        }
      return found;
    }

    const EngineType& engine() const { return engine_; }

   private:
    Space space_;
    int n_;
    DeviceArrays<T> arrays_;
    Kokkos::View<int*, typename T::Device> order_, diagnostics_;
    EngineType engine_;
    Elimination elimination_{};
  };

  static std::size_t entries_of(const Matrix& matrix) {
    std::size_t entries = 0;
    for (const auto& row : matrix.rows) entries += row.size();
    return entries;
  }
  static Problem<Engine<Warps>> problem(const Space& space, const Matrix& matrix, const Options& options) {
    return {space, matrix, options, options.capacity, entries_of(matrix), options.fill};
  }

  static Factor factor_of(const Matrix& matrix, const Options& options) {
    auto found = problem(Space(), matrix, options);
    const std::int64_t dropped = found.eliminate();
    return found.factor(dropped);
  }
  static Factor expected_of(const Matrix& matrix, const Options& options) {
    Options ascending = options;
    ascending.order.clear();
    Problem<Engine<Generic>> expected(Space(), matrix, ascending, options.capacity);
    const std::int64_t dropped = expected.eliminate();
    return expected.factor(dropped);
  }

  /// By one thread of the host.
  static Factor factor_on_host(const Matrix& matrix, const Options& options) {
    const auto arrays = reference::compress(matrix);
    const std::vector<Offset> row_map(arrays.row_map.begin(), arrays.row_map.end());
    incomplete::RowsOnHost<Scalar, int, Offset> rows(
        describe({matrix.size(), row_map.data(), arrays.entries.data()}, arrays.values.data(), options, nullptr),
        options.capacity);
    while (!rows.are_all_finished()) rows.eliminate(37);
    const auto& diagnostics = rows.diagnostics();
    Factor found{std::vector<std::map<int, Scalar>>(static_cast<std::size_t>(matrix.size())), rows.dropped(),
                 std::vector<int>(diagnostics.begin(), diagnostics.end())};
    const auto& finished = rows.finished();
    for (int row = 0; row < matrix.size(); ++row)
      for (Offset p = finished.begin[row]; p < finished.end[row]; ++p)
        found.rows[row][finished.entries[p]] = finished.values[p];
    return found;
  }

  /// Only a NaN is like another one, whatever its bits.
  static bool has_same_bits(const Scalar& a, const Scalar& b) {
    return std::memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b);
  }

  /// The same bits.
  static void expect_alike(const Factor& found, const Factor& expected) {
    for (std::size_t row = 0; row < expected.rows.size(); ++row) {
      ASSERT_EQ(found.rows[row].size(), expected.rows[row].size()) << "row " << row;
      for (const auto& [column, value] : expected.rows[row]) {
        ASSERT_TRUE(found.rows[row].contains(column)) << "(" << row << ", " << column << ")";
        const Scalar entry = found.rows[row].at(column);
        ASSERT_TRUE(has_same_bits(entry, value)) << "(" << row << ", " << column << ")";
      }
    }
    EXPECT_EQ(found.dropped, expected.dropped);
    EXPECT_EQ(found.diagnostics, expected.diagnostics);
  }

  static void expect_bits_of_the_generic_factor(const Matrix& matrix, const Options& options) {
    SCOPED_TRACE(std::string(to_string(options.factorization)) + " n " + std::to_string(matrix.size()) + " fill " +
                 std::to_string(options.fill) + " tolerance " + std::to_string(options.drop_tolerance));
    expect_alike(factor_of(matrix, options), expected_of(matrix, options));
  }

  static std::vector<Factorization> factorizations() {
    if (is_complex) return {Factorization::Lu, Factorization::Cholesky, Factorization::HermitianCholesky};
    return {Factorization::Lu, Factorization::Cholesky};
  }

  static Matrix random(Factorization factorization, int n, int per_row, unsigned seed) {
    if (factorization == Factorization::Lu) return reference::random_matrix<Scalar>(n, per_row, seed);
    return reference::random_symmetric<Scalar>(n, per_row, factorization == Factorization::HermitianCholesky, seed);
  }

  /// A grid, all of whose rows need the one before them, with rows of `length` columns among them.
  static Matrix with_long_rows(int n, int length) {
    Matrix matrix = reference::poisson<Scalar>(n / 10, 10);
    std::mt19937 generator(5);
    for (const int row : {n / 3, n / 2, n - 1}) {
      for (int k = 0; k < length; ++k) {
        const auto column = static_cast<int>((static_cast<std::int64_t>(k) * n) / length);
        if (column == row) continue;
        matrix.rows[row][column] = reference::random_scalar<Scalar>(generator);
        matrix.rows[column][row] = reference::conjugate_of(matrix.rows[row][column]);
      }
      matrix.rows[row][row] = Scalar(static_cast<Real>(length));
    }
    for (int row = 0; row < n; ++row) matrix.rows[row][row] += Scalar(Real(8));
    return matrix;
  }

  /// Rows of `matrix` that get every `stride`-th column; symmetric where the matrix is.
  static Matrix with_rows_of_columns(Matrix matrix, const std::vector<int>& rows, int stride, bool is_symmetric) {
    std::mt19937 generator(9);
    for (const int row : rows)
      for (int column = row % stride; column < matrix.size(); column += stride) {
        if (column == row) continue;
        const Scalar value = reference::random_scalar<Scalar>(generator);
        matrix.rows[row][column] = value;
        if (is_symmetric) matrix.rows[column][row] = value;
      }
    for (const int row : rows) matrix.rows[row][row] = Scalar(Real(10 * matrix.size() / stride));
    return matrix;
  }

  static std::vector<int> shuffled(int n) {
    std::vector<int> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::mt19937(7));
    return order;
  }
  static std::vector<int> descending(int n) {
    std::vector<int> order(static_cast<std::size_t>(n));
    std::iota(order.rbegin(), order.rend(), 0);
    return order;
  }
};

TYPED_TEST_SUITE_P(ThresholdEngineTest);

TYPED_TEST_P(ThresholdEngineTest, HasTheBitsOfTheGenericFactor) {
  for (const auto factorization : this->factorizations())
    for (const int n : {1, 2, 33, 400})
      for (const int per_row : {1, 5, 60}) {
        const auto matrix = this->random(factorization, n, per_row, 3);
        for (const int fill : {0, 1, 7, 40, 1000})
          for (const double tolerance : {0.0, 1e-3, 0.1})
            this->expect_bits_of_the_generic_factor(
                matrix, {.factorization = factorization, .fill = fill, .drop_tolerance = tolerance});
        if (this->HasFailure()) return;
      }
}

/// Rows that come before those that they need are given up, and taken up again.
TYPED_TEST_P(ThresholdEngineTest, RowsMayBeClaimedInAnyOrder) {
  for (const auto factorization : this->factorizations())
    for (const auto& matrix :
         {this->random(factorization, 3000, 4, 11), reference::poisson<typename TypeParam::Scalar>(70, 60)}) {
      const typename TestFixture::Options options{.factorization = factorization, .drop_tolerance = 1e-4};
      const auto expected = this->expected_of(matrix, options);
      for (const auto& order : {this->shuffled(matrix.size()), this->descending(matrix.size())})
        for (int repetition = 0; repetition < 3; ++repetition) {
          auto ordered = options;
          ordered.order = order;
          this->expect_alike(this->factor_of(matrix, ordered), expected);
          if (this->HasFailure()) return;
        }
    }
}

/// For a matrix of which it was told that it has no entries, one lost step is too many.
TYPED_TEST_P(ThresholdEngineTest, GoesOnInAscendingOrderWhereAnotherLosesTooMuch) {
  using Problem =
      typename TestFixture::template Problem<typename TestFixture::template Engine<typename TestFixture::Warps>>;
  for (const auto factorization : this->factorizations()) {
    const auto matrix = this->random(factorization, 3000, 6, 23);
    const typename TestFixture::Options options{.factorization = factorization, .drop_tolerance = 1e-4};
    const auto expected = this->expected_of(matrix, options);
    for (const auto& order : {this->shuffled(matrix.size()), this->descending(matrix.size())}) {
      auto ordered = options;
      ordered.order = order;
      Problem problem(Kokkos::Cuda(), matrix, ordered, options.capacity, std::size_t(0), options.fill);
      for (int repetition = 0; repetition < 2; ++repetition)
        this->expect_alike(problem.factor(problem.eliminate()), expected);
      if (this->HasFailure()) return;
    }
  }
}

/// They have working rows in device memory, which have to grow in turn.
TYPED_TEST_P(ThresholdEngineTest, RowsThatDoNotFitInSharedMemory) {
  struct Case {
    int n, length, fill;
  };
  for (const auto factorization : this->factorizations())
    for (const Case& of : {Case{6000, 200, 5}, {6000, 1500, 5}, {6000, 6000, 5}, {6000, 6000, 30}, {1500, 1500, 300}}) {
      auto matrix = this->with_long_rows(of.n, of.length);
      if (factorization == Factorization::Cholesky)
        for (int row = 0; row < matrix.size(); ++row)
          for (auto& [column, value] : matrix.rows[row])
            if (column > row) value = matrix.at(column, row);
      this->expect_bits_of_the_generic_factor(matrix, {.factorization = factorization, .fill = of.fill});
      if (this->HasFailure()) return;
    }
}

/// Their steps are taken together where rows of U have nothing to do with each other, as in a diagonal matrix or a
/// random one, and by ones where each touches the next column; columns fill in before, between and behind the next
/// steps, rows of U are too long for shared memory, and the row reads all columns, or a few of each thousand.
TYPED_TEST_P(ThresholdEngineTest, StepsOfLongRowsAreTakenTogether) {
  using Scalar = typename TypeParam::Scalar;
  struct Case {
    int stride, fill;
    double tolerance;
  };
  constexpr int n = 4500;  // more than are looked at at once, 4,096
  const std::vector<int> rows = {700, n - 2, n - 1};
  for (const auto factorization : {Factorization::Lu, Factorization::Cholesky}) {
    const bool is_symmetric = factorization != Factorization::Lu;
    typename TestFixture::Matrix diagonal(n);
    for (int row = 0; row < n; ++row) diagonal.rows[row][row] = Scalar(2);
    for (const auto& part : {diagonal, this->random(factorization, n, 3, 17), reference::poisson<Scalar>(n / 50, 50)})
      for (const auto& of : {Case{1, 5, 1e-6}, Case{7, 60, 1e-9}, Case{100, 5, 1e-6}}) {
        const auto matrix = this->with_rows_of_columns(part, rows, of.stride, is_symmetric);
        typename TestFixture::Options options{
            .factorization = factorization, .fill = of.fill, .drop_tolerance = of.tolerance};
        const auto expected = this->expected_of(matrix, options);
        this->expect_alike(this->factor_of(matrix, options), expected);
        options.order = this->shuffled(n);
        this->expect_alike(this->factor_of(matrix, options), expected);
        if (this->HasFailure()) {
          ADD_FAILURE() << "stride " << of.stride << " fill " << of.fill << " symmetric " << is_symmetric;
          return;
        }
      }
  }
}

/// A norm of a long row is found by a block: rows around the length from which on that is so, and bad numbers in them.
TYPED_TEST_P(ThresholdEngineTest, NormsOfLongRowsHaveTheSameBits) {
  using Scalar = typename TypeParam::Scalar;
  using Real = typename TestFixture::Real;
  constexpr int n = 1200;
  const Real infinity = std::numeric_limits<Real>::infinity(), nan = std::numeric_limits<Real>::quiet_NaN(),
             tiny = std::numeric_limits<Real>::denorm_min(), huge = std::numeric_limits<Real>::max();
  for (const Real bad : {Real(0), Real(1), infinity, -infinity, nan, tiny, huge}) {
    auto matrix = reference::random_matrix<Scalar>(n, 3, 21);
    std::mt19937 generator(4);
    for (const int length : {254, 255, 256, 257, 300, 511, 512, 513, 1199}) {
      const int row = n - 1 - length % 97;
      for (int column = 0; column < length; ++column)
        if (column != row) matrix.rows[row][column] = reference::random_scalar<Scalar>(generator);
      if (length % 2 == 0) matrix.rows[row][length / 2] = Scalar(bad);
    }
    this->expect_bits_of_the_generic_factor(matrix, {.fill = 20, .drop_tolerance = 1e-2});
    if (this->HasFailure()) {
      ADD_FAILURE() << "with " << bad;
      return;
    }
  }
}

/// So that it does not matter who eliminates a row.
TYPED_TEST_P(ThresholdEngineTest, HasTheBitsOfAHost) {
  using Real = typename TestFixture::Real;
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  for (const auto factorization : this->factorizations())
    for (const int per_row : {1, 4, 40})
      for (const Real bad : {Real(1), Real(0), nan})
        for (const int fill : {0, 7, 40}) {
          auto matrix = this->random(factorization, 700, per_row, 29);
          if (bad != Real(1)) matrix.rows[400][400] = bad;
          const typename TestFixture::Options options{
              .factorization = factorization, .fill = fill, .drop_tolerance = 1e-4, .replace = per_row == 4};
          this->expect_alike(this->factor_of(matrix, options), this->factor_on_host(matrix, options));
          if (this->HasFailure()) return;
        }
}

/// The host where rows follow each other one by one, the device where many are under way, and nobody knows before.
TYPED_TEST_P(ThresholdEngineTest, WhoeverIsFirstMakesTheSameFactor) {
  using Scalar = typename TypeParam::Scalar;
  for (const auto factorization : this->factorizations())
    for (const bool is_chain : {true, false}) {
      const auto matrix = is_chain ? reference::poisson<Scalar>(40000, 1) : this->random(factorization, 20000, 3, 31);
      for (const std::size_t capacity : {1u, 1000000u}) {
        const typename TestFixture::Options options{.factorization = factorization, .drop_tolerance = 1e-4};
        typename TestFixture::template Problem<typename TestFixture::BesideHost> problem(
            Kokkos::Cuda(), matrix, options, this->entries_of(matrix), options.fill, capacity);
        const auto expected = this->factor_on_host(matrix, options);
        for (int repetition = 0; repetition < 4; ++repetition) {
          this->expect_alike(problem.factor(problem.eliminate()), expected);
          if (this->HasFailure()) return;
          if (is_chain && repetition > 0) EXPECT_TRUE(problem.engine().was_host_first());
        }
      }
    }
}

TYPED_TEST_P(ThresholdEngineTest, GrowsTheStoreFromHardlyAnyRoom) {
  for (const auto factorization : this->factorizations()) {
    const auto matrix = this->random(factorization, 6000, 4, 13);
    this->expect_bits_of_the_generic_factor(
        matrix, {.factorization = factorization, .fill = 30, .drop_tolerance = 1e-4, .capacity = 1});
  }
}

/// All entries have the same size, so columns decide, also among hundreds of candidates.
TYPED_TEST_P(ThresholdEngineTest, OfEqualSizesTheSmallerColumnsStay) {
  using Scalar = typename TypeParam::Scalar;
  for (const int per_row : {3, 40, 300}) {
    auto matrix = this->random(Factorization::Lu, 400, per_row, 17);
    for (int row = 0; row < 400; ++row)
      for (auto& [column, value] : matrix.rows[row])
        value = column == row ? Scalar(1 << 20) : Scalar((row + column) % 2 == 0 ? 1 : -1);
    for (const int fill : {1, 5, 64})
      this->expect_bits_of_the_generic_factor(matrix, {.fill = fill, .drop_tolerance = 0});
  }
}

TYPED_TEST_P(ThresholdEngineTest, ReportsTheSamePivotsAndNaNs) {
  using Scalar = typename TypeParam::Scalar;
  for (const auto factorization : this->factorizations())
    for (const bool replace : {false, true})
      for (const Scalar bad : {Scalar(0), Scalar(-1), Scalar(static_cast<typename TestFixture::Real>(HUGE_VAL)),
                               Scalar(std::numeric_limits<typename TestFixture::Real>::quiet_NaN())}) {
        auto matrix = this->random(factorization, 500, 3, 19);
        matrix.rows[100][100] = matrix.rows[321][321] = bad;
        this->expect_bits_of_the_generic_factor(matrix, {.factorization = factorization, .replace = replace});
      }
}

TYPED_TEST_P(ThresholdEngineTest, RepeatedFactorizationsHaveTheSameBits) {
  for (const auto factorization : this->factorizations()) {
    const auto matrix = reference::poisson<typename TypeParam::Scalar>(150, 140);
    const typename TestFixture::Options options{.factorization = factorization};
    const auto first = this->factor_of(matrix, options);
    auto shuffled = options;
    shuffled.order = this->shuffled(matrix.size());
    for (int repetition = 0; repetition < 10; ++repetition)
      this->expect_alike(this->factor_of(matrix, repetition % 2 == 0 ? options : shuffled), first);
  }
}

/// Warps of the first blocks do all the work; those that come later find nothing to do.
TYPED_TEST_P(ThresholdEngineTest, EndsWithOneFreeMultiprocessor) {
  for (const auto factorization : this->factorizations()) {
    const auto matrix = reference::poisson<typename TypeParam::Scalar>(60, 50);
    const auto expected = this->expected_of(matrix, {.factorization = factorization});
    for (const auto& order : {std::vector<int>(), this->shuffled(matrix.size())}) {
      const CudaStream stream(cudaStreamNonBlocking);
      auto problem =
          this->problem(stream.space(), matrix, {.factorization = factorization, .capacity = 200000, .order = order});
      std::int64_t dropped = problem.eliminate();  // loads the kernels, which waits for an idle device
      {
        const FullDevice full;
        dropped = problem.eliminate();
      }
      this->expect_alike(problem.factor(dropped), expected);
    }
  }
}

REGISTER_TYPED_TEST_SUITE_P(ThresholdEngineTest, HasTheBitsOfTheGenericFactor, RowsMayBeClaimedInAnyOrder,
                            GoesOnInAscendingOrderWhereAnotherLosesTooMuch, RowsThatDoNotFitInSharedMemory,
                            StepsOfLongRowsAreTakenTogether, NormsOfLongRowsHaveTheSameBits, HasTheBitsOfAHost,
                            WhoeverIsFirstMakesTheSameFactor, GrowsTheStoreFromHardlyAnyRoom,
                            OfEqualSizesTheSmallerColumnsStay, ReportsTheSamePivotsAndNaNs,
                            RepeatedFactorizationsHaveTheSameBits, EndsWithOneFreeMultiprocessor);

}  // namespace terrace::test

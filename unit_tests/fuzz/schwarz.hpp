// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Draws of Partition, Subdomains and SchwarzFactor: blocks by a serial breadth-first search, and applications by a
// factor of the block-diagonal matrix, gathered and scattered on the host.
#pragma once

#include <optional>
#include <terrace/crs_operator.hpp>
#include <terrace/schwarz.hpp>

#include "fuzz/ilu.hpp"
#include "fuzz/ilut.hpp"
#include "fuzz/subdomains.hpp"
#include "parallel/spaces.hpp"

namespace terrace::fuzz {

template <class T>
class SchwarzDraw {
 public:
  static constexpr const char* name = "SchwarzFactor";
  using Space = typename T::Space;
  using Blocks = Subdomains<int, typename T::Offset, Space>;
  using Factor = SchwarzFactor<typename T::Scalar, int, typename T::Offset, Space>;

  static void run(Draw& draw) { SchwarzDraw(draw).all(); }

 private:
  explicit SchwarzDraw(Draw& draw) : draw_(draw) {}

  void all() {
    const auto kind = draw_.pick({Factorization::Lu, Factorization::Cholesky, Factorization::HermitianCholesky});
    const auto uplo = draw_.pick({Uplo::Lower, Uplo::Upper});
    MatrixRequest request;
    request.largest = 800;  // of which each block may have a copy
    request.max_entries = 5000;
    matrix_ = draw_factor_matrix(draw_, kind, uplo, false, request, traits_);
    matrix_.arrays = compress(matrix_.matrix.rows);  // blocks are those of the whole pattern
    draw_options(kind, uplo);
    const DeviceMatrix<T> device(matrix_.arrays);
    const auto space = draw_instance<Space>(draw_);
    const auto partition = make_partition(space, device);
    if (!partition) return;
    SubdomainOptions options;
    options.overlap = draw_.pick({0, 1, 1, 2, 3});
    options.max_growth = draw_.chance(0.9) ? 1e6 : 1.5;
    draw_.note("overlap=", options.overlap);
    std::optional<Blocks> blocks;
    try {
      blocks.emplace(space, device.row_map, device.entries, *partition, options);
    } catch (const Error& error) {
      expect(error.code() == ErrorCode::OutOfMemory && options.max_growth < 2, error.what());
      return;
    }
    judge_blocks(*partition, *blocks, options.overlap);
    factorize(*blocks, device);
  }

  void draw_options(Factorization kind, Uplo uplo) {
    options_.variant = draw_.pick({SchwarzVariant::Restricted, SchwarzVariant::Harmonic, SchwarzVariant::Additive,
                                   SchwarzVariant::Weighted, SchwarzVariant::Symmetric});
    options_.algorithm = draw_.pick({SchwarzAlgorithm::Automatic, SchwarzAlgorithm::Blocks, SchwarzAlgorithm::Solvers});
    options_.bad_blocks = draw_.pick({BadBlocks::Keep, BadBlocks::Diagonal});
    if (draw_.chance(0.3)) options_.factor_precision = FactorPrecision::Single;
    if (draw_.chance(0.4)) options_.right_hand_sides = draw_.between(2, 9);
    draw_.note(to_string(options_.variant), ' ', to_string(options_.algorithm), ' ', to_string(options_.bad_blocks),
               ' ', to_string(options_.factor_precision));
    const auto offers = offers_of<Space>();
    if (draw_.chance(0.5)) {
      IluBlocks blocks{draw_ilu_symbolic_options(draw_, matrix_.size(), offers), draw_ilu_factor_options(draw_)};
      blocks.symbolic.fill_level = std::min(blocks.symbolic.fill_level, matrix_.matrix.products() > 50000 ? 0 : 3);
      blocks.symbolic.factorization = kind;
      blocks.symbolic.uplo = uplo;
      options_.blocks = blocks;
    } else {
      auto blocks = draw_ilut_options(draw_, matrix_.size(), offers);
      if (matrix_.matrix.products() > 50000) blocks.fill = std::min(blocks.fill, 10);
      blocks.factorization = kind;
      blocks.uplo = uplo;
      options_.blocks = blocks;
    }
    draw_.note(to_string(kind));
  }

  std::optional<Partition<int, Space>> make_partition(const Space& space, const DeviceMatrix<T>& device) {
    const int n = matrix_.size();
    const int count = n == 0 ? 1 : draw_.between(1, std::min(n, draw_.chance(0.5) ? 6 : 60));
    draw_.note("blocks=", count);
    if (draw_.chance(0.5) && offers_of<Space>().nested_dissection) {
      draw_.note("metis");
      const bool weighs = all_finite(matrix_.matrix.rows) && draw_.chance(0.3);
      PartitionOptions options;
      options.blocks = draw_.chance(0.2) ? 0 : std::min(count, std::max(n, 1));
      options.weigh_edges = weighs;
      using Crs = typename CrsOperator<typename T::Scalar, int, typename T::Offset, Space>::matrix_type;
      return Partition<int, Space>(space,
                                   Crs("terrace::fuzz", n, n, static_cast<typename T::Offset>(device.entries.extent(0)),
                                       device.values, device.row_map, device.entries),
                                   options);
    }
    std::vector<int> numbers;
    for (int row = 0; row < n; ++row) numbers.push_back(draw_.below(count));
    const bool is_wrong = n > 0 && draw_.chance(0.03);
    if (is_wrong) numbers[static_cast<std::size_t>(draw_.below(n))] = draw_.pick({-1, count});
    const auto view = upload<int, typename T::Device>(numbers, [](int value) { return value; });
    const auto make = [&] { return Partition<int, Space>(space, view, count); };
    if (!is_wrong) return make();
    expect_error(ErrorCode::BlockOutOfRange, make);
    return std::nullopt;
  }

  void judge_blocks(const Partition<int, Space>& partition, const Blocks& blocks, int overlap) {
    parts_.block_of = download(partition.block_numbers());
    parts_.first = download(blocks.block_map());
    parts_.rows = download(blocks.rows());
    expect(static_cast<int>(parts_.block_of.size()) == matrix_.size(), "a partition of other rows");
    judge_members(parts_, matrix_.matrix.rows, overlap);
    parts_.matrix = sorted(block_matrix(parts_, matrix_.matrix.rows));
    const auto row_map = download_row_map(blocks.row_map());
    const auto entries = download(blocks.entries());
    Rows found(row_map.size() - 1);
    for (std::size_t row = 0; row < found.size(); ++row)
      for (std::size_t k = row_map[row]; k < row_map[row + 1]; ++k) found[row].emplace_back(entries[k], 0.0);
    const auto expected = compress(parts_.matrix), ascending = compress(sorted(found));
    expect(expected.row_map == ascending.row_map && expected.entries == ascending.entries,
           "the pattern of the blocks is another one");
  }

  bool is_valid_choice() const {
    if (const auto* ilu = std::get_if<IluBlocks>(&options_.blocks))
      return is_valid(ilu->symbolic) && is_valid(ilu->factor) && ilu->symbolic.ordering != Ordering::Given;
    const auto& ilut = std::get<IlutOptions>(options_.blocks);
    return is_valid(ilut) && ilut.ordering != Ordering::Given;
  }

  bool inserts_diagonals() const {
    if (const auto* ilu = std::get_if<IluBlocks>(&options_.blocks)) return ilu->symbolic.insert_missing_diagonal;
    return std::get<IlutOptions>(options_.blocks).insert_missing_diagonal;
  }

  void factorize(const Blocks& blocks, const DeviceMatrix<T>& device) {
    const auto make = [&] { return Factor(draw_instance<Space>(draw_), blocks, device.values, options_); };
    if (!is_valid_choice()) return expect_error(ErrorCode::InvalidOption, make);
    if (matrix_.lacks_diagonal() && !inserts_diagonals()) return expect_error(ErrorCode::MissingDiagonal, make);
    Factor factor = make();
    judge(factor);
    if (draw_.chance(0.5)) return;
    move_at_times(draw_, factor);
    draw_.note("refactorize");
    draw_factor_values(draw_, traits_, matrix_);
    matrix_.arrays = compress(matrix_.matrix.rows);
    parts_.matrix = sorted(block_matrix(parts_, matrix_.matrix.rows));
    const auto space = draw_instance<Space>(draw_);
    const auto values = upload_numbers<T>(matrix_.arrays.values);
    factor.refactorize(space, values);
    space.fence();
    judge(factor);
  }

  void judge(const Factor& factor) {
    const SchwarzInfo info = factor.info();
    if (!all_finite(parts_.matrix))
      expect(info.bad_blocks > 0 && info.first_nonfinite_row.has_value(), "a NaN or an Inf makes no block bad");
    expect(options_.bad_blocks == BadBlocks::Diagonal || info.diagonal_blocks == 0, "blocks divide unasked");
    const auto columns = draw_columns(draw_, matrix_.size(), traits_, true);
    const Op op = draw_op(draw_);
    const auto apply = [&] {
      return solve_columns<T>(draw_, columns, static_cast<std::size_t>(matrix_.size()),
                              [&](const auto& space, const auto& R, const auto& Z) { factor.apply(space, R, Z, op); });
    };
    const auto z = apply();
    // On a device transposed triangles may be solved by columns, which add as they come.
    const bool repeats = op == Op::None || parallel::is_host_space<Space>;
    if (draw_.chance(0.3) && repeats) expect(are_same(z, apply()), "another application gives other bits");
    if (info.bad_blocks > 0 || info.shift != 0 || matrix_.matrix.numerics != Numerics::Dominant ||
        matrix_.lacks_diagonal())
      return;
    for (std::size_t k = 0; k < columns.size(); ++k) judge_application(columns[k], z[k], op);
  }

  void judge_application(const Numbers& r, const Numbers& z, Op op) {
    if (any_nonfinite(r)) return;
    const auto expected = apply_by_parts(r, op);
    if (!expected) return;
    const double most = options_.factor_precision == FactorPrecision::Single ? 1e-4 : 1e4 * traits_.epsilon;
    expect(difference(z, *expected) <= most, "an application differs by ", difference(z, *expected));
  }

  /// By one factor of the block-diagonal matrix in the order of its rows; none where the blocks have orders of their
  /// own.
  std::optional<Numbers> apply_by_parts(const Numbers& r, Op op) {
    const DeviceMatrix<T> device(compress(parts_.matrix));
    const auto inner = upload_numbers<T>(parts_.gather(r, options_.variant, op == Op::None));
    const auto solve = [&](const auto& factor) {
      factor.apply(Space(), inner, inner, op);
      Kokkos::fence();
      return parts_.scatter(download_numbers(inner), options_.variant, op != Op::None, matrix_.size());
    };
    if (const auto* ilu = std::get_if<IluBlocks>(&options_.blocks)) {
      if (ilu->symbolic.ordering != Ordering::Natural) return std::nullopt;
      const typename IluDraw<T>::Symbolic symbolic(Space(), device.row_map, device.entries, ilu->symbolic);
      return solve(typename IluDraw<T>::Factor(Space(), symbolic, device.values, ilu->factor));
    }
    const auto& ilut = std::get<IlutOptions>(options_.blocks);
    if (ilut.ordering != Ordering::Natural) return std::nullopt;
    return solve(typename IlutDraw<T>::Factor(Space(), device.row_map, device.entries, device.values, ilut));
  }

  Draw& draw_;
  const ScalarTraits traits_ = traits_of<typename T::Scalar>();
  FactorMatrix matrix_;
  SchwarzOptions options_;
  Parts parts_;
};

}  // namespace terrace::fuzz

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Draws of IluSymbolic and IluFactor: the pattern, the products L U on it, the pivots that are reported, the solves.
#pragma once

#include <memory>
#include <terrace/ilu.hpp>

#include "fuzz/factor_draw.hpp"

namespace terrace::fuzz {

template <class T>
class IluDraw : FactorDraw<T> {
 public:
  static constexpr const char* name = "IluFactor";
  using Symbolic = IluSymbolic<int, typename T::Offset, typename T::Space>;
  using Factor = IluFactor<typename T::Scalar, int, typename T::Offset, typename T::Space>;

  static void run(Draw& draw) { IluDraw(draw).all(); }

 private:
  using Base = FactorDraw<T>;
  using Base::draw_, Base::traits_, Base::matrix_;

  explicit IluDraw(Draw& draw) : Base(draw) {}

  void all() {
    MatrixRequest request;
    request.max_entries = 30000;
    const auto offers = offers_of<typename T::Space>();
    const auto draw_options = [&](int n) { return draw_ilu_symbolic_options(draw_, n, offers); };
    this->draw_problem(request, draw_options, options_);
    if (matrix_.matrix.products() > max_products()) options_.fill_level = 0;  // of a star everything would be filled
    draw_.note("fill-level=", options_.fill_level);
    Arrays arrays = matrix_.arrays;
    const auto mistake = make_mistake(draw_, options_.check_structure, arrays);
    const DeviceMatrix<T> device(arrays);
    const auto space = draw_instance<typename T::Space>(draw_);
    const auto analyze = [&] { return Symbolic(space, device.row_map, device.entries, options_); };
    if (mistake && *mistake == ErrorCode::SizeMismatch) return;
    if (!is_valid(options_)) return expect_any_error(analyze);
    if (this->must_fail(mistake, options_, analyze)) return;
    auto symbolic = std::make_unique<Symbolic>(analyze());
    read_pattern(*symbolic);
    for (int count = draw_.between(1, 2); count > 0 && symbolic; --count) factorize(symbolic, space, device.values);
  }

  /// Before fill. The algorithms of every backend have one thread for each row, and one thread of a device takes long.
  std::size_t max_products() const {
    const bool has_own = options_.algorithm == Algorithm::Automatic || options_.algorithm == Algorithm::SyncFreeRows;
    const bool is_slow = !parallel::is_host_space<typename T::Space> && (!has_own || options_.rows_per_task > 1);
    return is_slow ? 30000 : 500000;
  }

  template <class Analyze>
  static void expect_any_error(const Analyze& analyze) {
    try {
      analyze();
    } catch (const Error&) {
      return;
    }
    throw Failed("an option that does not exist was taken");
  }

  void read_pattern(const Symbolic& symbolic) {
    order_ = order_of(download(symbolic.permutation()), matrix_.size());
    row_map_ = download_row_map(symbolic.row_map());
    entries_ = download(symbolic.entries());
    const auto pattern = merge(row_map_, entries_, {}, true);
    const Rows expected = matrix_.eliminated(order_, Scaling::None, 0);
    for (std::size_t row = 0; row < expected.size(); ++row) {
      std::size_t k = 0;
      for (const auto& entry : expected[row]) {
        while (k < pattern.rows[row].size() && pattern.rows[row][k].first < entry.first) ++k;
        expect(k < pattern.rows[row].size() && pattern.rows[row][k].first == entry.first, "the pattern lacks (", row,
               ", ", entry.first, ")");
      }
      expect(options_.fill_level > 0 || pattern.rows[row].size() == expected[row].size(), "there is fill in row ", row);
    }
    expect(symbolic.info().factor_entries == static_cast<std::int64_t>(entries_.size()), "info() counts other entries");
  }

  void factorize(std::unique_ptr<Symbolic>& symbolic, const typename T::Space& space,
                 const typename T::Vector& first_values) {
    draw_factor_values(draw_, traits_, matrix_);
    auto values = draw_.chance(0.5) ? first_values : upload_numbers<T>(matrix_.arrays.values);
    Kokkos::deep_copy(values, upload_numbers<T>(matrix_.arrays.values));
    options_of_factor_ = draw_ilu_factor_options(draw_);
    const auto make = [&] { return Factor(space, *symbolic, values, options_of_factor_); };
    if (!is_valid(options_of_factor_)) return expect_error(ErrorCode::InvalidOption, make);
    Factor factor = make();
    if (draw_.chance(0.2)) {
      draw_.note("without-its-symbolic-phase");
      symbolic.reset();
    }
    judge(factor);
    use_for_a_while(
        draw_, factor, [&] { refactorize(factor); }, [&] { judge(factor); });
  }

  void refactorize(Factor& factor) {
    draw_.note("refactorize");
    draw_factor_values(draw_, traits_, matrix_);
    const auto values = upload_numbers<T>(matrix_.arrays.values);
    const auto space = draw_instance<typename T::Space>(draw_);
    factor.refactorize(space, values);
    space.fence();
    expect_error(ErrorCode::SizeMismatch,
                 [&] { factor.refactorize(space, upload_numbers<T>(Numbers(matrix_.arrays.values.size() + 1))); });
  }

  void judge(const Factor& factor) {
    const auto merged = merge(row_map_, entries_, download_numbers(factor.values()), this->has_unit_lower());
    this->judge_factor(factor, factor.info(), merged, options_of_factor_.pivots,
                       {order_, options_of_factor_.scaling, options_of_factor_.relaxation});
  }

  IluSymbolicOptions options_;
  IluFactorOptions options_of_factor_;
  std::vector<int> order_, entries_;
  std::vector<std::size_t> row_map_;
};

}  // namespace terrace::fuzz

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Draws of TriangularSolver: every option, new values, every operation, judged by substitution.
#pragma once

#include <terrace/triangular_solver.hpp>

#include "fuzz/device.hpp"
#include "fuzz/judge.hpp"
#include "fuzz/mistakes.hpp"
#include "fuzz/triangle.hpp"

namespace terrace::fuzz {

template <class T>
class TriangularDraw {
 public:
  static constexpr const char* name = "TriangularSolver";
  using Solver = TriangularSolver<typename T::Scalar, int, typename T::Offset, typename T::Space>;

  static void run(Draw& draw) { TriangularDraw(draw).all(); }

 private:
  static constexpr int max_rows_of_tile = 64;

  explicit TriangularDraw(Draw& draw) : draw_(draw), options_(draw_triangular_options(draw)) {}

  void all() {
    triangle_ = draw_triangle(draw_, options_, traits_);
    Arrays arrays = triangle_.arrays;
    const auto mistake = make_mistake(draw_, options_.check_structure, arrays);
    const DeviceMatrix<T> matrix(arrays);
    const auto space = draw_instance<typename T::Space>(draw_);
    const auto analyze = [&] { return Solver(space, matrix.row_map, matrix.entries, matrix.values, options_); };
    auto offers = offers_of<typename T::Space>();
    offers.blocked = offers.blocked || triangle_.rows.empty();  // a matrix without rows needs no algorithm
    if (!is_valid(options_, offers)) return refuse(mistake, analyze);
    if (mistake) return expect_error(*mistake, analyze);
    Solver solver = analyze();
    space.fence();
    judge_info(solver.info());
    for (int step = draw_.between(1, 4); step > 0; --step) use(solver, matrix);
  }

  template <class Analyze>
  static void refuse(const std::optional<ErrorCode>& mistake, const Analyze& analyze) {
    if (!mistake) return expect_error(ErrorCode::InvalidOption, analyze);
    try {
      analyze();
    } catch (const Error&) {
      return;
    }
    throw Failed("neither the option nor the matrix was refused");
  }

  void use(Solver& solver, const DeviceMatrix<T>& matrix) {
    move_at_times(draw_, solver);
    if (draw_.chance(0.3)) {
      draw_.note("update");
      draw_triangle_values(draw_, options_, traits_, triangle_);
      values_ = upload_numbers<T>(triangle_.arrays.values);
      const auto space = draw_instance<typename T::Space>(draw_);
      solver.update_values(space, values_);
      space.fence();
      if (draw_.chance(0.5)) judge_info(solver.info());
    }
    if (draw_.chance(0.05)) {
      draw_.note("wrong-size");
      const typename T::Vector b("b", triangle_.rows.size() + 1), x("x", triangle_.rows.size());
      expect_error(ErrorCode::SizeMismatch, [&] { solver.solve(typename T::Space(), b, x); });
      return expect_error(ErrorCode::SizeMismatch, [&] {
        solver.update_values(typename T::Space(), upload_numbers<T>(Numbers(matrix.entries.extent(0) + 1)));
      });
    }
    solve(solver);
  }

  void solve(const Solver& solver) {
    const Op op = draw_op(draw_);
    const auto columns = draw_columns(draw_, static_cast<int>(triangle_.rows.size()), traits_, true);
    const auto once = [&] {
      return solve_columns<T>(draw_, columns, triangle_.rows.size(),
                              [&](const auto& space, const auto& B, const auto& X) { solver.solve(space, B, X, op); });
    };
    const auto x = once();
    auto system = system_of(triangle_, options_, op);
    if (solver.info().algorithm == Algorithm::Blocked) system.tile = max_rows_of_tile;
    system.is_turned = (op == Op::None) != (options_.op == Op::None);
    const bool repeats = options_.deterministic || (op == options_.op && solver.info().deterministic);
    const ScalarTraits traits = repeats ? traits_ : of_atomic_sums<typename T::Space>(traits_);
    for (std::size_t k = 0; k < columns.size(); ++k) judge_substitution(system, columns[k], x[k], traits);
    if (repeats && draw_.chance(0.3)) expect(are_same(x, once()), "another solve gives other bits");
  }

  void judge_info(const TriangularInfo& info) const {
    const auto expected = facts_of(triangle_, options_);
    expect(info.rows == static_cast<std::int64_t>(triangle_.rows.size()), "info().rows is ", info.rows);
    const auto same = [](const char* what, const auto& found, const auto& wanted) {
      expect(found == wanted, "info() names row ", found.value_or(-1), " as ", what, ", and not ", wanted.value_or(-1));
    };
    same("the first without a diagonal", info.first_missing_diagonal, expected.missing_diagonal);
    same("the first zero on the diagonal", info.first_zero_diagonal, expected.zero_diagonal);
    if (options_.check_structure) same("the first that is not finite", info.first_nonfinite_row, expected.nonfinite);
  }

  Draw& draw_;
  const ScalarTraits traits_ = traits_of<typename T::Scalar>();
  const TriangularOptions options_;
  HostTriangle triangle_;
  typename T::Vector values_;
};

}  // namespace terrace::fuzz

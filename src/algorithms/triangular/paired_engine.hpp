// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An engine for the operation of the options, and one for its transpose: each solves what it was made for.
#pragma once

#include "algorithms/triangular/engine.hpp"

namespace terrace::triangular {

template <class Problem>
Problem transposed(Problem problem) {
  Op& op = problem.input.options.op;
  op = op == Op::None ? Op::Transpose : Op::None;
  problem.plan = nullptr;
  return problem;
}

template <class Problem>
class PairedEngine : public Engine<typename Problem::Scalar, typename Problem::Space> {
  using Space = typename Problem::Space;
  using Base = Engine<typename Problem::Scalar, Space>;
  using Pointer = std::unique_ptr<Base>;

 public:
  PairedEngine(Op op, Pointer direct, Pointer transpose)
      : is_plain_(op == Op::None), direct_(std::move(direct)), transpose_(std::move(transpose)) {}

  void solve(const Space& space, const typename Base::const_vectors& b, const typename Base::vectors& x,
             Op op) override {
    ((op == Op::None) == is_plain_ ? direct_ : transpose_)->solve(space, b, x, op);
  }

  void update_values(const Space& space, const typename Base::values_type& values) override {
    direct_->update_values(space, values);
    transpose_->update_values(space, values);
  }

  void update_values_with(const Space& space, Base& other, const typename Base::values_type& values) override {
    direct_->update_values_with(space, other.direct(), values);
    if (Base* const of_transpose = other.transpose()) transpose_->update_values_with(space, *of_transpose, values);
    else transpose_->update_values(space, values);
  }

  Base& direct() override { return *direct_; }
  Base* transpose() override { return transpose_.get(); }

  void describe(TriangularInfo& info) const override {
    TriangularInfo other;
    transpose_->describe(other);
    direct_->describe(info);
    info.bytes_held += other.bytes_held;
    info.copies_matrix = info.copies_matrix || other.copies_matrix;
  }

  void describe_changes(TriangularInfo& info) const override { direct_->describe_changes(info); }

 private:
  bool is_plain_;
  Pointer direct_, transpose_;
};

}  // namespace terrace::triangular

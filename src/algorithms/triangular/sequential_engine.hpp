// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The engine of Algorithm::Sequential: the caller's arrays, one thread.
#pragma once

#include "algorithms/triangular/solve_sequentially.hpp"
#include "algorithms/triangular/stored_triangle.hpp"

namespace terrace::triangular {

template <class Problem>
class SequentialEngine : public Engine<typename Problem::Scalar, typename Problem::Space> {
  using Scalar = typename Problem::Scalar;
  using Space = typename Problem::Space;
  using Base = Engine<Scalar, Space>;
  using Triangle = StoredTriangle<Scalar, typename Problem::Ordinal, typename Problem::Offset, Space>;

 public:
  SequentialEngine(const Space& space, const Problem& problem, std::string reason)
      : triangle_(space, make_triangle(space, problem.input, sparse::Orientation::AsGiven), problem.values,
                  problem.options()),
        reason_(std::move(reason)) {}

  void solve(const Space& space, const typename Base::const_vectors& b, const typename Base::vectors& x,
             Op op) override {
    triangle_.with_system(b, x, op, [&](const auto& system) {
      solve_sequentially(space, system, triangle_.gathers(op), triangle_.runs_backward(op));
    });
  }

  void update_values(const Space& space, const typename Base::values_type& values) override {
    triangle_.update_values(space, values);
  }

  bool is_made_for_transpose() const override { return true; }

  void describe(TriangularInfo& info) const override {
    info.algorithm = Algorithm::Sequential;
    info.reason = reason_;
    info.kernels = 1;
    info.tasks = 1;
    info.entries = triangle_.entries();
    info.bytes_held = triangle_.bytes_held();
    info.copies_matrix = triangle_.structure().is_copy;
  }

 private:
  Triangle triangle_;
  std::string reason_;
};

}  // namespace terrace::triangular

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What Automatic takes where one thread of a host solves (host_triangle.hpp).
#pragma once

#include "algorithms/triangular/host_triangle.hpp"

namespace terrace::triangular {

template <class Problem>
class OneThreadEngine : public Engine<typename Problem::Scalar, typename Problem::Space> {
  using Scalar = typename Problem::Scalar;
  using Ordinal = typename Problem::Ordinal;
  using Offset = typename Problem::Offset;
  using Space = typename Problem::Space;
  using Base = Engine<Scalar, Space>;
  using Triangle = StoredTriangle<Scalar, Ordinal, Offset, Space>;
  using Rows = HostTriangle<Scalar, Ordinal, Offset, Space>;

 public:
  OneThreadEngine(const Space& space, const Problem& problem, std::string reason)
      : triangle_(space, make_triangle(space, problem.input, sparse::Orientation::AsGiven), problem.values,
                  problem.options()),
        rows_(space, triangle_, HostTasks<Ordinal>::of_one_thread(problem.input.count), Rows::shares_rows(triangle_)),
        reason_(std::move(reason)) {}

  void solve(const Space& space, const typename Base::const_vectors& b, const typename Base::vectors& x,
             Op op) override {
    rows_.with_system(space, b, x, op,
                      [&](const auto& system) { rows_.solve_alone(space, system, triangle_.gathers(op)); });
  }

  void update_values(const Space& space, const typename Base::values_type& values) override {
    triangle_.update_values(space, values);
    rows_.update_values(triangle_);
  }

  bool is_made_for_transpose() const override { return true; }

  void describe(TriangularInfo& info) const override {
    info.algorithm = Algorithm::Sequential;
    info.reason = reason_;
    info.kernels = 1;
    info.tasks = 1;
    info.entries = triangle_.entries();
    info.bytes_held = triangle_.bytes_held() + rows_.bytes_held();
    info.copies_matrix = triangle_.structure().is_copy || Rows::shares_rows(triangle_);
  }

 private:
  Triangle triangle_;
  Rows rows_;
  std::string reason_;
};

}  // namespace terrace::triangular

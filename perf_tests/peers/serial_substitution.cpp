// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/substitution.hpp"
#include "peers/peers.hpp"
#include "triangular/triangular_problem.hpp"

namespace terrace::perf {
namespace {

class SerialSubstitution final : public Method {
 public:
  explicit SerialSubstitution(TriangularProblem& problem)
      : problem_(problem), system_(problem.view(Place::Host, Input::CompressedRows)) {}

  void prepare(Phase) override { problem_.forget_solution(Place::Host); }

  void run(Phase, int) override {
    const auto& [n, nnz, row_map, entries, values, is_upper, columns, layout, b, x] = system_;
    for (int column = 0; column < columns; ++column) {
      const std::ptrdiff_t first = static_cast<std::ptrdiff_t>(column) * n;
      is_upper ? common::substitute_backward(n, row_map, entries, values, b + first, x + first)
               : common::substitute_forward(n, row_map, entries, values, b + first, x + first);
    }
  }

  std::vector<double> result(Phase) override { return problem_.solution(Place::Host); }

 private:
  TriangularProblem& problem_;
  SystemView system_;
};

}  // namespace

Entry serial_substitution() {
  return {"serial_loop", "", {Phase::Solve}, make_on<TriangularProblem, SerialSubstitution>()};
}

}  // namespace terrace::perf

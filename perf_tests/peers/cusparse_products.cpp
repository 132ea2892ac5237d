// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuSPARSE's product with compressed rows, SpMV, on the default stream.
#include "peers/cusparse_tools.hpp"
#include "peers/peers.hpp"
#include "products/product_problem.hpp"

namespace terrace::perf {
namespace {

class CusparseProduct final : public Method {
 public:
  explicit CusparseProduct(const ProductProblem& problem) : tools_(problem.A, problem.x), y_(tools_.vector()) {}

  void prepare(Phase) override { tools_.clear(y_); }
  void run(Phase, int) override { tools_.multiply(tools_.b(), y_); }
  void wait() override { tools_.wait(); }
  std::vector<double> result(Phase) override { return tools_.numbers(y_); }

 private:
  CusparseTools tools_;
  DeviceVector y_;
};

}  // namespace

Entry cusparse_product() { return {"cusparse", "", {Phase::Multiply}, make_on<ProductProblem, CusparseProduct>()}; }

}  // namespace terrace::perf

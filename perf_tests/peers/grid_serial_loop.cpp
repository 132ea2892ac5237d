// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Preconditioned conjugate gradients as a textbook writes them, on compressed rows, by one thread.
#include "peers/grid_method.hpp"

namespace terrace::perf {
namespace {

using Numbers = std::vector<double>;

void multiply(const Rows& A, const Numbers& p, Numbers& q) {
  const int n = static_cast<int>(q.size());
  for (int i = 0; i < n; ++i) {
    double sum = 0.0;
    for (int k = A.row_map[i]; k < A.row_map[i + 1]; ++k) sum += A.values[k] * p[A.entries[k]];
    q[i] = sum;
  }
}

/// z = (D + L)^-1 r, times D, then (D + L^T)^-1 of that.
void apply(const GridSystem& system, const Numbers& r, Numbers& z) {
  const int n = static_cast<int>(z.size());
  const Rows& L = system.lower;
  const Rows& U = system.upper;
  for (int i = 0; i < n; ++i) {
    const int diagonal = L.row_map[i + 1] - 1;
    double sum = r[i];
    for (int k = L.row_map[i]; k < diagonal; ++k) sum -= L.values[k] * z[L.entries[k]];
    z[i] = sum / L.values[diagonal];
  }
  for (int i = n - 1; i >= 0; --i) {
    double sum = 0.0;
    for (int k = U.row_map[i] + 1; k < U.row_map[i + 1]; ++k) sum += U.values[k] * z[U.entries[k]];
    z[i] -= sum / U.values[U.row_map[i]];
  }
}

double dot(const Numbers& a, const Numbers& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

class GridSerialLoop final : public GridMethod {
 public:
  void set_up(const GridSystem& system) override {
    system_ = &system;
    for (Numbers* numbers : {&x_, &r_, &z_, &p_, &q_}) numbers->assign(system.b.size(), 0.0);
  }

  bool has(GridOperation operation) const override {
    return operation != GridOperation::Factorize && operation != GridOperation::ApplyEight;
  }

  void run(GridOperation operation, int iterations) override {
    if (operation == GridOperation::Apply) apply(*system_, system_->b, z_);
    if (operation == GridOperation::Multiply) multiply(system_->A, system_->b, q_);
    if (operation == GridOperation::Iterate) iterate(iterations);
  }

  std::vector<double> result(GridOperation operation) override {
    return operation == GridOperation::Apply ? z_ : operation == GridOperation::Multiply ? q_ : x_;
  }

 private:
  void iterate(int iterations) {
    x_.assign(x_.size(), 0.0);
    r_ = system_->b;
    double rho = 0.0;
    for (int k = 0; k < iterations; ++k) {
      apply(*system_, r_, z_);
      const double before = rho;
      rho = dot(r_, z_);
      const double beta = k == 0 ? 0.0 : rho / before;
      for (std::size_t i = 0; i < p_.size(); ++i) p_[i] = z_[i] + beta * p_[i];
      multiply(system_->A, p_, q_);
      const double alpha = rho / dot(p_, q_);
      for (std::size_t i = 0; i < x_.size(); ++i) x_[i] += alpha * p_[i];
      for (std::size_t i = 0; i < r_.size(); ++i) r_[i] -= alpha * q_[i];
      norm_ = dot(r_, r_);
    }
  }

  const GridSystem* system_ = nullptr;
  Numbers x_, r_, z_, p_, q_;
  double norm_ = 0.0;
};

}  // namespace

const char* to_string(GridOperation operation) {
  switch (operation) {
    case GridOperation::Factorize: return "factorize";
    case GridOperation::Apply: return "apply";
    case GridOperation::ApplyEight: return "apply_eight";
    case GridOperation::Multiply: return "multiply";
    case GridOperation::Iterate: return "iterate";
  }
  return "unknown";
}

std::unique_ptr<GridMethod> make_grid_serial_loop() { return std::make_unique<GridSerialLoop>(); }

}  // namespace terrace::perf

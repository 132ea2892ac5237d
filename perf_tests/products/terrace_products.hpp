// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products with Terrace's operators, and with Kokkos Kernels, as methods.
#pragma once

#include <KokkosSparse_spmv.hpp>
#include <terrace/crs_operator.hpp>
#include <terrace/hec_matrix.hpp>

#include "harness/upload.hpp"
#include "products/product_problem.hpp"

namespace terrace::perf {

/// What all methods on an execution space share: the matrix and the vectors. All eight columns are x.
template <class Space>
class ProductMethod : public Method {
 public:
  using Columns = Kokkos::View<double**, Kokkos::LayoutLeft, DeviceOf<Space>>;

  explicit ProductMethod(const ProductProblem& problem)
      : A_(upload_matrix<Space>(problem.A)),
        x_("x", problem.x.size(), ProductProblem::columns),
        y_("y", problem.x.size(), ProductProblem::columns) {
    const auto x = upload<Space>(problem.x);
    for (int k = 0; k < ProductProblem::columns; ++k) Kokkos::deep_copy(Kokkos::subview(x_, Kokkos::ALL, k), x);
  }

  void prepare(Phase) override { Kokkos::deep_copy(y_, -1.0); }
  void wait() override { space_.fence("terrace::perf::ProductMethod"); }
  std::vector<double> result(Phase phase) override {
    if (phase == Phase::Analysis) return {};
    return download(Kokkos::subview(y_, Kokkos::ALL, phase == Phase::ApplyEight ? ProductProblem::columns - 1 : 0));
  }

 protected:
  auto x() const { return Kokkos::subview(x_, Kokkos::ALL, 0); }
  auto y() const { return Kokkos::subview(y_, Kokkos::ALL, 0); }

  Space space_;
  MatrixOn<Space> A_;
  Columns x_, y_;
};

template <class Space>
class CrsProduct final : public ProductMethod<Space> {
 public:
  explicit CrsProduct(const ProductProblem& problem)
      : ProductMethod<Space>(problem), operator_(this->space_, this->A_) {}

  void run(Phase phase, int) override {
    if (phase == Phase::Multiply) operator_.apply(this->space_, this->x(), this->y());
    else operator_.apply(this->space_, this->x_, this->y_);
  }

 private:
  CrsOperator<double, int, int, Space> operator_;
};

template <class Space>
class HecProduct final : public ProductMethod<Space> {
  using Matrix = HecMatrix<double, int, int, Space>;

 public:
  HecProduct(const ProductProblem& problem, const HecOptions& options)
      : ProductMethod<Space>(problem), options_(options) {
    if (options.width && *options.width > problem.A.n)
      throw LeftOut("the matrix has " + std::to_string(problem.A.n) + " columns");
  }

  void prepare(Phase phase) override {
    if (phase == Phase::Analysis) matrix_.reset();
    else ProductMethod<Space>::prepare(phase);
  }

  void run(Phase phase, int) override {
    if (phase == Phase::Analysis) matrix_.emplace(this->space_, this->A_, options_);
    else if (phase == Phase::Multiply) matrix_->apply(this->space_, this->x(), this->y());
    else matrix_->apply(this->space_, this->x_, this->y_);
  }

  Facts facts() const override {
    const HecInfo& info = matrix_->info();
    return {
        "width " + std::to_string(info.width),
        static_cast<double>(info.bytes_held),
        {{"width", double(info.width)}, {"crs_entries", double(info.crs_entries)}, {"padding", double(info.padding)}}};
  }

 private:
  HecOptions options_;
  std::optional<Matrix> matrix_;
};

template <class Space>
class KokkosKernelsProduct final : public ProductMethod<Space> {
 public:
  using ProductMethod<Space>::ProductMethod;

  void run(Phase phase, int) override {
    if (phase == Phase::Multiply) KokkosSparse::spmv(this->space_, "N", 1.0, this->A_, this->x(), 0.0, this->y());
    else KokkosSparse::spmv(this->space_, "N", 1.0, this->A_, this->x_, 0.0, this->y_);
  }
};

}  // namespace terrace::perf

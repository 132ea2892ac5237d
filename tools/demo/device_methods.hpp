// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The methods that solve the demo's system on an execution space, for one scalar type.
#pragma once

#include <built_types.hpp>
#include <optional>
#include <terrace/triangular_solver.hpp>

#include "common/kokkos_kernels_sptrsv.hpp"
#include "demo/method.hpp"
#include "device/device_copy.hpp"

namespace terrace::tools {

/// The system on a device; its methods share it.
template <class Scalar, class Offset, class Space>
struct DeviceSystem {
  using Number = HostNumberOf<Scalar>;
  using Matrix = DeviceMatrix<Scalar, Offset, Space>;
  using Vectors = Kokkos::View<Scalar**, Kokkos::LayoutLeft, typename Matrix::Device>;

  explicit DeviceSystem(const TriangularSystem<Number>& system)
      : diag(system.diag),
        matrix(system.triangle),
        b(upload_vectors<Vectors>("b", system.b, 1)),
        x("x", b.extent(0), 1) {}

  Diag diag;
  Matrix matrix;
  Vectors b, x;
};

template <class Scalar, class Offset, class Space>
class DeviceMethod : public Method<HostNumberOf<Scalar>> {
 public:
  using System = DeviceSystem<Scalar, Offset, Space>;
  explicit DeviceMethod(System system) : system_(std::move(system)) {}

  void wait() override { space_.fence("terrace::tools::contest"); }

  std::vector<typename System::Number> result() override {
    Kokkos::deep_copy(space_, system_.x, Scalar(0));
    this->run();
    wait();
    return download_vectors(system_.x);
  }

 protected:
  Space space_;
  System system_;
};

template <class Scalar, class Offset, class Space>
class TerraceMethod final : public DeviceMethod<Scalar, Offset, Space> {
  using Base = DeviceMethod<Scalar, Offset, Space>;

 public:
  TerraceMethod(const typename Base::System& system, Algorithm algorithm)
      : Base(system), options_{.uplo = Uplo::Lower, .diag = system.diag, .algorithm = algorithm} {}

  std::string name() const override { return to_string(options_.algorithm); }

  void prepare() override {
    const auto& matrix = this->system_.matrix;
    solver_.emplace(this->space_, matrix.row_map, matrix.entries, matrix.values, options_);
  }

  void run() override { solver_->solve(this->space_, this->system_.b, this->system_.x); }

  TriangularInfo facts() const override { return solver_->info(); }

 private:
  TriangularOptions options_;
  std::optional<TriangularSolver<Scalar, int, Offset, Space>> solver_;
};

/// The diagonal must be stored, a unit one too.
template <class Scalar, class Offset, class Space>
class KokkosKernelsMethod final : public DeviceMethod<Scalar, Offset, Space> {
  using Base = DeviceMethod<Scalar, Offset, Space>;
  using Matrix = typename Base::System::Matrix;

 public:
  using Base::Base;
  std::string name() const override { return "Kokkos Kernels"; }

  void prepare() override {
    const Matrix& matrix = this->system_.matrix;
    sptrsv_.emplace(this->space_, matrix.row_map, matrix.entries, matrix.values, true);
  }

  void run() override {
    sptrsv_->solve(Kokkos::subview(this->system_.b, Kokkos::ALL(), 0),
                   Kokkos::subview(this->system_.x, Kokkos::ALL(), 0));
  }

 private:
  std::optional<common::KokkosKernelsSptrsv<decltype(Matrix::row_map), decltype(Matrix::entries),
                                            decltype(Matrix::values), Space>>
      sptrsv_;
};

template <class Scalar, class Space>
Contest<HostNumberOf<Scalar>> make_contest(const TriangularSystem<HostNumberOf<Scalar>>& system) {
  using Offset = std::tuple_element_t<0, BuiltOffsets>;
  const DeviceSystem<Scalar, Offset, Space> on_device(system);
  Contest<HostNumberOf<Scalar>> contest{Space::name(), Space().concurrency(), {}};
  contest.methods.push_back(std::make_unique<KokkosKernelsMethod<Scalar, Offset, Space>>(on_device));
  for (const Algorithm algorithm : {Algorithm::Sequential, Algorithm::LevelScheduled, Algorithm::SyncFreeRows,
                                    Algorithm::SyncFreeColumns, Algorithm::Automatic})
    contest.methods.push_back(std::make_unique<TerraceMethod<Scalar, Offset, Space>>(on_device, algorithm));
  return contest;
}

template <class Scalar, class... Spaces>
std::vector<Contest<HostNumberOf<Scalar>>> make_contests_on(const TriangularSystem<HostNumberOf<Scalar>>& system,
                                                            std::tuple<Spaces...>*) {
  std::vector<Contest<HostNumberOf<Scalar>>> contests;
  (contests.push_back(make_contest<Scalar, Spaces>(system)), ...);
  return contests;
}

template <class Number>
std::vector<Contest<Number>> Contests<Number>::make(const TriangularSystem<Number>& system) {
  using Scalar = std::conditional_t<std::is_same_v<Number, double>, double, Kokkos::complex<double>>;
  return make_contests_on<Scalar>(system, static_cast<BuiltSpaces*>(nullptr));
}

}  // namespace terrace::tools

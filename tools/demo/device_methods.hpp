// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The methods that solve the demo's system on an execution space, for one scalar type.
#pragma once

#include <built_types.hpp>
#include <limits>
#include <optional>
#include <terrace/triangular_solver.hpp>

#include "common/kokkos_kernels_sptrsv.hpp"
#include "demo/contest.hpp"
#include "device/device_copy.hpp"

namespace terrace::tools {

/// The system on a device; its methods share it.
template <class Scalar, class Offset, class Space>
struct DeviceSystem {
  using Matrix = DeviceMatrix<Scalar, Offset, Space>;
  using Vectors = Kokkos::View<Scalar**, Kokkos::LayoutLeft, typename Matrix::Device>;

  explicit DeviceSystem(const TriangularSystem<HostNumberOf<Scalar>>& system)
      : diag(system.diag),
        matrix(system.triangle),
        b(upload_vectors<Vectors>("b", system.b, 1)),
        x("x", b.extent(0), 1) {}

  Diag diag;
  Matrix matrix;
  Vectors b, x;
};

/// What the methods have in common: `analyze` and `solve` enqueue.
template <class Scalar, class Offset, class Space>
class DeviceMethod : public perf::Method {
 public:
  using System = DeviceSystem<Scalar, Offset, Space>;
  explicit DeviceMethod(System system) : system_(std::move(system)) {}

  void prepare(perf::Phase phase) override {
    if (phase == perf::Phase::Analysis) forget_analysis();
    else Kokkos::deep_copy(space_, system_.x, Scalar(std::numeric_limits<double>::quiet_NaN()));
  }
  void run(perf::Phase phase, int) override { phase == perf::Phase::Analysis ? analyze() : solve(); }
  void wait() override { space_.fence("terrace::tools::contest"); }
  std::vector<double> result(perf::Phase phase) override {
    return phase == perf::Phase::Solve ? in_parts(download_vectors(system_.x)) : std::vector<double>();
  }

 protected:
  Space space_;
  System system_;

 private:
  virtual void forget_analysis() = 0;
  virtual void analyze() = 0;
  virtual void solve() = 0;
};

template <class Scalar, class Offset, class Space>
class TerraceMethod final : public DeviceMethod<Scalar, Offset, Space> {
  using Base = DeviceMethod<Scalar, Offset, Space>;

 public:
  TerraceMethod(const typename Base::System& system, Algorithm algorithm)
      : Base(system), options_{.uplo = Uplo::Lower, .diag = system.diag, .algorithm = algorithm} {}

  perf::Facts facts() const override {
    const TriangularInfo info = solver_->info();
    return {std::string(to_string(info.algorithm)) + ": " + info.reason,
            static_cast<double>(info.bytes_held),
            {{"levels", static_cast<double>(info.task_levels)}}};
  }

 private:
  void forget_analysis() override { solver_.reset(); }
  void analyze() override {
    const auto& matrix = this->system_.matrix;
    solver_.emplace(this->space_, matrix.row_map, matrix.entries, matrix.values, options_);
  }
  void solve() override { solver_->solve(this->space_, this->system_.b, this->system_.x); }

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

 private:
  void forget_analysis() override { sptrsv_.reset(); }
  void analyze() override {
    const Matrix& matrix = this->system_.matrix;
    sptrsv_.emplace(this->space_, matrix.row_map, matrix.entries, matrix.values, true);
  }
  void solve() override {
    sptrsv_->solve(Kokkos::subview(this->system_.b, Kokkos::ALL(), 0),
                   Kokkos::subview(this->system_.x, Kokkos::ALL(), 0));
  }

  std::optional<common::KokkosKernelsSptrsv<decltype(Matrix::row_map), decltype(Matrix::entries),
                                            decltype(Matrix::values), Space>>
      sptrsv_;
};

template <class Scalar, class Space>
Contest make_contest(const TriangularSystem<HostNumberOf<Scalar>>& system) {
  using Offset = std::tuple_element_t<0, BuiltOffsets>;
  const DeviceSystem<Scalar, Offset, Space> on_device(system);
  Contest contest{Space::name(), Space().concurrency(), {}};
  const auto add = [&contest](const std::string& name, const perf::Entry::Make& make) {
    contest.entries.push_back({name, "substitution", {perf::Phase::Analysis, perf::Phase::Solve}, make});
  };
  add("Kokkos Kernels",
      [on_device](perf::Problem&) { return std::make_unique<KokkosKernelsMethod<Scalar, Offset, Space>>(on_device); });
  for (const Algorithm algorithm : {Algorithm::Sequential, Algorithm::LevelScheduled, Algorithm::SyncFreeRows,
                                    Algorithm::SyncFreeColumns, Algorithm::Automatic})
    add(to_string(algorithm), [on_device, algorithm](perf::Problem&) {
      return std::make_unique<TerraceMethod<Scalar, Offset, Space>>(on_device, algorithm);
    });
  return contest;
}

template <class Scalar, class... Spaces>
std::vector<Contest> make_contests_on(const TriangularSystem<HostNumberOf<Scalar>>& system, std::tuple<Spaces...>*) {
  std::vector<Contest> contests;
  (contests.push_back(make_contest<Scalar, Spaces>(system)), ...);
  return contests;
}

template <class Number>
std::vector<Contest> Contests<Number>::make(const TriangularSystem<Number>& system) {
  using Scalar = std::conditional_t<std::is_same_v<Number, double>, double, Kokkos::complex<double>>;
  return make_contests_on<Scalar>(system, static_cast<BuiltSpaces*>(nullptr));
}

}  // namespace terrace::tools

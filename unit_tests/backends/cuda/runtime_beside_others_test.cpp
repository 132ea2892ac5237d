// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Eight host threads with an instance and objects each, beside a thread that uses the legacy stream, waits for the
// device, or records graphs, as other libraries of a process do: no exception in any of them, and the bits of each
// alone. Four rounds, or for TERRACE_TEST_SECONDS.
#include <terrace/terrace.hpp>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "solvers/krylov_solver_test.hpp"
#include "support/cuda_stream.hpp"
#include "support/device_grid_matrix.hpp"
#include "support/time_to_spend.hpp"

namespace terrace::test {
namespace {

using Space = Kokkos::Cuda;
using Tested = Combination<double, int, Space>;
using Bits = std::vector<double>;
using Solver = Tested::Solver;
using Symbolic = IluSymbolic<int, int, Space>;
using Factor = IluFactor<double, int, int, Space>;
using Threshold = IlutFactor<double, int, int, Space>;
using Vector = Kokkos::View<double*, Tested::Device>;

__global__ void do_nothing_kernel() {}

/// A matrix and vectors of a thread's own. Kokkos views of host memory wait for all devices when they are freed, so
/// results come back without.
class Work {
 public:
  Work(const Space& space, int nx, int ny)
      : grid_{nx, ny, 1},
        arrays_(reference::compress(reference::poisson<double>(nx, ny))),
        crs_("A", nx * ny, nx * ny, static_cast<int>(arrays_.values.extent(0)), arrays_.values, arrays_.row_map,
             arrays_.entries),
        A_(crs_),
        diagonals_(to_device_matrix<Tested>(reference::make_poisson<double>(grid_), true)),
        b_(Kokkos::view_alloc(space, "b"), nx * ny),
        x_(Kokkos::view_alloc(space, "x"), nx * ny) {
    Kokkos::deep_copy(space, b_, 1.0);
    space.fence();
  }

  /// Analyses, factorizes, iterates, with every class.
  Bits run(const Space& space, bool replay) const {
    Bits found;
    const Solver triangle(space, arrays_.row_map, arrays_.entries, arrays_.values,
                          {.stored = Stored::Full, .prepare_transpose = true, .deterministic = true});
    triangle.solve(space, b_, x_);
    triangle.solve(space, x_, x_, Op::Transpose);
    append(space, found);
    const Symbolic symbolic(space, arrays_.row_map, arrays_.entries, {.factorization = Factorization::Cholesky});
    Factor factor(space, symbolic, arrays_.values);
    factor.refactorize(space, arrays_.values);
    const Threshold threshold(space, arrays_.row_map, arrays_.entries, arrays_.values, {.fill = 3});
    threshold.apply(space, b_, x_);
    append(space, found);
    run_blocks(space, found);
    run_direct(space, found);
    run_grid(space, found);
    for (const KrylovMethod method : {KrylovMethod::ConjugateGradient, KrylovMethod::BiCGStab}) {
      KrylovSolver<double, Space> krylov(space, b_.extent(0), {.method = method, .replay = replay});
      for (int solve = 0; solve < 3; ++solve) {
        Kokkos::deep_copy(space, x_, 0.0);
        const auto result = krylov.solve(space, A_, b_, x_, factor);
        EXPECT_TRUE(result.converged());
        found.push_back(result.iterations);
        append(space, found);
      }
    }
    return found;
  }

 private:
  void run_blocks(const Space& space, Bits& found) const {
    const Partition<int, Space> partition = partition_grid(space, grid_, Grid{3, 3, 1});
    const Subdomains<int, int, Space> subdomains(space, crs_, partition);
    for (const auto algorithm : {SchwarzAlgorithm::Blocks, SchwarzAlgorithm::Solvers}) {
      SchwarzFactor<double, int, int, Space> factor(space, subdomains, arrays_.values, {.algorithm = algorithm});
      factor.refactorize(space, arrays_.values);
      factor.apply(space, b_, x_);
      append(space, found);
    }
  }

  void run_direct(const Space& space, Bits& found) const {
    const LdltSymbolic<int, int, Space> symbolic(space, arrays_.row_map, arrays_.entries);
    LdltFactor<double, int, int, Space> factor(space, symbolic, arrays_.values);
    factor.refactorize(space, arrays_.values);
    factor.solve(space, b_, x_);
    append(space, found);
    EXPECT_TRUE(factor.refine(space, b_, x_).converged());
  }

  void run_grid(const Space& space, Bits& found) const {
    const auto& d = diagonals_.diagonals();
    const SymmetricDiagonals<double, Space> given{d.center, d.upper_x, d.upper_y, d.upper_z};
    const StructuredMatrix<double, Space> matrix(space, grid_, given);
    matrix.multiply(space, b_, x_);
    append(space, found);
    StructuredFactor<double, Space> factor(space, diagonals_);
    factor.refactorize(space);
    factor.solve(space, b_, x_);
    append(space, found);
    const StructuredPcg<double, Space> pcg(space, diagonals_, StructuredFactorOptions{.relaxation = 1.0});
    Kokkos::deep_copy(space, x_, 0.0);
    EXPECT_TRUE(pcg.solve(space, b_, x_).converged());
  }

  void append(const Space& space, Bits& found) const {
    const cuda::BesideCaptures beside;  // for the waits of the test itself
    const std::size_t before = found.size(), count = x_.extent(0);
    found.resize(before + count);
    cuda::check(cudaMemcpyAsync(found.data() + before, x_.data(), count * sizeof(double), cudaMemcpyDeviceToHost,
                                space.cuda_stream()),
                "cudaMemcpyAsync");
    cuda::check(cudaStreamSynchronize(space.cuda_stream()), "cudaStreamSynchronize");
  }

  Grid grid_;
  DeviceArrays<Tested> arrays_;
  KokkosSparse::CrsMatrix<double, int, Tested::Device, void, int> crs_;
  CrsOperator<double, int, int, Space> A_;
  StructuredMatrix<double, Space> diagonals_;
  Vector b_, x_;
};

/// What another library does: calls as often as it can, until the test is over, and counts those that failed.
class Neighbour {
 public:
  template <class Call>
  explicit Neighbour(Call call)
      : thread_([this, call] {
          for (; !is_over_; ++calls_)
            if (const cudaError_t status = call(); status != cudaSuccess) {
              ++failures_;
              first_ = first_ == cudaSuccess ? status : first_.load();
              static_cast<void>(cudaGetLastError());
            }
        }) {}
  ~Neighbour() {
    is_over_ = true;
    thread_.join();
    EXPECT_GT(calls_, 0);
    EXPECT_EQ(failures_, 0) << "of " << calls_ << " calls; the first: " << cudaGetErrorName(first_);
  }
  Neighbour(const Neighbour&) = delete;
  Neighbour& operator=(const Neighbour&) = delete;

 private:
  std::atomic<bool> is_over_ = false;
  std::atomic<int> calls_ = 0, failures_ = 0;
  std::atomic<cudaError_t> first_ = cudaSuccess;
  std::thread thread_;
};

class CudaBesideOthers : public ::testing::Test {
 protected:
  static constexpr int threads = 8, rounds = 4;

  CudaBesideOthers() {
    for (int k = 0; k < threads; ++k) {
      streams_.push_back(std::make_unique<CudaStream>(k % 2 == 0 ? cudaStreamDefault : cudaStreamNonBlocking));
      work_.push_back(std::make_unique<Work>(streams_.back()->space(), 40 + 3 * k, 50 - 2 * k));
    }
    for (int k = 0; k < threads; ++k) alone_.push_back(work_[k]->run(streams_[k]->space(), false));
    cuda::check(cudaMalloc(&legacy_, 1 << 20), "cudaMalloc");
  }
  ~CudaBesideOthers() override { cudaFree(legacy_); }

  void run_all(bool replay) {
    const auto end = std::chrono::steady_clock::now() + time_to_spend(0);
    std::vector<std::string> failures;
    std::mutex mutex;
    std::vector<std::thread> running;
    for (int k = 0; k < threads; ++k)
      running.emplace_back([&, k] {
        try {
          for (int round = 0; round < rounds || std::chrono::steady_clock::now() < end; ++round)
            EXPECT_EQ(work_[k]->run(streams_[k]->space(), replay), alone_[k]) << "thread " << k << ", round " << round;
        } catch (const std::exception& failure) {
          const std::scoped_lock lock(mutex);
          failures.push_back(failure.what());
        }
      });
    for (auto& thread : running) thread.join();
    EXPECT_TRUE(failures.empty()) << failures.size()
                                  << " threads ended with an exception; the first: " << failures.front();
    const cuda::BesideCaptures beside;  // for the waits of the test itself
    for (const auto& stream : streams_) EXPECT_EQ(cudaStreamSynchronize(stream->stream()), cudaSuccess);
  }

  cudaError_t copy_on_legacy_stream() const {
    char number[64];
    if (const auto status = cudaMemset(legacy_, 0, 1 << 20); status != cudaSuccess) return status;
    do_nothing_kernel<<<1, 1>>>();
    if (const auto status = cudaGetLastError(); status != cudaSuccess) return status;
    if (const auto status = cudaMemcpy(number, legacy_, sizeof(number), cudaMemcpyDeviceToHost); status != cudaSuccess)
      return status;
    return cudaStreamSynchronize(cudaStreamLegacy);
  }

  static cudaError_t allocate() {
    void* memory = nullptr;
    const auto status = cudaMalloc(&memory, 1 << 16);
    return status == cudaSuccess ? cudaFree(memory) : status;
  }

  std::vector<std::unique_ptr<CudaStream>> streams_;
  std::vector<std::unique_ptr<Work>> work_;
  std::vector<Bits> alone_;
  void* legacy_ = nullptr;
};

TEST_F(CudaBesideOthers, TheLegacyStreamAndWaitsForTheDevice) {
  const Neighbour legacy([this] { return copy_on_legacy_stream(); }), waiting([] { return cudaDeviceSynchronize(); }),
      allocating([] { return allocate(); });
  run_all(false);
}

TEST_F(CudaBesideOthers, TheLegacyStreamWhileIterationsAreRecorded) {
  const Neighbour legacy([this] { return copy_on_legacy_stream(); }), allocating([] { return allocate(); });
  run_all(true);
}

/// A thread that records in the strictest mode forbids other threads to allocate; objects are made and destroyed all
/// the same.
TEST_F(CudaBesideOthers, RecordingsOfOthers) {
  for (const auto mode :
       {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed}) {
    cudaStream_t stream = nullptr;
    cuda::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    {
      const Neighbour recording([stream, mode] {
        cudaGraph_t graph = nullptr;
        auto status = cudaStreamBeginCapture(stream, mode);
        if (status != cudaSuccess) return status;
        for (int kernel = 0; kernel < 20; ++kernel) do_nothing_kernel<<<1, 1, 0, stream>>>();
        status = cudaStreamEndCapture(stream, &graph);
        if (graph) cudaGraphDestroy(graph);
        return status;
      });
      run_all(false);
    }
    cudaStreamDestroy(stream);
  }
}

TEST_F(CudaBesideOthers, AnObjectThatIsDestroyedWhileAnotherThreadRecordsWaitsForItsKernels) {
  for (const auto mode : {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeRelaxed}) {
    const CudaStream stream, recording;
    cuda::check(cudaStreamBeginCapture(recording.stream(), mode), "cudaStreamBeginCapture");
    std::thread([&] {
      const Space& space = streams_[0]->space();
      EXPECT_EQ(work_[0]->run(space, false), alone_[0]);
    }).join();
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaStreamEndCapture(recording.stream(), &graph), cudaSuccess);
    EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  }
}

}  // namespace
}  // namespace terrace::test

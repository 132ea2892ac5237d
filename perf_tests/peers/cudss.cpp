// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuDSS: L D L^T of the lower triangle of a symmetric matrix. Its threading layer gets as many host threads as the
// other peers; the library is looked for as the dynamic linker does, or where the variable CUDSS_THREADING_LIB says.
// "cudss" has neither pivoting nor matching, which is its fastest; "cudss_default" leaves every option as it is.
#include <cudss.h>

#include <array>
#include <chrono>
#include <cstdlib>

#include "common/median.hpp"
#include "peers/cusparse_objects.hpp"
#include "peers/direct_peer.hpp"
#include "peers/peers.hpp"

namespace terrace::perf {
namespace {

void check(cudssStatus_t status, const char* call) {
  if (status != CUDSS_STATUS_SUCCESS) throw std::runtime_error(std::string(call) + " says " + std::to_string(status));
}

template <class Number>
constexpr cudaDataType number_type = is_complex<Number> ? (sizeof(Real) == sizeof(double) ? CUDA_C_64F : CUDA_C_32F)
                                                        : (sizeof(Real) == sizeof(double) ? CUDA_R_64F : CUDA_R_32F);

/// A handle, with a threading layer where there is one.
class Library {
 public:
  Library() {
    check(cudssCreate(&get), "cudssCreate");
    const char* named = std::getenv("CUDSS_THREADING_LIB");
    has_threads = cudssSetThreadingLayer(get, named ? named : "libcudss_mtlayer_gomp.so.1") == CUDSS_STATUS_SUCCESS;
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() { cudssDestroy(get); }
  cudssHandle_t get = nullptr;
  bool has_threads = false;
};

/// Columns on the device.
template <class Number>
struct Columns {
  Columns(const std::vector<Number>& from, std::size_t n, int columns) : numbers(n * columns) {
    ::terrace::perf::check(
        cudaMemcpy(numbers.get(), from.data(), n * columns * sizeof(Number), cudaMemcpyHostToDevice));
    const auto rows = static_cast<std::int64_t>(n);
    check(cudssMatrixCreateDn(&description, rows, columns, rows, numbers.get(), number_type<Number>,
                              CUDSS_LAYOUT_COL_MAJOR),
          "cudssMatrixCreateDn");
  }
  Columns(const Columns&) = delete;
  Columns& operator=(const Columns&) = delete;
  ~Columns() { cudssMatrixDestroy(description); }
  DeviceArray<Number> numbers;
  cudssMatrix_t description = nullptr;
};

template <class Number>
class Cudss {
 public:
  Cudss(const DirectProblem<Number>& problem, int threads, bool is_fastest)
      : problem_(problem), row_map_(problem.A().row_map), entries_(problem.A().entries), values_(problem.A().values) {
    const auto n = static_cast<std::int64_t>(problem.A().n);
    check(cudssMatrixCreateCsr(&A_, n, n, static_cast<std::int64_t>(problem.A().nnz()), row_map_.get(), nullptr,
                               entries_.get(), values_.get(), CUDA_R_32I, CUDA_R_32I, number_type<Number>,
                               CUDSS_MTYPE_SYMMETRIC, CUDSS_MVIEW_LOWER, CUDSS_BASE_ZERO),
          "cudssMatrixCreateCsr");
    check(cudssConfigCreate(&config_), "cudssConfigCreate");
    if (is_fastest) {
      set(CUDSS_CONFIG_PIVOT_TYPE, CUDSS_PIVOT_NONE);
      set(CUDSS_CONFIG_MATCHING_ALG, CUDSS_MATCHING_ALG_NONE);
    }
    if (library_.has_threads) set(CUDSS_CONFIG_HOST_NTHREADS, threads);
    label_ = library_.has_threads ? std::to_string(threads) + " host threads" : "without its threading layer";
    make_columns(1);
  }
  Cudss(const Cudss&) = delete;
  Cudss& operator=(const Cudss&) = delete;
  ~Cudss() {
    forget();
    cudssConfigDestroy(config_);
    cudssMatrixDestroy(A_);
  }

  void forget() {
    cudssDataDestroy(library_.get, data_);
    data_ = nullptr;
  }

  /// The order on its own, then the symbolic factorization.
  void analyze() {
    check(cudssDataCreate(library_.get, &data_), "cudssDataCreate");
    const auto begin = std::chrono::steady_clock::now();
    execute(CUDSS_PHASE_REORDERING);
    wait();
    ordering_seconds_.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    execute(CUDSS_PHASE_SYMBOLIC_FACTORIZATION);
  }
  void factorize() { execute(CUDSS_PHASE_FACTORIZATION); }
  void refactorize() { execute(CUDSS_PHASE_REFACTORIZATION); }
  void solve() { execute(CUDSS_PHASE_SOLVE); }
  void wait() const { ::terrace::perf::check(cudaDeviceSynchronize()); }

  void set_columns(int columns) {
    if (columns != columns_) make_columns(columns);
    ::terrace::perf::check(cudaMemset(x_->numbers.get(), 0, rows() * columns * sizeof(Number)));
  }

  const std::vector<Number>& solution() {
    downloaded_ = x_->numbers.download(rows() * columns_);
    return downloaded_;
  }

  Facts facts() const {
    std::array<std::int64_t, 16> bytes{};
    std::int64_t entries = 0;
    int replaced = 0;
    get(CUDSS_DATA_MEMORY_ESTIMATES, bytes);
    get(CUDSS_DATA_LU_NNZ, entries);
    get(CUDSS_DATA_NPIVOTS, replaced);
    return {label_,
            static_cast<double>(bytes[0]),
            {{"peak_bytes", static_cast<double>(bytes[1])},
             {"method_factor_entries", static_cast<double>(entries)},
             {"replaced_pivots", replaced},
             {"ordering_s", common::median(ordering_seconds_)}}};
  }

 private:
  std::size_t rows() const { return static_cast<std::size_t>(problem_.A().n); }

  template <class Value>
  void set(cudssConfigParam_t option, Value value) {
    check(cudssConfigSet(config_, option, &value, sizeof(value)), "cudssConfigSet");
  }

  /// Leaves the value as it is where cuDSS does not tell.
  template <class Value>
  void get(cudssDataParam_t what, Value& value) const {
    std::size_t written = 0;
    cudssDataGet(library_.get, data_, what, &value, sizeof(value), &written);
  }

  void make_columns(int columns) {
    b_.reset();
    x_.reset();
    columns_ = columns;
    b_ = std::make_unique<Columns<Number>>(problem_.B(), rows(), columns);
    x_ = std::make_unique<Columns<Number>>(problem_.B(), rows(), columns);
  }

  void execute(int phase) {
    check(cudssExecute(library_.get, phase, config_, data_, A_, x_->description, b_->description), "cudssExecute");
  }

  const DirectProblem<Number>& problem_;
  Library library_;
  DeviceArray<int> row_map_, entries_;
  DeviceArray<Number> values_;
  cudssMatrix_t A_ = nullptr;
  cudssConfig_t config_ = nullptr;
  cudssData_t data_ = nullptr;
  int columns_ = 0;
  std::unique_ptr<Columns<Number>> b_, x_;
  std::vector<Number> downloaded_;
  std::vector<double> ordering_seconds_;
  std::string label_;
};

template <class Number>
using CudssMethod = DirectPeer<Cudss<Number>, Number>;

Entry entry(const char* name, int threads, bool is_fastest) {
  return {name, "same", direct_phases, on_direct_problem<CudssMethod>(threads, is_fastest)};
}

}  // namespace

Entry cudss(int threads) { return entry("cudss", threads, true); }
Entry cudss_default(int threads) { return entry("cudss_default", threads, false); }

}  // namespace terrace::perf

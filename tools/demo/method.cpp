// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "demo/method.hpp"

#include <chrono>

#include "common/median.hpp"
#include "common/substitution.hpp"

namespace terrace::tools {
namespace {

/// One call to warm up, then at least so many timed ones, and up to 50 within a tenth of a second.
template <class Call>
double median_seconds(std::size_t fewest, const Call& call) {
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  call();
  std::vector<double> seconds;
  const auto begin = Clock::now();
  while (seconds.size() < fewest || (seconds.size() < 50 && since(begin) < 0.1)) {
    const auto call_begin = Clock::now();
    call();
    seconds.push_back(since(call_begin));
  }
  return common::median(seconds);
}

}  // namespace

template <class Number>
void solve_by_serial_loop(const TriangularSystem<Number>& system, std::vector<Number>& x) {
  const HostMatrix<Number>& T = system.triangle;
  common::substitute_forward(T.n, T.row_map.data(), T.entries.data(), T.values.data(), system.b.data(), x.data());
}

template <class Number>
Times time_method(Method<Number>& method) {
  const auto prepare = [&method] {
    method.prepare();
    method.wait();
  };
  const auto run = [&method] {
    method.run();
    method.wait();
  };
  Times times;
  times.prepare_s = median_seconds(1, prepare);  // an analysis takes long enough to be told apart
  times.run_s = median_seconds(3, run);
  return times;
}

using Complex = std::complex<double>;
template void solve_by_serial_loop(const TriangularSystem<double>&, std::vector<double>&);
template void solve_by_serial_loop(const TriangularSystem<Complex>&, std::vector<Complex>&);
template Times time_method(Method<double>&);
template Times time_method(Method<Complex>&);

}  // namespace terrace::tools

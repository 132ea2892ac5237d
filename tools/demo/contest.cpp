// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "demo/contest.hpp"

namespace terrace::tools {
namespace {

using Complex = std::complex<double>;

std::vector<double> from_parts(const std::vector<double>& parts, double) { return parts; }

std::vector<Complex> from_parts(const std::vector<double>& parts, Complex) {
  std::vector<Complex> numbers;
  numbers.reserve(parts.size() / 2);
  for (std::size_t k = 0; k + 1 < parts.size(); k += 2) numbers.emplace_back(parts[k], parts[k + 1]);
  return numbers;
}

template <class Number>
class SerialLoop final : public perf::Method {
 public:
  explicit SerialLoop(const TriangularSystem<Number>& system) : system_(system), x_(system.b.size()) {}
  void run(perf::Phase, int) override { solve_by_serial_loop(system_, x_); }
  std::vector<double> result(perf::Phase) override { return in_parts(x_); }

 private:
  const TriangularSystem<Number>& system_;
  std::vector<Number> x_;
};

}  // namespace

std::vector<double> in_parts(const std::vector<double>& numbers) { return numbers; }

std::vector<double> in_parts(const std::vector<Complex>& numbers) {
  std::vector<double> parts;
  parts.reserve(2 * numbers.size());
  for (const Complex& number : numbers) parts.insert(parts.end(), {number.real(), number.imag()});
  return parts;
}

template <class Number>
double DemoProblem<Number>::check(const std::string&, perf::Phase, const std::vector<double>& result) {
  return backward_error(system_, from_parts(result, Number()));
}

template <class Number>
perf::Entry serial_loop() {
  return {"plain serial loop", "substitution", {perf::Phase::Solve}, perf::on<DemoProblem<Number>>([](auto& problem) {
            return std::make_unique<SerialLoop<Number>>(problem.system());
          })};
}

perf::Measurement measure_alone(const perf::Entry& entry, perf::Problem& problem) {
  const std::vector<perf::Timing> phases = {
      {.phase = perf::Phase::Analysis, .name = "analysis", .repetitions = 1},
      {.phase = perf::Phase::Solve, .name = "solve", .repetitions = 3, .least_seconds = 0.02}};
  perf::Measurement measured = perf::measure_in_turns({"demo", phases, {entry}, {}}, problem).front();
  if (!measured.failure.empty()) throw std::runtime_error(entry.name + ": " + measured.failure);
  return measured;
}

template class DemoProblem<double>;
template class DemoProblem<Complex>;
template perf::Entry serial_loop<double>();
template perf::Entry serial_loop<Complex>();

}  // namespace terrace::tools

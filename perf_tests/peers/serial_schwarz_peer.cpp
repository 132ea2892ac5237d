// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "peers/peers.hpp"
#include "peers/schwarz_peer.hpp"
#include "peers/serial_tools.hpp"

namespace terrace::perf {
namespace {

class SerialSchwarzTools : public SerialTools {
 public:
  using Basis = std::vector<Vector>;

  explicit SerialSchwarzTools(const SchwarzProblem& problem)
      : SerialTools(problem.A(), problem.system().b),
        schwarz_(problem.A(), problem.settings().block_numbers, problem.settings().blocks, problem.settings().overlap,
                 problem.settings().kind) {}

  void find_subdomains() { schwarz_.find_subdomains(); }
  void analyze() { schwarz_.factorize(); }
  void refactorize() { schwarz_.factorize(); }
  Facts facts() const { return {"in one thread"}; }

  using SerialTools::multiply;
  using SerialTools::vector;
  Vector vector(const std::vector<double>& numbers) const { return numbers; }
  const Vector& numbers(const Vector& v) const { return v; }
  void precondition(const Vector& in, Vector& out) { schwarz_.apply(in.data(), out.data()); }

  Basis basis(int columns) const { return Basis(static_cast<std::size_t>(columns), vector()); }
  void precondition(const Basis& V, int j, Vector& z) { precondition(V[j], z); }
  void multiply(const Vector& z, Basis& V, int j) const { multiply(z, V[j]); }
  double start(const Vector& x, Basis& V) const {
    multiply(x, V[0]);
    for (std::size_t i = 0; i < x.size(); ++i) V[0][i] = b_[i] - V[0][i];
    return normalize(V[0]);
  }
  void orthogonalize(Basis& V, int j, std::vector<double>& h) const {
    for (int i = 0; i < j; ++i) h[i] = dot(V[i], V[j]);
    for (int i = 0; i < j; ++i) add(-h[i], V[i], V[j]);
    h[j] = normalize(V[j]);
  }
  void combine(const Basis& V, const std::vector<double>& y, Vector& w) const {
    clear(w);
    for (std::size_t i = 0; i < y.size(); ++i) add(y[i], V[i], w);
  }

 private:
  double normalize(Vector& v) const {
    const double norm = std::sqrt(dot(v, v));
    for (double& number : v) number /= norm;
    return norm;
  }

  SerialSchwarz schwarz_;
};

}  // namespace

Entry serial_schwarz() {
  return {"serial_loop",
          "double",
          {Phase::Subdomains, Phase::Factorize, Phase::Numeric, Phase::Apply, Phase::Gmres, Phase::Solve},
          make_on<SchwarzProblem, SchwarzPeer<SerialSchwarzTools>>()};
}

}  // namespace terrace::perf

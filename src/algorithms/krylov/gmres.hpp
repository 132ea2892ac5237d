// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Restarted GMRES (Saad and Schultz 1986; Saad 2003, algorithms 6.9 and 9.5) and its flexible form (Saad 1993,
// algorithm 9.6).
//
// Step j: w = A M v_j is made orthogonal to v_0, ..., v_j (orthogonalize.hpp).
//
// So that squares of w neither overflow nor vanish, the first w of a cycle sets a power of two by which this one and
// all later ones are multiplied where the first projection is subtracted; y takes it back.
//
// x changes at the end of a cycle only: x += M (V y), or x += Z y with the z_j = M v_j that the flexible form keeps.
#pragma once

#include "algorithms/krylov/gmres_kernels.hpp"
#include "algorithms/krylov/system.hpp"

namespace terrace::krylov {

template <class Scalar, class Space>
class Gmres : public Method<Scalar, Space> {
  using SystemType = System<Scalar, Space>;
  using Vectors = typename SystemType::Vectors;
  using Memory = Kokkos::View<Scalar*, parallel::Device<Space>>;

 public:
  Gmres(const Space& space, std::size_t rows, int restart, bool flexible)
      : restart_(restart),
        flexible_(flexible),
        rows_(rows),
        memory_(space, restart),
        basis_(make_vector<Scalar>(space, "terrace::krylov::basis", rows * (static_cast<std::size_t>(restart) + 1))),
        preconditioned_(make_vector<Scalar>(space, "terrace::krylov::preconditioned",
                                            rows * (flexible ? static_cast<std::size_t>(restart) : 1))),
        sum_(make_vector<Scalar>(space, "terrace::krylov::sum", rows)),
        hessenberg_(memory_.for_kernels()) {}

  void start(const SystemType& system) override {
    column_ = 0;
    const auto each = each_row(system.space, system.rows());
    system.start(vector(basis_, 0, system));
    Kokkos::parallel_for("terrace::krylov::start_basis", each,
                         StartBasis<Scalar>{basis(basis_, system), hessenberg_, system.shared.state});
  }

  void iterate(const SystemType& system) override {
    if (column_ == restart_) {
      conclude(system);
      start(system);
    }
    const Vectors w = vector(basis_, column_ + 1, system);
    system.apply(preconditioned(system), w);
    if (column_ == 0) system.note_exponents(w);
    append(system, w);
    ++column_;
  }

  /// Each step has one more column.
  bool repeats_itself() const override { return false; }

  Vectors spare_vectors() const override { return Vectors(basis_.data(), rows_, 1); }

  /// Waits for nothing; the device knows how many columns count. Without any, x stays as it is.
  void conclude(const SystemType& system) override {
    if (column_ == 0) return;
    const auto each = each_row(system.space, system.rows());
    const auto* state = system.shared.state;
    const bool inside = system.preconditions_inside();
    const auto& columns = inside && flexible_ ? preconditioned_ : basis_;
    const bool direct = !inside || flexible_;
    Kokkos::parallel_for("terrace::krylov::solve_small_problem", Kokkos::RangePolicy<Space>(system.space, 0, 1),
                         SolveSmallProblem<Scalar>{hessenberg_, state, direct});
    Kokkos::parallel_for(
        "terrace::krylov::combine", each,
        Combine<Scalar>{basis(columns, system), hessenberg_.y, state, direct ? system.x.data() : sum_.data(), direct});
    if (direct) return;
    const Vectors step = vector(preconditioned_, 0, system);
    system.precondition(vector(sum_, 0, system), step);
    Kokkos::parallel_for("terrace::krylov::add_to", each, AddTo<Scalar>{system.x.data(), step.data(), state});
  }

 private:
  static Vectors vector(const Memory& vectors, int column, const SystemType& system) {
    return Vectors(vectors.data() + system.rows() * static_cast<std::size_t>(column), system.rows(), 1);
  }
  static Basis<Scalar> basis(const Memory& vectors, const SystemType& system) {
    return {vectors.data(), static_cast<std::ptrdiff_t>(system.rows())};
  }

  Vectors preconditioned(const SystemType& system) const {
    const Vectors v = vector(basis_, column_, system);
    if (!system.preconditions_inside()) return v;
    const Vectors z = vector(preconditioned_, flexible_ ? column_ : 0, system);
    system.precondition(v, z);
    return z;
  }

  void append(const SystemType& system, const Vectors& w) const {
    orthogonalize(system.space, NewColumn<Scalar>{basis(basis_, system), w.data(), hessenberg_, column_ + 1,
                                                  system.shared, system.gathering, memory_.partial_sums()});
    Kokkos::parallel_for("terrace::krylov::normalize", each_row(system.space, system.rows()),
                         Normalize<Scalar>{w.data(), system.shared.state});
  }

  int restart_;
  bool flexible_;
  std::size_t rows_;
  int column_ = 0;
  HessenbergMemory<Scalar, Space> memory_;
  Memory basis_, preconditioned_, sum_;
  Hessenberg<Scalar> hessenberg_;
};

}  // namespace terrace::krylov

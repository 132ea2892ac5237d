// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Preconditioned conjugate gradients in Eisenstat's form (SIAM J. Sci. Stat. Comput. 2, 1981), on a factor in tiles.
//
// With both triangles of A in M itself, A = (I + L) + (I + L^T) + E after scaling by S = D^-1/2, and
//
//     (I + L)^-1 A (I + L^T)^-1 p = w + (I + L)^-1 (p + E w),   w = (I + L^T)^-1 p,
//
// so conjugate gradients on that operator, whose iterates are those of preconditioned ones, need no product with A.
// What a host calls r is D^1/2 (I + L) r here, so that its norm, which the caller is promised, takes a pass of its own.
// Four kernels, with the numbers that each reads or writes per cell in three dimensions (two: 6, 6, 6, 4):
//
//     direction  p = r + beta p, w = (I + L^T)^-1 p              r p  a_x a_y a_z  p w        7
//     operator   q = w + (I + L)^-1 (p + E w), (p, q)            p w e  a_x a_y a_z  q        7
//     update     x += alpha w, r -= alpha q                      x w r q  x r                 6
//     norm       |D^1/2 (I + L) r|, (r, r)                       r  a_x a_y a_z  s            5
//
// alpha needs all of (p, q), beta all of (r, r) and the norm the neighbours' new r: no two of these can be one. x is
// the correction of the caller's first guess, in scaled unknowns and in the units of r (PcgState); it is added when the
// true residual is measured.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "algorithms/structured/pcg_on_device.hpp"
#include "backends/cuda/structured/pcg_residual.hpp"
#include "backends/cuda/structured/pcg_update.hpp"
#include "backends/cuda/structured/tile_factor.hpp"

namespace terrace::cuda::grid {

template <class Real, class Tile>
class TilePcgEngine : public structured::PcgEngine<Real, Kokkos::Cuda> {
  using Space = Kokkos::Cuda;
  using Factor = TileFactor<Real, Tile>;

 public:
  TilePcgEngine(const Space& space, std::shared_ptr<const Factor> factor)
      : factor_(std::move(factor)), state_(space), w_(factor_->scratch(0)), q_(factor_->scratch(1)) {
    allocate(space);
    update(space);
  }

  void update(const Space& space) override {
    visit_cells<Tile, Real>(space, "terrace::structured::pack_diagonals", factor_->grid(),
                            PackDiagonals<Real>{factor_->matrix().center, factor_->inverse().data(), e_});
  }

  /// r = (I + L)^-1 S (b - A x).
  void start(const Space& space, const Real* b, Real* x, double tolerance) override {
    x_ = x;
    residual(space, "terrace::structured::pcg_note_exponents", b, ResidualPurpose::Exponents);
    residual(space, "terrace::structured::pcg_start", b, ResidualPurpose::Start, tolerance);
    check(cudaMemsetAsync(p_, 0, rows() * Tile::row * sizeof(Real), space.cuda_stream()), "cudaMemsetAsync");
    check(cudaMemsetAsync(correction_, 0, rows() * Tile::row * sizeof(Real), space.cuda_stream()), "cudaMemsetAsync");
    factor_->template sweep<FirstWork, false>(space, "terrace::structured::pcg_first", {q_}, {r_}, state_.data());
  }

  void iterate(const Space& space, int count) override {
    for (int k = 0; k < count; ++k) {
      factor_->template sweep<DirectionWork, true>(space, "terrace::structured::pcg_direction", {r_, p_}, {w_, p_},
                                                   state_.data(), false, Begin::Early);
      factor_->template sweep<OperatorWork, false>(space, "terrace::structured::pcg_operator", {p_, w_, e_}, {q_},
                                                   state_.data(), false, Begin::Early);
      const Index size = Index(rows()) * Tile::row;
      launch_when(Begin::Early, space, "terrace::structured::pcg_update", update_kernel<Real>,
                  blocks_for((size / 2 + SumTuning::block - 1) / SumTuning::block), SumTuning::block, 0, correction_,
                  w_, r_, q_, size, state_.data());
      norm(space);
    }
  }

  void measure_true_residual(const Space& space, const Real* b) override {
    visit_cells<Tile, Real>(space, "terrace::structured::pcg_add_correction", factor_->grid(),
                            AddCorrection<Real>{correction_, factor_->scaling(Scale::Multiply), x_, state_.data()});
    residual(space, "terrace::structured::pcg_true_residual", b, ResidualPurpose::TrueResidual);
  }

  PcgState read(const Space& space) override { return state_.read(space); }

  std::size_t bytes_held() const override { return memory_.bytes_held() + sizeof(PcgState); }

 private:
  void allocate(const Space& space) {
    const auto size = static_cast<std::size_t>(skewed_size<Tile>(factor_->grid()));
    const std::size_t blocks = std::max<std::size_t>(visiting_blocks<Tile>(factor_->grid()), max_blocks_);
    memory_ = Arrays(space, "terrace::cuda::tile_pcg_engine",
                     4 * Arrays::bytes<Real>(size) + Arrays::bytes<Sums>(blocks) + Arrays::bytes<unsigned>(1));
    arrived_ = memory_.template take<unsigned>(1);
    check(cudaMemsetAsync(arrived_, 0, memory_.bytes_held(), space.cuda_stream()), "cudaMemsetAsync");
    partial_ = memory_.template take<Sums>(blocks);
    for (Real** vector : {&e_, &r_, &p_, &correction_})
      *vector = memory_.template take<Real>(size) + SkewedGrid::margin * Tile::row;
  }

  std::size_t rows() const { return static_cast<std::size_t>(skewed_rows<Tile>(factor_->grid())); }
  std::size_t blocks_for(Index most) const {
    return static_cast<std::size_t>(std::clamp<Index>(most, 1, static_cast<Index>(max_blocks_)));
  }

  void residual(const Space& space, const char* label, const Real* b, ResidualPurpose purpose,
                double tolerance = 0.0) const {
    launch(space, label, residual_kernel<Tile, Real>, visiting_blocks<Tile>(factor_->grid()), SumTuning::block,
           factor_->grid(),
           ResidualArguments<Real>{factor_->matrix(), b, x_, factor_->scaling(Scale::Multiply), purpose, q_, tolerance,
                                   state_.data()},
           partial_, arrived_);
  }

  void norm(const Space& space) const {
    constexpr Index warps = SumTuning::block / warp_size;
    const SkewedGrid& grid = factor_->grid();
    launch_when(Begin::Early, space, "terrace::structured::pcg_norm", norm_kernel<Tile, Real>,
                blocks_for((Index(rows()) + warps - 1) / warps), SumTuning::block, 0,
                NormArguments<Real>{r_,
                                    {factor_->lower(0), factor_->lower(1), factor_->lower(2)},
                                    factor_->scaling(Scale::Multiply).by,
                                    static_cast<int>(rows()),
                                    grid.tiles_u,
                                    grid.tiles_v,
                                    grid.blocks_m,
                                    partial_,
                                    arrived_,
                                    state_.data()});
  }

  std::shared_ptr<const Factor> factor_;
  std::size_t max_blocks_ = static_cast<std::size_t>(UpdateTuning::max_blocks());
  structured::PcgOnDevice<Space> state_;
  Arrays memory_;
  Real *w_, *q_;  // the factor's scratch
  Real *e_ = nullptr, *r_ = nullptr, *p_ = nullptr, *correction_ = nullptr;
  Sums* partial_ = nullptr;
  unsigned* arrived_ = nullptr;
  Real* x_ = nullptr;
};

}  // namespace terrace::cuda::grid

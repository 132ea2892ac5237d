// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bodies of terrace::SchwarzFactor: factorize all blocks as one matrix, look at bad ones, and apply through the
// engine behind the seam.
#pragma once

#include <terrace/schwarz.hpp>

#include "algorithms/schwarz/copies.hpp"
#include "algorithms/triangular/check_vectors.hpp"
#include "backends/schwarz.hpp"
#include "parallel/loops.hpp"
#include "parallel/patient_loops.hpp"
#include "solvers/schwarz_blocks.hpp"
#include "solvers/schwarz_solvers.hpp"

namespace terrace::schwarz {

/// The weights of a place on the way in and out: those of the variant, times the scale of the factorization.
template <class Real, class Ordinal, class Offset>
struct FindWeights {
  const Ordinal* row;  // ~row where another block owns it
  const Offset* copies;
  const Real* scale;  // or null
  bool in_root, out_root, out_whole;
  Real* in;
  Real* out;
  KOKKOS_FUNCTION void operator()(Ordinal place) const {
    const Ordinal at = plain_row(row[place]);
    const Real weight = copies ? Real(1) / static_cast<Real>(copies[at + 1] - copies[at]) : Real(1);
    const Real factor = scale ? scale[place] : Real(1);
    in[place] = factor * (in_root ? Kokkos::sqrt(weight) : Real(1));
    out[place] = factor * (out_root ? Kokkos::sqrt(weight) : out_whole ? weight : Real(1));
  }
};

template <class Ordinal>
struct RenumberRows {
  const Ordinal* row;
  const Ordinal* original;
  Ordinal* renumbered;
  KOKKOS_FUNCTION void operator()(Ordinal place) const { renumbered[place] = row[original[place]]; }
};

}  // namespace terrace::schwarz

namespace terrace {

template <class Scalar, class Ordinal, class Offset, class Space>
struct SchwarzFactor<Scalar, Ordinal, Offset, Space>::State {
  using Real = incomplete::RealOf<Scalar>;
  using Ilu = schwarz::IluBlockFactor<Scalar, Ordinal, Offset, Space>;
  using Ilut = schwarz::IlutBlockFactor<Scalar, Ordinal, Offset, Space>;
  using Pattern = schwarz::BlockPattern<Ordinal, Offset, Space>;
  using Transfer = schwarz::Transfer<Scalar, Ordinal>;
  template <class T>
  using Array = Kokkos::View<T*, device_type>;

  SubdomainsType subdomains;
  SchwarzOptions options;
  std::variant<std::monostate, Ilu, Ilut> blocks;  // nothing: a matrix of size 0
  Array<const Ordinal> row;                        // of each place of the factor; ~row where another block owns it
  schwarz::Copies<Ordinal, Offset, Space> copies;  // where solutions are summed
  Array<Real> in, out;                             // empty: ones
  parallel::Columns<Scalar, Space> found;          // what places found; engines work in it
  Array<Ordinal> first_bad;                        // of each block
  Array<Real> shifts, diagonal_factors;            // for PivotPolicy::Shift
  schwarz::BlockEnginePointer<Scalar, Ordinal, Offset, Space> engine;
  std::size_t bytes_of_plan = 0;
  SchwarzInfo info;
  bool is_unread = false;
  parallel::Moment<Space> factorized;

  const auto& known() const { return detail::Access::state(subdomains); }
  Ordinal rows() const { return static_cast<Ordinal>(known().info.rows); }
  Ordinal places() const { return static_cast<Ordinal>(known().info.places); }
  auto each_place(const Space& space) const { return Kokkos::RangePolicy<Space>(space, 0, places()); }
  auto each_block(const Space& space) const {
    return Kokkos::RangePolicy<Space>(space, 0, static_cast<Ordinal>(known().info.blocks));
  }
  bool is_disjoint() const { return known().info.max_copies <= 1; }

  /// Whether solutions go from their owner straight to z.
  bool writes_owned_only(Op op) const {
    return is_disjoint() || options.variant == (op == Op::None ? SchwarzVariant::Restricted : SchwarzVariant::Harmonic);
  }
  bool reads_owned_only(Op op) const {
    return !is_disjoint() &&
           options.variant == (op == Op::None ? SchwarzVariant::Harmonic : SchwarzVariant::Restricted);
  }

  Transfer transfer(Op op) const {
    const bool is_plain = op == Op::None;
    return {row.data(), is_plain ? in.data() : out.data(), is_plain ? out.data() : in.data(), reads_owned_only(op),
            writes_owned_only(op)};
  }

  template <class Visit>
  decltype(auto) with_blocks(const Visit& visit) {
    if (auto* ilut = std::get_if<Ilut>(&blocks)) return visit(*ilut);
    return visit(std::get<Ilu>(blocks));
  }

  Factorization factorization() const {
    if (const auto* ilut = std::get_if<Ilut>(&blocks)) return ilut->factorization();
    return std::get<Ilu>(blocks).factorization();
  }

  void prepare(const Space& space) {
    if (const auto* ilu = std::get_if<IluBlocks>(&options.blocks)) blocks.template emplace<Ilu>(space, known(), *ilu);
    else blocks.template emplace<Ilut>(space, known(), std::get<IlutOptions>(options.blocks));
    const auto count = static_cast<std::size_t>(known().info.blocks);
    first_bad = parallel::uninitialized<Ordinal>(space, "terrace::schwarz::first_bad", count);
    if (with_blocks([](const auto& kind) { return kind.pivots().policy; }) == PivotPolicy::Shift) {
      shifts = parallel::uninitialized<Real>(space, "terrace::schwarz::shifts", count);
      diagonal_factors =
          parallel::uninitialized<Real>(space, "terrace::schwarz::diagonal_factors", known().info.places);
    }
    renumber_rows(space);
    if (!is_disjoint())
      copies = schwarz::find_copies<Offset, Ordinal, Space>(space, row.data(), known().block_of(), places(), rows());
    found =
        parallel::uninitialized_columns<Scalar>(space, "terrace::schwarz::found", static_cast<std::size_t>(places()),
                                                static_cast<std::size_t>(options.right_hand_sides));
    if (auto* ilu = std::get_if<Ilu>(&blocks)) prepare_elimination(space, *ilu);
  }

  /// The factor of pivots alone is where it is applied; `found` holds them until then.
  void prepare_elimination(const Space& space, Ilu& ilu) {
    plan_blocks(space, ilu);
    const bool may_find_pivots = engine && options.bad_blocks != BadBlocks::Diagonal && ilu.relaxation() == 0;
    if (may_find_pivots && engine->finds_pivots(space)) ilu.find_pivots_by(space, *engine, found.data());
    else ilu.plan_elimination(space, engine ? engine->overwritten_memory() : std::span<char>());
  }

  void renumber_rows(const Space& space) {
    const auto original = with_blocks([](const auto& kind) { return Array<const Ordinal>(kind.permutation()); });
    row = known().owned_row;
    if (original.extent(0) == 0) return;
    const auto renumbered = parallel::uninitialized<Ordinal>(space, "terrace::schwarz::row", original.extent(0));
    parallel::for_range("terrace::schwarz::renumber_rows", each_place(space),
                        schwarz::RenumberRows<Ordinal>{known().owned_row.data(), original.data(), renumbered.data()});
    row = renumbered;
  }

  /// They follow the scale, which follows the values.
  void weigh(const Space& space) {
    const auto scale = with_blocks([](const auto& kind) { return kind.scale(); });
    const bool is_weighted =
        !is_disjoint() && (options.variant == SchwarzVariant::Weighted || options.variant == SchwarzVariant::Symmetric);
    if (scale.extent(0) == 0 && !is_weighted) return;
    if (in.extent(0) == 0) {
      in = parallel::uninitialized<Real>(space, "terrace::schwarz::in", known().info.places);
      out = parallel::uninitialized<Real>(space, "terrace::schwarz::out", known().info.places);
    }
    const bool is_symmetric = is_weighted && options.variant == SchwarzVariant::Symmetric;
    parallel::for_range("terrace::schwarz::find_weights", each_place(space),
                        schwarz::FindWeights<Real, Ordinal, Offset>{
                            row.data(), is_weighted ? copies.row_map.data() : nullptr, scale.data(), is_symmetric,
                            is_symmetric, is_weighted && !is_symmetric, in.data(), out.data()});
  }

  /// One factorization, and a look at its blocks. Enqueued, for a fixed pattern.
  template <class Kind>
  void factorize_once(const Space& space, Kind& kind, const values_type& values, const Real* factors) {
    kind.factorize(space, values, factors);
    parallel::for_range("terrace::schwarz::forget_bad_blocks", each_block(space),
                        schwarz::ForgetBadBlocks<Ordinal>{first_bad.data(), places()});
    kind.with_numbers([&]<class Numbers>(const Numbers& numbers) {
      parallel::for_range("terrace::schwarz::find_bad_blocks", each_place(space),
                          schwarz::FindBadBlocks<Scalar, Ordinal, Offset, Numbers>{
                              kind.factorized(known().block_of(), first_bad.data()), numbers});
    });
  }

  /// Waits for the space.
  std::int64_t count_bad_blocks(const Space& space) const {
    std::int64_t count = 0;
    parallel::reduce_range("terrace::schwarz::count_bad_blocks", each_block(space),
                           schwarz::CountBadBlocks<Ordinal>{first_bad.data(), places()}, count);
    return count;
  }

  template <class Kind>
  void factorize_with_shifts(const Space& space, Kind& kind, const values_type& values) {
    const auto& pivots = kind.pivots();
    parallel::fill(space, shifts, Real(0));
    info.shift = 0;
    info.attempts = 1;
    for (factorize_once(space, kind, values, nullptr);
         info.attempts < pivots.max_attempts && count_bad_blocks(space) > 0; ++info.attempts) {
      Real largest(0);
      parallel::reduce_range("terrace::schwarz::raise_shifts", each_block(space),
                             schwarz::RaiseShifts<Real, Ordinal>{first_bad.data(), places(),
                                                                 static_cast<Real>(pivots.first_shift), shifts.data()},
                             Kokkos::Max<Real>(largest));
      info.shift = static_cast<double>(largest);
      parallel::for_range(
          "terrace::schwarz::shift_diagonals", each_place(space),
          schwarz::ShiftDiagonals<Real, Ordinal>{known().block_of(), shifts.data(), diagonal_factors.data()});
      factorize_once(space, kind, values, diagonal_factors.data());
    }
  }

  void factorize(const Space& space, const values_type& values) {
    with_blocks([&](auto& kind) {
      if (shifts.extent(0) > 0) factorize_with_shifts(space, kind, values);
      else factorize_once(space, kind, values, nullptr);
      if (options.bad_blocks == BadBlocks::Diagonal) {
        const bool positive =
            incomplete::pivot_rule<Scalar>(kind.pivots(), kind.factorization(), static_cast<Ordinal*>(nullptr))
                .positive;
        parallel::for_range("terrace::schwarz::keep_diagonals", each_place(space),
                            schwarz::KeepDiagonals<Scalar, Ordinal, Offset>{
                                kind.factorized(known().block_of(), first_bad.data()), places(), positive});
      }
      weigh(space);
      is_unread = true;
      constexpr bool has_new_pattern = !std::decay_t<decltype(kind)>::has_fixed_pattern;
      if (has_new_pattern) plan_blocks(space, kind);
      if (info.algorithm == SchwarzAlgorithm::Solvers && (has_new_pattern || !engine)) make_solvers(space, kind);
      else kind.update(space, *engine);
      count_bytes(kind);
    });
  }

  /// The engine for the pattern of the factor, unless solvers of the whole are chosen, which follow a factorization.
  template <class Kind>
  void plan_blocks(const Space& space, const Kind& kind) {
    const auto pattern = kind.pattern(known());
    const auto choice = schwarz::choose_block_algorithm<Scalar>(space, pattern, options.algorithm);
    info.algorithm = choice.algorithm;
    info.reason = choice.reason;
    info.factor_entries = static_cast<std::int64_t>(pattern.entries.extent(0));
    info.bytes_held = bytes_of_plan = 0;
    if (choice.algorithm == SchwarzAlgorithm::Solvers) return;
    const bool prepare_transpose = pattern.unit_lower && kind.prepares_transpose();
    const auto plan = schwarz::make_block_plan<Scalar>(space, pattern, choice.reason, prepare_transpose);
    engine = schwarz::make_block_engine<Scalar>(space, plan, options.factor_precision, found);
    plan->describe(info);
    bytes_of_plan = info.bytes_held;
  }

  template <class Kind>
  void make_solvers(const Space& space, const Kind& kind) {
    auto solvers = std::make_unique<schwarz::SolverEngine<Scalar, Ordinal, Offset, Space>>(
        kind.make_solves(space, options.right_hand_sides), found);
    info.levels = solvers->levels();
    if (options.factor_precision == FactorPrecision::Single)
      info.reason += "; solvers of the whole read the factor in the precision of the matrix";
    engine = std::move(solvers);
  }

  template <class Kind>
  void count_bytes(const Kind& kind) {
    info.bytes_held = bytes_of_plan + known().info.bytes_held + engine->bytes_held() + kind.bytes_held(known()) +
                      copies.bytes_held() + found.span() * sizeof(Scalar) + (in.span() + out.span()) * sizeof(Real) +
                      (shifts.span() + diagonal_factors.span()) * sizeof(Real) + first_bad.span() * sizeof(Ordinal) +
                      (row.data() != known().owned_row.data() ? row.span() * sizeof(Ordinal) : 0);
  }

  /// The pivots by rows of A, and the bad blocks. Waits for the space.
  void read_info(const Space& space) {
    is_unread = false;
    const double shift = info.shift;
    const int attempts = info.attempts;
    const std::size_t bytes = info.bytes_held;
    const bool shifts_blocks = shifts.extent(0) > 0;
    static_cast<IluInfo&>(info) = with_blocks([&](auto& kind) { return IluInfo(kind.read_info(space)); });
    info.bytes_held = bytes;
    if (shifts_blocks) {
      info.shift = shift;
      info.attempts = attempts;
    }
    info.bad_blocks = count_bad_blocks(space);
    info.diagonal_blocks = options.bad_blocks == BadBlocks::Diagonal ? info.bad_blocks : 0;
    info.first_bad_block.reset();
    const auto first = info.first_bad_row();
    const auto row_at = [&](std::int64_t place) {
      return std::int64_t(schwarz::plain_row(parallel::read_on_host<Ordinal>(space, known().owned_row.data() + place)));
    };
    if (first) {
      const auto begins = parallel::to_host_vector<Ordinal>(space, known().block_map);
      const schwarz::BlockOf<Ordinal> block{begins.data(), static_cast<Ordinal>(begins.size() - 1)};
      info.first_bad_block = block[static_cast<Ordinal>(*first)];
    }
    for (auto* place :
         {&info.first_zero_pivot, &info.first_tiny_pivot, &info.first_nonpositive_pivot, &info.first_nonfinite_row})
      if (*place) *place = row_at(**place);
    info.eliminated_first = first;
    if (first) info.eliminated_first = row_at(*first);
  }

  void read_info_later() {
    if (!is_unread) return;
    factorized.wait("terrace::SchwarzFactor::info");
    read_info(Space());
  }

  void apply(const Space& space, const const_vectors& R, const vectors& Z, Op op) const {
    auto way = transfer(op);
    const Op of_blocks = incomplete::op_on_factors<Scalar>(factorization(), op);
    const bool sums = !way.writes_owned_only;
    if (!sums && R.data != Z.data) return engine->apply(space, R, Z, of_blocks, way);
    way.writes_owned_only = false;
    for (std::size_t first = 0; first < R.columns; first += found.extent(1)) {
      using parallel::columns_of;
      const std::size_t count = std::min(found.extent(1), R.columns - first);
      const vectors y = columns_of(vectors(found), 0, count), z = columns_of(Z, first, count);
      engine->apply(space, columns_of(R, first, count), y, of_blocks, way);
      if (sums)
        parallel::for_range(
            "terrace::schwarz::sum_copies", Kokkos::RangePolicy<Space>(space, 0, rows()),
            schwarz::SumCopies<Scalar, Ordinal, Offset, Space>{copies.row_map.data(), copies.source.data(), y, z});
      else
        parallel::for_range("terrace::schwarz::take_owned", each_place(space),
                            schwarz::TakeOwned<Scalar, Ordinal, Space>{row.data(), y, z});
    }
  }
};

namespace schwarz {

/// Blocks overlap, and a list of the matrix's rows says nothing of theirs.
template <class BlockOptions>
void check_block_order(const BlockOptions& options) {
  if (options.ordering == Ordering::Given)
    throw Error(ErrorCode::InvalidOption,
                "the blocks of a Schwarz preconditioner have rows of their own, which no given permutation orders; "
                "choose another ordering");
  ordering::check_given_order(options.ordering, options.permutation, 0);
}

inline void check_schwarz_options(const SchwarzOptions& options) {
  if (options.right_hand_sides < 1) throw Error(ErrorCode::InvalidOption, "right_hand_sides must be at least 1");
  if (const auto* ilu = std::get_if<IluBlocks>(&options.blocks)) {
    incomplete::check_symbolic_options(ilu->symbolic);
    incomplete::check_factor_options(ilu->factor);
    check_block_order(ilu->symbolic);
  } else {
    const auto& ilut = std::get<IlutOptions>(options.blocks);
    incomplete::check_threshold_options(ilut);
    check_block_order(ilut);
  }
}

}  // namespace schwarz

template <class Scalar, class Ordinal, class Offset, class Space>
SchwarzFactor<Scalar, Ordinal, Offset, Space>::SchwarzFactor(const Space& space, const SubdomainsType& subdomains,
                                                             values_type values, const SchwarzOptions& options) try
    : state_(new State{subdomains, options, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}) {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  const parallel::PatientLoops loops(static_cast<std::size_t>(subdomains.info().block_entries));
  schwarz::check_schwarz_options(options);
  state_->info.subdomains = subdomains.info();
  incomplete::check_number_of_values(values.extent(0), subdomains.info().entries);
  if (state_->rows() == 0) return;
  state_->prepare(space);
  state_->factorize(space, values);
  state_->read_info(space);
  space.fence("terrace::SchwarzFactor");
} catch (...) {
  parallel::rethrow_as_error(space, "terrace::SchwarzFactor");
}

template <class Scalar, class Ordinal, class Offset, class Space>
SchwarzFactor<Scalar, Ordinal, Offset, Space>::~SchwarzFactor() {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  state_.reset();
}

template <class Scalar, class Ordinal, class Offset, class Space>
SchwarzFactor<Scalar, Ordinal, Offset, Space>::SchwarzFactor(SchwarzFactor&&) noexcept = default;

template <class Scalar, class Ordinal, class Offset, class Space>
auto SchwarzFactor<Scalar, Ordinal, Offset, Space>::operator=(SchwarzFactor&& other) noexcept -> SchwarzFactor& {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  state_ = std::move(other.state_);
  return *this;
}

template <class Scalar, class Ordinal, class Offset, class Space>
void SchwarzFactor<Scalar, Ordinal, Offset, Space>::refactorize(const Space& space, values_type values) try {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  const parallel::PatientLoops loops(static_cast<std::size_t>(subdomains().info().block_entries));
  incomplete::check_number_of_values(values.extent(0), subdomains().info().entries);
  if (state_->rows() == 0) return;
  state_->factorize(space, values);
  state_->factorized.mark(space);
} catch (...) {
  parallel::rethrow_as_error(space, "terrace::SchwarzFactor::refactorize");
}

template <class Scalar, class Ordinal, class Offset, class Space>
void SchwarzFactor<Scalar, Ordinal, Offset, Space>::apply(const Space& space, const_vectors R, vectors Z, Op op) const {
  const auto rows = static_cast<std::size_t>(state_->rows());
  triangular::check_vectors(rows, R.rows, R.columns, Z.rows, Z.columns);
  if (rows > 0) state_->apply(space, R, Z, op);
}

template <class Scalar, class Ordinal, class Offset, class Space>
auto SchwarzFactor<Scalar, Ordinal, Offset, Space>::subdomains() const -> const SubdomainsType& {
  return state_->subdomains;
}

template <class Scalar, class Ordinal, class Offset, class Space>
const SchwarzOptions& SchwarzFactor<Scalar, Ordinal, Offset, Space>::options() const {
  return state_->options;
}

template <class Scalar, class Ordinal, class Offset, class Space>
SchwarzInfo SchwarzFactor<Scalar, Ordinal, Offset, Space>::info() const try {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  state_->read_info_later();
  return state_->info;
} catch (...) {
  parallel::rethrow_as_error(Space(), "terrace::SchwarzFactor::info");
}

template <class Scalar, class Ordinal, class Offset, class Space>
std::size_t SchwarzFactor<Scalar, Ordinal, Offset, Space>::bytes_held() const {
  return state_->info.bytes_held;
}

}  // namespace terrace

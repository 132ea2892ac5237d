// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every enumeration of the library with its values, and the values by their names.
#include <terrace/names.hpp>

#include <array>

namespace terrace {
namespace {

/// The last value of each enumeration; they count from zero without a gap.
template <class Enum>
inline constexpr Enum last{};
template <>
constexpr Algorithm last<Algorithm> = Algorithm::Blocked;
template <>
constexpr Diag last<Diag> = Diag::Unit;
template <>
constexpr ErrorCode last<ErrorCode> = ErrorCode::LibraryFailure;
template <>
constexpr Factorization last<Factorization> = Factorization::HermitianCholesky;
template <>
constexpr Format last<Format> = Format::Csc;
template <>
constexpr KrylovMethod last<KrylovMethod> = KrylovMethod::FlexibleGmres;
template <>
constexpr Op last<Op> = Op::ConjugateTranspose;
template <>
constexpr Ordering last<Ordering> = Ordering::Given;
template <>
constexpr PivotPolicy last<PivotPolicy> = PivotPolicy::Shift;
template <>
constexpr PreconditionerSide last<PreconditionerSide> = PreconditionerSide::Right;
template <>
constexpr Reuse last<Reuse> = Reuse::Once;
template <>
constexpr Scaling last<Scaling> = Scaling::Equilibrate;
template <>
constexpr StopReason last<StopReason> = StopReason::Stagnation;
template <>
constexpr Storage last<Storage> = Storage::Hec;
template <>
constexpr Stored last<Stored> = Stored::Full;
template <>
constexpr SweepAlgorithm last<SweepAlgorithm> = SweepAlgorithm::Wavefronts;
template <>
constexpr Symmetry last<Symmetry> = Symmetry::Symmetric;
template <>
constexpr Uplo last<Uplo> = Uplo::Upper;
template <>
constexpr BadBlocks last<BadBlocks> = BadBlocks::Diagonal;
template <>
constexpr FactorPrecision last<FactorPrecision> = FactorPrecision::Single;
template <>
constexpr LdltAlgorithm last<LdltAlgorithm> = LdltAlgorithm::Columns;
template <>
constexpr PartitionMethod last<PartitionMethod> = PartitionMethod::Given;
template <>
constexpr SchwarzAlgorithm last<SchwarzAlgorithm> = SchwarzAlgorithm::Solvers;
template <>
constexpr SchwarzVariant last<SchwarzVariant> = SchwarzVariant::Symmetric;

}  // namespace

template <class Enum>
std::span<const Enum> enumerators() {
  static constexpr auto values = [] {
    std::array<Enum, static_cast<std::size_t>(last<Enum>) + 1> all{};
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<Enum>(k);
    return all;
  }();
  return values;
}

template <class Enum>
std::optional<Enum> from_string(std::string_view name) {
  for (const Enum value : enumerators<Enum>())
    if (name == to_string(value)) return value;
  return std::nullopt;
}

template std::span<const Algorithm> enumerators();
template std::optional<Algorithm> from_string(std::string_view);
template std::span<const Diag> enumerators();
template std::optional<Diag> from_string(std::string_view);
template std::span<const ErrorCode> enumerators();
template std::optional<ErrorCode> from_string(std::string_view);
template std::span<const Factorization> enumerators();
template std::optional<Factorization> from_string(std::string_view);
template std::span<const Format> enumerators();
template std::optional<Format> from_string(std::string_view);
template std::span<const KrylovMethod> enumerators();
template std::optional<KrylovMethod> from_string(std::string_view);
template std::span<const Op> enumerators();
template std::optional<Op> from_string(std::string_view);
template std::span<const Ordering> enumerators();
template std::optional<Ordering> from_string(std::string_view);
template std::span<const PivotPolicy> enumerators();
template std::optional<PivotPolicy> from_string(std::string_view);
template std::span<const PreconditionerSide> enumerators();
template std::optional<PreconditionerSide> from_string(std::string_view);
template std::span<const Reuse> enumerators();
template std::optional<Reuse> from_string(std::string_view);
template std::span<const Scaling> enumerators();
template std::optional<Scaling> from_string(std::string_view);
template std::span<const StopReason> enumerators();
template std::optional<StopReason> from_string(std::string_view);
template std::span<const Storage> enumerators();
template std::optional<Storage> from_string(std::string_view);
template std::span<const Stored> enumerators();
template std::optional<Stored> from_string(std::string_view);
template std::span<const SweepAlgorithm> enumerators();
template std::optional<SweepAlgorithm> from_string(std::string_view);
template std::span<const Symmetry> enumerators();
template std::optional<Symmetry> from_string(std::string_view);
template std::span<const BadBlocks> enumerators();
template std::optional<BadBlocks> from_string(std::string_view);
template std::span<const FactorPrecision> enumerators();
template std::optional<FactorPrecision> from_string(std::string_view);
template std::span<const LdltAlgorithm> enumerators();
template std::optional<LdltAlgorithm> from_string(std::string_view);
template std::span<const PartitionMethod> enumerators();
template std::optional<PartitionMethod> from_string(std::string_view);
template std::span<const SchwarzAlgorithm> enumerators();
template std::optional<SchwarzAlgorithm> from_string(std::string_view);
template std::span<const SchwarzVariant> enumerators();
template std::optional<SchwarzVariant> from_string(std::string_view);
template std::span<const Uplo> enumerators();
template std::optional<Uplo> from_string(std::string_view);

const char* to_string(FactorPrecision precision) { return precision == FactorPrecision::Same ? "same" : "single"; }

const char* to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::NotSquare: return "not-square";
    case ErrorCode::InvalidRowMap: return "invalid-row-map";
    case ErrorCode::ColumnOutOfRange: return "column-out-of-range";
    case ErrorCode::WrongTriangle: return "wrong-triangle";
    case ErrorCode::DuplicateEntry: return "duplicate-entry";
    case ErrorCode::MissingDiagonal: return "missing-diagonal";
    case ErrorCode::SizeMismatch: return "size-mismatch";
    case ErrorCode::InvalidOption: return "invalid-option";
    case ErrorCode::InvalidFile: return "invalid-file";
    case ErrorCode::OutOfMemory: return "out-of-memory";
    case ErrorCode::InvalidGrid: return "invalid-grid";
    case ErrorCode::CrossesBoundary: return "crosses-boundary";
    case ErrorCode::NotAGrid: return "not-a-grid";
    case ErrorCode::NotSymmetric: return "not-symmetric";
    case ErrorCode::NotPositive: return "not-positive";
    case ErrorCode::BlockOutOfRange: return "block-out-of-range";
    case ErrorCode::LibraryFailure: return "library-failure";
  }
  return "unknown";
}

}  // namespace terrace

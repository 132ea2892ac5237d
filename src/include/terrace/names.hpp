// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options by name, so that an input file, a plug-in or a command line can say them: the reverse of to_string.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <terrace/error.hpp>
#include <terrace/ilu_options.hpp>
#include <terrace/krylov_options.hpp>
#include <terrace/ldlt_options.hpp>
#include <terrace/ordering.hpp>
#include <terrace/schwarz_options.hpp>
#include <terrace/stop_reason.hpp>
#include <terrace/structured_options.hpp>
#include <terrace/triangular_options.hpp>

namespace terrace {

/// All values of an enumeration of the library, in the order of their declaration.
///
///     for (const auto method : terrace::enumerators<terrace::KrylovMethod>()) std::puts(to_string(method));
template <class Enum>
std::span<const Enum> enumerators();

/// The value that to_string calls by this name; none where there is none.
///
///     options.method = terrace::from_string<terrace::KrylovMethod>("gmres").value();
template <class Enum>
std::optional<Enum> from_string(std::string_view name);

}  // namespace terrace

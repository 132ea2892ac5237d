// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The values of a pattern that was made of another one, from the other's values.
#pragma once

#include "parallel/loops.hpp"
#include "sparse/crs_graph.hpp"

namespace terrace::sparse {

template <class Scalar, class Offset>
struct FillValues {
  const Scalar* from;
  const Offset* source;
  Scalar* to;
  KOKKOS_FUNCTION void operator()(std::size_t position) const {
    const Offset at = source[position];
    to[position] = at == no_source<Offset> ? Scalar(0) : from[at];
  }
};

/// Enqueued. The views are of rank 1: values of the other pattern, the new pattern's sources, its values.
template <class Space, class From, class Source, class To>
void fill_values(const Space& space, const char* label, const From& from, const Source& source, const To& to) {
  using Kernel = FillValues<typename To::non_const_value_type, typename Source::non_const_value_type>;
  parallel::for_range(label, Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>>(space, 0, to.extent(0)),
                      Kernel{from.data(), source.data(), to.data()});
}

}  // namespace terrace::sparse

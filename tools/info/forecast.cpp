// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "info/forecast.hpp"

#include <built_types.hpp>
#include <terrace/ldlt.hpp>

#include "device/device_copy.hpp"

namespace terrace::tools {
namespace {

using Space = Kokkos::DefaultExecutionSpace;
using Device = Kokkos::Device<Space, Space::memory_space>;
using Symbolic = LdltSymbolic<int, WidestOffset, Space>;

}  // namespace

std::vector<OrderForecast> forecast_orders(const std::vector<std::size_t>& row_map, const std::vector<int>& entries,
                                           ProgressLine& progress) {
  const Space space;
  const auto rows_on_device = upload<Kokkos::View<WidestOffset*, Device>>("row_map", row_map);
  const auto entries_on_device = upload<Kokkos::View<int*, Device>>("entries", entries);
  const auto predict = [&](Ordering ordering) {
    progress.stage(std::string("ordering: ") + to_string(ordering));
    return Symbolic::predict(space, rows_on_device, entries_on_device, {.ordering = ordering});
  };
  const LdltSymbolicInfo automatic = predict(Ordering::Automatic);
  std::vector<OrderForecast> forecasts;
  for (const Ordering ordering : {Ordering::Natural, Ordering::ReverseCuthillMckee, Ordering::NestedDissection,
                                  Ordering::ApproximateMinimumDegree}) {
    OrderForecast forecast{ordering, automatic, {}, ordering == automatic.ordering};
    try {
      if (!forecast.is_automatic) forecast.info = predict(ordering);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::InvalidOption) throw;
      forecast.failure = error.what();
    }
    forecasts.push_back(forecast);
  }
  return forecasts;
}

}  // namespace terrace::tools

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Direct factorizations from arrays of a host, and the errors that come of them.
#pragma once

#include <functional>

#include "support/ldlt_case.hpp"

namespace terrace::test {

template <class Space>
class LdltInterface : public LdltFixture<Combination<double, int, Space>> {
 public:
  using Fixture = LdltFixture<Combination<double, int, Space>>;
  using Tested = Combination<double, int, Space>;
  using Arrays = reference::CompressedArrays<double>;
  using typename Fixture::Factor;
  using typename Fixture::Symbolic;
  using typename Fixture::Vector;

  static Arrays tridiagonal() { return {{0, 2, 5, 7}, {0, 1, 0, 1, 2, 1, 2}, {2, -1, -1, 2, -1, -1, 2}}; }

  static Symbolic analyze(const Arrays& arrays, const LdltSymbolicOptions& options = {}) {
    const DeviceArrays<Tested> device(arrays);
    return Symbolic(Space(), device.row_map, device.entries, options);
  }
  static Factor factorize(const Arrays& arrays, const LdltFactorOptions& options = {},
                          const LdltSymbolicOptions& symbolic_options = {}) {
    const DeviceArrays<Tested> device(arrays);
    return Factor(Space(), Symbolic(Space(), device.row_map, device.entries, symbolic_options), device.values, options);
  }

  /// An Error with this code, and row, whose message has all of the words.
  static void expect_error(ErrorCode code, std::optional<std::int64_t> row, const std::vector<std::string>& words,
                           const std::function<void()>& call) {
    try {
      call();
    } catch (const Error& error) {
      EXPECT_EQ(to_string(error.code()), std::string(to_string(code))) << error.what();
      EXPECT_EQ(error.line(), row) << error.what();
      for (const auto& word : words)
        EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what() << ": no " << word;
      return;
    }
    ADD_FAILURE() << "nothing was thrown: " << to_string(code);
  }
  static void expect_error(ErrorCode code, std::optional<std::int64_t> row, const std::vector<std::string>& words,
                           const Arrays& arrays, const LdltSymbolicOptions& options = {}) {
    expect_error(code, row, words, [&] { analyze(arrays, options); });
  }
};

}  // namespace terrace::test

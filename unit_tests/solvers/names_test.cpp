// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>
#include <terrace/names.hpp>

#include <set>
#include <string>

namespace terrace {
namespace {

template <class Enum>
class Names : public ::testing::Test {};

using Enumerations = ::testing::Types<Algorithm, Diag, ErrorCode, FactorPrecision, Factorization, Format, KrylovMethod,
                                      LdltAlgorithm, Op, Ordering, PivotPolicy, PreconditionerSide, Reuse, Scaling,
                                      StopReason, Storage, Stored, SweepAlgorithm, Symmetry, Uplo>;
TYPED_TEST_SUITE(Names, Enumerations);

TYPED_TEST(Names, AreUniqueAndLeadBackToTheirValues) {
  std::set<std::string> seen;
  for (const TypeParam value : enumerators<TypeParam>()) {
    const std::string name = to_string(value);
    EXPECT_NE(name, "unknown");
    EXPECT_TRUE(seen.insert(name).second) << name;
    EXPECT_EQ(from_string<TypeParam>(name), value) << name;
  }
  EXPECT_GE(seen.size(), 2u);
}

TYPED_TEST(Names, OfNothingAreNone) {
  EXPECT_EQ(from_string<TypeParam>(""), std::nullopt);
  EXPECT_EQ(from_string<TypeParam>("unknown"), std::nullopt);
  EXPECT_EQ(from_string<TypeParam>("no such name"), std::nullopt);
}

TEST(NamesOfOptions, AreThoseOfTheCommandLine) {
  EXPECT_EQ(from_string<KrylovMethod>("bicgstab"), KrylovMethod::BiCGStab);
  EXPECT_EQ(from_string<Ordering>("rcm"), Ordering::ReverseCuthillMckee);
  EXPECT_EQ(from_string<PivotPolicy>("shift"), PivotPolicy::Shift);
  EXPECT_EQ(from_string<Ordering>("amd"), Ordering::ApproximateMinimumDegree);
  EXPECT_EQ(from_string<Ordering>("automatic"), Ordering::Automatic);
  EXPECT_EQ(from_string<Ordering>("given"), Ordering::Given);
  EXPECT_EQ(from_string<Scaling>("equilibrate"), Scaling::Equilibrate);
  EXPECT_EQ(from_string<LdltAlgorithm>("multifrontal"), LdltAlgorithm::Multifrontal);
  EXPECT_EQ(from_string<LdltAlgorithm>("columns"), LdltAlgorithm::Columns);
}

}  // namespace
}  // namespace terrace

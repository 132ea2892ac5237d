// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A LinearOperator refers to a variable and owns what is handed over; and every factor fulfils the contract.
#include <gtest/gtest.h>
#include <terrace/terrace.hpp>

namespace terrace {
namespace {

using Space = Kokkos::DefaultHostExecutionSpace;
using Device = Kokkos::Device<Space, Space::memory_space>;
using Operator = LinearOperator<double, Space>;

static_assert(Factor<IluFactor<double, int, int, Space>, double, Space>);
static_assert(Factor<IlutFactor<double, int, int, Space>, double, Space>);
static_assert(Factor<StructuredFactor<double, Space>, double, Space>);
static_assert(!Factor<Operator, double, Space>);

/// y = scale x; counts those that live.
class Scale {
 public:
  static inline int alive = 0;

  explicit Scale(double factor) : factor_(factor) { ++alive; }
  Scale(Scale&& from) noexcept : factor_(from.factor_) { ++alive; }
  ~Scale() { --alive; }

  void set(double factor) { factor_ = factor; }
  void apply(const Space& space, const Operator::input_type& x, const Operator::output_type& y) const {
    const double factor = factor_;
    Kokkos::parallel_for(
        "scale", Kokkos::RangePolicy<Space>(space, 0, x.extent(0)), KOKKOS_LAMBDA(int i) { y(i) = factor * x(i); });
    space.fence("scale");
  }

 private:
  double factor_;
};

double applied_to_one(const Operator& A) {
  const Kokkos::View<double*, Device> x("x", 1), y("y", 1);
  x(0) = 1.0;
  A.apply(Space(), Operator::input_type(x), y);
  Space().fence("applied_to_one");
  return y(0);
}

Operator returned_from_a_function() { return Scale(5.0); }

TEST(LinearOperatorOwnership, RefersToAVariable) {
  Scale scale(2.0);
  const Operator A(scale);
  scale.set(3.0);
  EXPECT_EQ(applied_to_one(A), 3.0);
  EXPECT_EQ(Scale::alive, 1);
}

TEST(LinearOperatorOwnership, OwnsWhatIsMovedInAsLongAsACopyLives) {
  ASSERT_EQ(Scale::alive, 0);
  {
    Operator copy;
    {
      Scale scale(4.0);
      const Operator A(std::move(scale));
      copy = A;
    }
    EXPECT_EQ(Scale::alive, 1);
    EXPECT_EQ(applied_to_one(copy), 4.0);
    EXPECT_EQ(applied_to_one(returned_from_a_function()), 5.0);
  }
  EXPECT_EQ(Scale::alive, 0);
}

TEST(LinearOperatorOwnership, SharesWhatAPointerHolds) {
  ASSERT_EQ(Scale::alive, 0);
  auto scale = std::make_shared<Scale>(6.0);
  Operator A(scale);
  scale->set(7.0);
  scale.reset();
  EXPECT_EQ(applied_to_one(A), 7.0);
  A = {};
  EXPECT_EQ(Scale::alive, 0);
}

TEST(LinearOperatorOwnership, TakesANullPointerForTheIdentity) {
  const Operator A{std::shared_ptr<Scale>()};
  EXPECT_TRUE(A.is_identity());
  EXPECT_EQ(applied_to_one(A), 1.0);
}

}  // namespace
}  // namespace terrace

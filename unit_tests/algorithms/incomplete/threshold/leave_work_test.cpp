// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who leaves, under a clock that the test sets.
#include "algorithms/incomplete/threshold/leave_work.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace terrace::incomplete {
namespace {

struct SetClock {
  static inline double seconds = 0;
  static double now() { return seconds; }
};
using Account = WaitingAccount<SetClock>;

/// Waits for so many seconds, of which the clock shows none before the wait is a long one.
void wait(Account& account, double seconds) {
  int turns = 0;
  const double end = SetClock::seconds + seconds;
  EXPECT_TRUE(account.wait([&] { return turns > Account::turns_of_short_wait; },
                           [&](int& turn) {
                             turns = ++turn;
                             if (turn > Account::turns_of_short_wait) SetClock::seconds = end;
                             return true;
                           }));
}

void work(double seconds) { SetClock::seconds += seconds; }

TEST(WaitingAccount, AWorkerThatWaitsForMostOfItsTimeLeaves) {
  unsigned left = 0;
  Account account(1, 2);
  EXPECT_FALSE(account.leaves(left));
  work(2e-3);
  wait(account, 8e-3);
  EXPECT_TRUE(account.leaves(left));
  EXPECT_EQ(left, 1u);
}

TEST(WaitingAccount, OneThatWorksStaysAndIsJudgedAnew) {
  unsigned left = 0;
  Account account(1, 2);
  EXPECT_FALSE(account.leaves(left));
  work(5e-3);
  wait(account, 8e-3);
  EXPECT_FALSE(account.leaves(left));
  wait(account, 6e-3);
  EXPECT_TRUE(account.leaves(left));
}

TEST(WaitingAccount, ShortWaitsAreForgiven) {
  unsigned left = 0;
  Account account(1, 2);
  EXPECT_FALSE(account.leaves(left));
  wait(account, 4e-3);
  EXPECT_FALSE(account.leaves(left));
}

TEST(WaitingAccount, TheyLeaveOneByOneAndTheFirstStays) {
  unsigned left = 0;
  std::vector<Account> accounts{Account(0, 3), Account(1, 3), Account(2, 3)};
  for (auto& account : accounts) EXPECT_FALSE(account.leaves(left));
  wait(accounts[0], 0.1);
  wait(accounts[1], 0.1);
  wait(accounts[2], 1.0);
  EXPECT_FALSE(accounts[0].leaves(left));
  EXPECT_FALSE(accounts[1].leaves(left));
  EXPECT_TRUE(accounts[2].leaves(left));
  EXPECT_FALSE(accounts[1].leaves(left)) << "what it waited before the last one left does not count";
  wait(accounts[1], 1.0);
  EXPECT_TRUE(accounts[1].leaves(left));
  EXPECT_EQ(left, 2u);
  wait(accounts[0], 1.0);
  EXPECT_FALSE(accounts[0].leaves(left));
}

TEST(WaitingAccount, GivesUpWithWhatIsWaitedFor) {
  Account account(1, 2);
  EXPECT_FALSE(account.wait([] { return false; }, [](int&) { return false; }));
}

}  // namespace
}  // namespace terrace::incomplete

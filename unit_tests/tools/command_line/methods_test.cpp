// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "command_line/methods.hpp"

#include <gtest/gtest.h>

#include "command_line/failure.hpp"

namespace terrace::tools {
namespace {

TEST(Methods, NamesOfPreconditionersSetFactorizationAndNumbers) {
  const Preconditioner iluk = parse_preconditioner("iluk:2");
  ASSERT_NE(iluk.level_of_fill(), nullptr);
  EXPECT_EQ(iluk.factorization, Factorization::Lu);
  EXPECT_EQ(iluk.level_of_fill()->level, 2);
  EXPECT_EQ(iluk.level_of_fill()->relaxation, 0.0);
  const Preconditioner ict = parse_preconditioner("ict:5,1e-3");
  ASSERT_NE(ict.thresholds(), nullptr);
  EXPECT_EQ(ict.factorization, Factorization::HermitianCholesky);
  EXPECT_EQ(ict.thresholds()->fill, 5);
  EXPECT_EQ(ict.thresholds()->drop_tolerance, 1e-3);
  EXPECT_EQ(ict.word, "ict:5,1e-3");
  EXPECT_FALSE(parse_preconditioner("none").exists());
}

TEST(Methods, ModifiedFactorizationsTakeAShareOrAll) {
  EXPECT_EQ(parse_preconditioner("mic").level_of_fill()->relaxation, 1.0);
  EXPECT_EQ(parse_preconditioner("mic:0.95").level_of_fill()->relaxation, 0.95);
  EXPECT_EQ(parse_preconditioner("milu:0").level_of_fill()->relaxation, 0.0);
}

TEST(Methods, WordsThatAreNoPreconditionerAreNamed) {
  for (const char* word :
       {"", "lu", "ilu0:1", "none:1", "mic:", "mic:1.5", "mic:-0.1", "mic:x", "iluk", "iluk:", "iluk:-1",
        "iluk:99999999999", "ilut:5", "ilut:5,", "ilut:,1", "ilut:5,nan", "ilut:5,inf", "ilut:5,1,2"}) {
    try {
      parse_preconditioner(word);
      ADD_FAILURE() << word;
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find("'" + std::string(word) + "'"), std::string::npos) << error.what();
    }
  }
}

TEST(Methods, SolversTakeARestartWhereTheyRestart) {
  EXPECT_EQ(parse_solver("gmres:20").restart, 20);
  EXPECT_EQ(parse_solver("bicgstab").method, KrylovMethod::BiCGStab);
  for (const char* word : {"gmres", "gmres:", "gmres:0", "gmres:x", "cg:2", "jacobi"})
    EXPECT_THROW(parse_solver(word), UsageError) << word;
}

TEST(Methods, EveryWordOfTheHelpIsUnderstood) {
  std::string words = preconditioner_words();
  EXPECT_EQ(words.substr(0, 15), "none|ilu0|ic0|m");
  for (const char* name : {"milu[:RELAX]", "mic[:RELAX]", "iluk:K", "ick:K", "ilut:P,TAU", "ict:P,TAU"})
    EXPECT_NE(words.find(name), std::string::npos) << name;
}

}  // namespace
}  // namespace terrace::tools

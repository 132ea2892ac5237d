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

TEST(Methods, SchwarzMethodsHaveBlocksAndOverlap) {
  const Preconditioner chosen = parse_preconditioner("ras");
  ASSERT_TRUE(chosen.schwarz);
  EXPECT_EQ(chosen.schwarz->blocks, 0);
  EXPECT_EQ(chosen.schwarz->overlap, 1);
  const Preconditioner given = parse_preconditioner("ras:512,2");
  ASSERT_TRUE(given.schwarz && given.exists());
  EXPECT_EQ(given.schwarz->blocks, 512);
  EXPECT_EQ(given.schwarz->overlap, 2);
  EXPECT_EQ(word_of(*given.schwarz), given.word);
  EXPECT_EQ(parse_preconditioner("ras:8").schwarz->overlap, 1);
  EXPECT_FALSE(parse_preconditioner("ilu0").schwarz);
  for (const char* word : {"ras:", "ras:-1", "ras:8,", "ras:,1", "ras:8,-1", "ras:8,1,2", "ras:x", "ras:99999999999"})
    EXPECT_THROW(parse_preconditioner(word), UsageError) << word;
}

TEST(Methods, BlocksAreEveryFactorization) {
  EXPECT_EQ(parse_block("ick:2").level_of_fill()->level, 2);
  EXPECT_EQ(parse_block("ict:5,0.1").thresholds()->fill, 5);
  for (const char* word : {"", "none", "ras:2", "iluk"}) EXPECT_THROW(parse_block(word), UsageError) << word;
}

TEST(Methods, PartitionsAreMetisBoxesOrAFile) {
  EXPECT_EQ(parse_partition("metis").method, PartitionMethod::Metis);
  const PartitionChoice boxes = parse_partition("boxes:2,3,4");
  EXPECT_EQ(boxes.method, PartitionMethod::Boxes);
  EXPECT_EQ(boxes.boxes, (Grid{2, 3, 4}));
  EXPECT_EQ(parse_partition("boxes:2,3").boxes.nz, 1);
  EXPECT_EQ(parse_partition("numbers.txt").method, PartitionMethod::Given);
  EXPECT_EQ(parse_partition("./metis").word, "./metis");
  for (const char* word : {"", "boxes", "boxes:2", "boxes:2,0", "boxes:2,3,4,5", "boxes:2,", "boxes:x,y"})
    EXPECT_THROW(parse_partition(word), UsageError) << word;
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

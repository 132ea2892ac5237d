// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/harness/measure.hpp"

#include <gtest/gtest.h>

namespace terrace::perf {
namespace {

/// Methods write down what is asked of them; 1 is the right result.
class Diary final : public Problem {
 public:
  Counters counters() const override { return {}; }
  double check(const std::string&, Phase, const std::vector<double>& result) override {
    entries.push_back("check");
    if (result[0] != 1.0) throw std::runtime_error("wrong");
    return 0.25;
  }
  std::vector<std::string> entries;
};

class Writer final : public Method {
 public:
  Writer(Diary& diary, std::string name, double result) : diary_(diary), name_(std::move(name)), result_(result) {}
  ~Writer() override { diary_.entries.push_back(name_ + " gone"); }
  void prepare(Phase) override { diary_.entries.push_back(name_ + " prepare"); }
  void run(Phase, int steps) override { diary_.entries.push_back(name_ + " run " + std::to_string(steps)); }
  void wait() override { diary_.entries.push_back(name_ + " wait"); }
  std::vector<double> result(Phase phase) override {
    return phase == Phase::Analysis ? std::vector<double>() : std::vector<double>{result_};
  }
  Facts facts() const override { return {name_ + " chose", 8.0}; }

 private:
  Diary& diary_;
  std::string name_;
  double result_;
};

Entry writer(const std::string& name, std::vector<Phase> phases, double result = 1.0) {
  return {name, "", std::move(phases), make_on<Diary, Writer>(name, result)};
}

Case of(std::vector<Timing> phases, std::vector<Entry> methods) {
  return {"case", std::move(phases), std::move(methods), [] { return std::make_unique<Diary>(); }};
}

using Entries = std::vector<std::string>;

TEST(MeasureInTurns, TakesASampleOfEachMethodThenTheNextOfEach) {
  Diary diary;
  const auto measured =
      measure_in_turns(of({{.phase = Phase::Solve, .name = "solve", .repetitions = 2, .is_warmed_up = false}},
                          {writer("a", {Phase::Solve}), writer("b", {Phase::Solve})}),
                       diary);
  EXPECT_EQ(diary.entries,
            (Entries{"a prepare", "a wait", "a run 1", "a wait", "b prepare", "b wait", "b run 1", "b wait",  //
                     "a prepare", "a wait", "a run 1", "a wait", "b prepare", "b wait", "b run 1", "b wait",  //
                     "check",     "a gone", "check",   "b gone"}));
  ASSERT_EQ(measured.size(), 2u);
  EXPECT_EQ(measured[0].seconds.at(Phase::Solve).size(), 2u);
  EXPECT_EQ(measured[1].seconds.at(Phase::Solve).size(), 2u);
  EXPECT_EQ(measured[0].errors.at(Phase::Solve), 0.25);
  EXPECT_EQ(measured[1].facts.label, "b chose");
}

TEST(MeasureInTurns, ChecksAnUntimedRunBeforeTheFirstSample) {
  Diary diary;
  measure_in_turns(of({{.phase = Phase::Solve, .name = "solve", .repetitions = 1}}, {writer("a", {Phase::Solve})}),
                   diary);
  EXPECT_EQ(diary.entries, (Entries{"a prepare", "a run 1", "a wait", "check",            //
                                    "a prepare", "a wait", "a run 1", "a wait", "check",  //
                                    "a gone"}));
}

TEST(MeasureInTurns, ChecksNoResultThatAnUntimedRunMayHaveLeft) {
  Diary diary;
  measure_in_turns(
      of({{.phase = Phase::Solve, .name = "solve", .repetitions = 1, .is_warmed_up = false, .steps_before = 1}},
         {writer("a", {Phase::Solve})}),
      diary);
  EXPECT_EQ(diary.entries, (Entries{"a prepare", "a run 1", "a wait", "a run 1", "a wait",  //
                                    "a prepare", "a run 1", "a wait", "check",              //
                                    "a gone"}));
}

TEST(MeasureInTurns, SubtractsAShorterRunThatStartsAlike) {
  Diary diary;
  measure_in_turns(of({{.phase = Phase::BiCGStab,
                        .name = "iteration",
                        .repetitions = 1,
                        .is_warmed_up = false,
                        .steps_before = 5,
                        .steps = 20,
                        .fewer_steps = 4,
                        .checked_steps = 3}},
                      {writer("a", {Phase::BiCGStab})}),
                   diary);
  EXPECT_EQ(diary.entries, (Entries{"a prepare", "a run 5", "a wait", "a run 4", "a wait",   //
                                    "a prepare", "a run 5", "a wait", "a run 20", "a wait",  //
                                    "a prepare", "a run 3", "a wait", "check", "a gone"}));
}

TEST(MeasureInTurns, RunsAgainUntilASampleTakesLongEnough) {
  Diary diary;
  measure_in_turns(
      of({{.phase = Phase::Apply, .name = "apply", .repetitions = 1, .is_warmed_up = false, .least_seconds = 1e-3}},
         {writer("a", {Phase::Apply})}),
      diary);
  EXPECT_GT(std::count(diary.entries.begin(), diary.entries.end(), "a run 1"), 3);
  EXPECT_EQ(std::count(diary.entries.begin(), diary.entries.end(), "a wait"), 4) << "before and after probe and sample";
}

TEST(MeasureInTurns, GivesUpAMethodWithAWrongResultAndMeasuresTheOthers) {
  Diary diary;
  const auto measured = measure_in_turns(of({{.phase = Phase::Solve, .name = "solve", .repetitions = 3}},
                                            {writer("wrong", {Phase::Solve}, 2.0), writer("right", {Phase::Solve})}),
                                         diary);
  EXPECT_EQ(measured[0].failure, "wrong");
  EXPECT_TRUE(measured[0].seconds.empty());
  EXPECT_FALSE(measured[0].is_left_out);
  EXPECT_EQ(measured[1].failure, "");
  EXPECT_EQ(measured[1].seconds.at(Phase::Solve).size(), 3u);
}

TEST(MeasureInTurns, SaysWhichMethodIsLeftOut) {
  Diary diary;
  Entry entry = writer("a", {Phase::Solve});
  entry.make = [](Problem&) -> std::unique_ptr<Method> { throw LeftOut("too large"); };
  const auto measured =
      measure_in_turns(of({{.phase = Phase::Solve, .name = "solve", .repetitions = 1}}, {entry}), diary);
  EXPECT_TRUE(measured[0].is_left_out);
  EXPECT_EQ(measured[0].failure, "too large");
}

TEST(MeasureInTurns, KeepsAMethodFromItsFirstPhaseToItsLast) {
  Diary diary;
  const std::vector<Timing> phases{
      {.phase = Phase::Analysis, .name = "analysis", .repetitions = 0, .is_warmed_up = false},
      {.phase = Phase::Solve, .name = "solve", .repetitions = 0, .is_warmed_up = false},
      {.phase = Phase::Apply, .name = "apply", .repetitions = 0, .is_warmed_up = false}};
  measure_in_turns(of(phases, {writer("a", {Phase::Analysis, Phase::Solve}), writer("b", {Phase::Apply})}), diary);
  EXPECT_EQ(diary.entries, (Entries{"check", "a gone", "check", "b gone"}));
}

}  // namespace
}  // namespace terrace::perf

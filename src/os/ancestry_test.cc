#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "os/process.h"
#include "os/process_tree.h"
#include "os/pseudo_terminal.h"

namespace belay {
namespace {

TEST(AncestryTest, BeginsWithTheProcessAndItsParentAndEndsWithTheFirstOfAll) {
  const Ancestry found = AncestryOf(getpid(), {"PATH"});
  ASSERT_GE(found.chain.size(), 2U);
  EXPECT_EQ(found.chain[0].process.pid, getpid());
  EXPECT_EQ(found.chain[1].process.pid, getppid());
  EXPECT_EQ(found.chain[0].process, *IdentityOf(getpid()));
  EXPECT_NE(found.end, Ancestry::End::kLost);
  EXPECT_EQ(found.chain[0].variables.at("PATH"), getenv("PATH"));
  EXPECT_EQ(found.chain[0].program, ProgramFileOf(getpid()));
  EXPECT_FALSE(found.chain[0].command.empty());
}

TEST(AncestryTest, TheQuickLookSeesTheSameProcesses) {
  const Ancestry whole = AncestryOf(getpid(), {"PATH"});
  const std::vector<AncestorId> above = AncestorIds(getpid(), 100);
  ASSERT_GE(whole.chain.size(), above.size() + 1);
  for (std::size_t i = 0; i < above.size(); ++i) {
    const ProcessIdentity& same = whole.chain[i + 1].process;
    EXPECT_EQ(above[i], (AncestorId{same.pid, same.start_time}));
  }
  EXPECT_EQ(AncestorIds(getpid(), 1).size(), 1U);
  EXPECT_EQ(AncestorIds(getpid(), 1).at(0).pid, getppid());
  EXPECT_TRUE(AncestorIds(0, 10).empty());
}

TEST(AncestryTest, TheFileOfAProgramIsKnown) {
  EXPECT_TRUE(ProgramFileOf(getpid()).ends_with("os_test")) << ProgramFileOf(getpid());
  EXPECT_EQ(ProgramFileOf(0), "");
}

TEST(AncestryTest, AMissingProcessHasNoAncestors) {
  auto process = Process::Spawn({.command = {"true"}});
  ASSERT_TRUE(process.has_value());
  (void)process->Wait();
  const Ancestry found = AncestryOf(process->pid(), {"PATH"});
  EXPECT_TRUE(found.chain.empty());
  EXPECT_EQ(found.end, Ancestry::End::kLost);
}

// The variable at its start counts, and only an exact name.
TEST(AncestryTest, AVariableThatWasUnsetIsStillSeen) {
  const Result<PseudoTerminal> terminal = PseudoTerminal::Open({});
  ASSERT_TRUE(terminal.ok());
  auto shell = HeldProcess::Start({{"sh", "-c", "unset MINE; echo unset; read x"},
                                   "/",
                                   {{"PATH", getenv("PATH")}, {"MINE", "a=b"}, {"MINES", "c"}}},
                                  *terminal);
  ASSERT_TRUE(shell.has_value());
  ASSERT_TRUE(shell->LetGo().has_value());
  const Ancestry found = AncestryOf(shell->process().pid(), {"MINE"});
  EXPECT_EQ(found.chain.at(0).variables.at("MINE"), "a=b");
  EXPECT_TRUE(found.chain.at(1).variables.empty());
  EXPECT_TRUE(found.at_terminal);
  EXPECT_TRUE(AncestryOf(shell->process().pid(), {"INE"}).chain.at(0).variables.empty());
  (void)shell->process().Signal(SIGKILL);
  (void)shell->process().Wait();
}

TEST(AncestryTest, ASessionOfItsOwnHasNoTerminal) {
  auto process = Process::Spawn({.command = {"sleep", "600"}, .group = SpawnGroup::kNewSession});
  ASSERT_TRUE(process.has_value());
  EXPECT_FALSE(AncestryOf(process->pid(), {"PATH"}).at_terminal);
  (void)process->Signal(SIGKILL);
  (void)process->Wait();
}

}  // namespace
}  // namespace belay

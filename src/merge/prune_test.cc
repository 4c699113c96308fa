#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "ledger/merge_ledger.h"
#include "merge/entry_refs.h"
#include "merge/merge_env.h"
#include "os/program.h"
#include "store/durable_file.h"
#include "testing/fake_clock.h"
#include "testing/git_repository.h"

namespace belay {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr Duration kDay = std::chrono::hours(24);
constexpr Duration kKeep = 30 * kDay;

class PruneTest : public ::testing::Test {
 protected:
  PruneTest() {
    for (const std::string& folder : {project_.JournalFolder(), project_.LockFolder(),
                                      project_.StateRoot(), project_.MergeLogFolder()}) {
      std::filesystem::create_directories(folder);
    }
  }

  // In that status since now, with its own commit and a log.
  void Add(MergeStatus status, bool settled = true) {
    const std::string name = "b" + std::to_string(++added_);
    const std::string commit =
        Line(repo_.Git({"commit-tree", "-p", "main", "-m", name, "main^{tree}"}));
    const Result<MergeLock> lock = MergeLedger::Lock(files_, project_);
    const Result<MergeEntry> entry =
        ledger_.Add(*lock, {.identity_name = "", .branch = name, .target = "main", .head = commit},
                    "requested");
    ASSERT_TRUE(entry.ok());
    ASSERT_TRUE(ledger_
                    .Change(*lock, entry->number, "so it is",
                            [&](MergeEntry& changed, MergeTarget&) -> Result<void> {
                              changed.status = status;
                              changed.reported = settled;
                              return {};
                            })
                    .ok());
    repo_.Git({"update-ref", EntryRef(*entry, "head"), commit});
    Log(entry->id() + "-0123456789-test-1.log");
  }
  void Log(const std::string& name) {
    const std::string path = project_.MergeLogFolder() + "/" + name;
    ASSERT_TRUE(ReplaceFile(files_, path, "said\n").ok());
    const auto since = clock_.Wall().time_since_epoch();
    std::filesystem::last_write_time(
        path, std::filesystem::file_time_type(
                  std::chrono::file_clock::from_sys(std::chrono::sys_time<std::chrono::nanoseconds>(
                      std::chrono::duration_cast<std::chrono::nanoseconds>(since)))));
  }
  Pruned Prune() {
    const Result<Pruned> pruned =
        PruneEnded({files_, project_, git_}, ledger_.book(), clock_.Wall(), kKeep);
    EXPECT_TRUE(pruned.ok()) << pruned.error().message;
    return pruned ? *pruned : Pruned{};
  }
  // The entries that have a head.
  std::vector<std::string> Heads() {
    std::vector<std::string> ids;
    std::string refs = repo_.Git({"for-each-ref", "--format=%(refname:lstrip=3)", "refs/belay"});
    for (std::size_t end = 0; (end = refs.find('\n')) != std::string::npos;) {
      ids.push_back(refs.substr(0, refs.find('/')));
      refs.erase(0, end + 1);
    }
    return ids;
  }
  std::vector<std::string> Logs() {
    std::vector<std::string> names;
    for (const auto& file : std::filesystem::directory_iterator(project_.MergeLogFolder())) {
      const std::string name = file.path().filename();
      names.push_back(name.substr(0, name.find('-')));
    }
    return names;
  }
  static std::string Line(const std::string& text) { return text.substr(0, text.find('\n')); }
  static Environment GitEnvironment() {
    Environment::Variables variables = {{"PATH", getenv("PATH")}};
    for (const auto& [name, value] : GitRepository::Environment()) variables.emplace(name, value);
    return Environment(variables);
  }

  GitRepository repo_;
  RealFileCalls calls_;
  FileSystem files_{calls_};
  FakeClock clock_;
  PosixPrograms programs_;
  Layout project_{repo_.path(), repo_ / ".git"};
  Git git_{programs_, GitEnvironment(), repo_.path()};
  MergeLedger ledger_{files_, clock_, project_};
  int added_ = 0;
};

TEST_F(PruneTest, WhatEndedIsKeptForItsTimeAndThenGoes) {
  Add(MergeStatus::kMerged);
  Add(MergeStatus::kCancelled);
  clock_.Advance(kKeep - std::chrono::minutes(1));
  EXPECT_EQ(Prune(), (Pruned{0, 0}));
  EXPECT_THAT(Heads(), ElementsAre("m1", "m2"));
  EXPECT_THAT(Logs(), UnorderedElementsAre("m1", "m2"));
  clock_.Advance(std::chrono::minutes(2));
  EXPECT_EQ(Prune(), (Pruned{2, 2}));
  EXPECT_THAT(Heads(), IsEmpty());
  EXPECT_THAT(Logs(), IsEmpty());
  EXPECT_EQ(Prune(), (Pruned{0, 0}));
}

TEST_F(PruneTest, QueuedAndParkedEntriesStayHoweverOldTheyAre) {
  for (const MergeStatus status :
       {MergeStatus::kQueued, MergeStatus::kRebasing, MergeStatus::kTesting, MergeStatus::kMerging,
        MergeStatus::kConflict, MergeStatus::kGateFailed, MergeStatus::kGateUnrunnable,
        MergeStatus::kTargetMoved}) {
    Add(status);
  }
  clock_.Advance(100 * kKeep);
  EXPECT_EQ(Prune(), (Pruned{0, 0}));
  EXPECT_EQ(Heads().size(), 8U);
  EXPECT_EQ(Logs().size(), 8U);
}

TEST_F(PruneTest, TheHeadStaysWhileSomethingIsLeftToDo) {
  Add(MergeStatus::kMerged, false);
  clock_.Advance(2 * kKeep);
  EXPECT_EQ(Prune().heads, 0U);
  EXPECT_THAT(Heads(), ElementsAre("m1"));
}

TEST_F(PruneTest, LogsOfTheTargetGoByTheirAgeAndOtherFilesStay) {
  Log("main-0123456789-test-1.log");
  Log("m12-0123456789-test-1.log");  // of an unknown entry
  Log("notes.txt");
  clock_.Advance(kKeep + kDay);
  Log("main-9876543210-test-1.log");
  EXPECT_EQ(Prune(), (Pruned{0, 2}));
  EXPECT_THAT(Logs(), UnorderedElementsAre("notes.txt", "main"));
}

// The book forgets the oldest; then only git knows whether they have landed.
TEST_F(PruneTest, TheHeadOfAForgottenEntryIsRemovedOnlyIfTheTargetHasTheCommit) {
  Add(MergeStatus::kMerged);
  Add(MergeStatus::kMerged);
  repo_.Git({"update-ref", "refs/belay/merge/m2/head", "main"});
  const Result<MergeLock> lock = MergeLedger::Lock(files_, project_);
  ASSERT_TRUE(
      ledger_.ChangeTarget(*lock, "main", "seen", [](MergeTarget& target) { target.green = true; })
          .ok());
  MergeBook forgetful;
  for (const auto& [branch, target] : ledger_.book().targets()) {
    forgetful.Apply(TargetRecord(clock_.Wall(), "snapshot", target));
  }
  MergeEntry third{.number = 3, .identity_name = "", .branch = "c", .target = "main"};
  forgetful.Apply(EntryRecord(clock_.Wall(), "snapshot", third));
  repo_.Git({"update-ref", "refs/belay/merge/m4/head", "main"});  // about to be added
  const Result<Pruned> pruned =
      PruneEnded({files_, project_, git_}, forgetful, clock_.Wall(), kKeep);
  ASSERT_TRUE(pruned.ok()) << pruned.error().message;
  EXPECT_THAT(Heads(), ElementsAre("m1", "m4"));
}

}  // namespace
}  // namespace belay

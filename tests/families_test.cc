// What must hold of every family of records: the loops go over the table of them.

#include <gmock/gmock.h>

#include "guard_sandbox.h"
#include "ledger/test_families.h"
#include "store/rendering.h"

namespace belay {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class FamiliesTest : public GuardSandbox {
 protected:
  void SetUp() override {
    GuardSandbox::SetUp();
    // The first one of the project's own journal is from init.
    AppendSamplesOfAll(FamilyList(), files_, clock_, project_, 5, 1);
  }
  // As rm -rf does, also if a guardian writes at the same time.
  void Wipe() {
    ASSERT_TRUE(Await([&] { return files_.RemoveTree(project_.StateRoot()).ok(); }));
  }
  // Those that are not as the journals say: "merge-queue.json ...".
  std::string Odd() {
    std::string odd;
    Ledgers ledgers(files_, clock_, project_);
    for (AnyLedger* ledger : ledgers.all()) {
      EXPECT_TRUE(ledger->CatchUp().ok()) << ledger->journal();
      std::size_t count = 0;
      (void)ledger->EachRendering([&](const Rendering& one) -> Result<void> {
        const auto state = InspectRendering(files_, one.path, one.record());
        if (!state || *state != RenderingState::kCurrent) odd += one.path + " ";
        ++count;
        return {};
      });
      EXPECT_EQ(count > 0, FindFamily(ledger->journal())->rendered) << ledger->journal();
    }
    return odd;
  }
};

TEST_F(FamiliesTest, DoctorSaysWhatIsMissingAndRepairWritesAllOfItAgain) {
  ASSERT_EQ(Belay({"doctor", "--repair"}).exit_code, 0);
  EXPECT_EQ(Odd(), "");
  Ledgers ledgers(files_, clock_, project_);
  for (AnyLedger* ledger : ledgers.all()) {
    ASSERT_TRUE(ledger->CatchUp().ok());
    std::string first;
    (void)ledger->EachRendering([&](const Rendering& one) -> Result<void> {
      if (first.empty()) first = one.path;
      return {};
    });
    if (first.empty()) continue;
    ASSERT_TRUE(files_.RemoveFile(first).ok());
    EXPECT_THAT(Belay({"doctor"}).out, HasSubstr(first.substr(first.rfind('/') + 1)));
    const RunOutcome repaired = Belay({"doctor", "--repair"});
    EXPECT_THAT(repaired.out, HasSubstr(first.substr(first.rfind('/') + 1)));
    EXPECT_EQ(Odd(), "") << ledger->journal();
  }
  Wipe();
  EXPECT_EQ(Belay({"doctor", "--repair"}).exit_code, 0);
  EXPECT_EQ(Odd(), "");
}

TEST_F(FamiliesTest, AGuardianWritesAgainWhateverIsWiped) {
  StartGuardian();
  EXPECT_TRUE(AwaitInStateRoot([&] { return Odd().empty(); })) << Odd();
  Wipe();
  EXPECT_TRUE(AwaitInStateRoot([&] { return Odd().empty(); })) << Odd();
}

TEST_F(FamiliesTest, RepairSetsDamageOfOneFamilyAsideAndTheOthersGoOn) {
  ASSERT_EQ(Belay({"doctor", "--repair"}).exit_code, 0);
  for (const Family& family : Families()) {
    DamageJournal(files_, project_, family.journal, 2);
    const RunOutcome log = Belay({"log"});
    EXPECT_NE(log.exit_code, 0) << family.journal;
    for (const Family& other : Families()) EXPECT_THAT(log.out, HasSubstr(other.journal));
    Wipe();
    const RunOutcome repaired = Belay({"doctor", "--repair"});
    EXPECT_EQ(repaired.exit_code, 0) << repaired.out << repaired.err;
    EXPECT_THAT(repaired.out, HasSubstr("1 damaged line set aside"));
    EXPECT_TRUE(files_.Inspect(project_.JournalFile(family.journal) + ".damaged-1").ok());
    EXPECT_EQ(Odd(), "") << family.journal;
    EXPECT_EQ(Belay({"log"}).exit_code, 0) << family.journal;
  }
}

TEST_F(FamiliesTest, LogAndWhyTellAlsoOfWhatWasCompacted) {
  AppendSamples<HookFamily>(files_, clock_, project_, 2000);
  const std::string log = Belay({"log"}).out;
  const std::string why = Belay({"why", "worker-a"}).out;
  Ledgers ledgers(files_, clock_, project_);
  EXPECT_TRUE(*ledgers.Get<HookFamily>().CompactIfLarge(*HookLedger::Lock(files_, project_)));
  EXPECT_EQ(Belay({"log"}).out, log);
  EXPECT_EQ(Belay({"why", "worker-a"}).out, why);
  EXPECT_THAT(Belay({"log", "--since", "2100-01-01T00:00:00Z"}).out, Not(HasSubstr("hooks")));
}

}  // namespace
}  // namespace belay

// What must hold of every family of records: the loops go over the table of them.

#include <gmock/gmock.h>

#include <map>

#include "app/state_files.h"
#include "guard_sandbox.h"
#include "ledger/test_families.h"
#include "store/archive.h"
#include "store/durable_file.h"
#include "store/rendering.h"

namespace belay {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// What a careless program may do to a file of the state root.
struct Spoiling {
  std::string_view what;
  std::string_view script;  // of sh, in the file's folder; $0 is its name
  std::string_view doctor;  // what doctor says of it
  bool kept;                // something of it is kept
};
constexpr Spoiling kSpoilings[] = {
    {"edited", "echo x >>\"$0\"", "edited by hand", true},
    // In one step: a guardian may see a truncated file, which counts as lost.
    {"overwritten", "pwd 1<>\"$0\"", "edited by hand", true},
    {"deleted", "rm \"$0\"", "missing", false},
    {"a link", "ln -sf /etc/hostname \"$0\"", "unreadable", true},
    // A guardian may be quicker with a new file: then once more.
    {"a folder",
     "d=$(mktemp -d -p \"$(git rev-parse --show-toplevel)\"); echo mine >\"$d/mine\"\n"
     "until rm -f \"$0\" && mv -T \"$d\" \"$0\" 2>&-; do :; done",
     "unreadable", true},
    {"unreadable", "chmod 000 \"$0\"", "unreadable", true},
};

class FamiliesTest : public GuardSandbox {
 protected:
  void SetUp() override {
    GuardSandbox::SetUp();
    // The first one of the project's own journal is from init.
    AppendSamplesOfAll(FamilyList(), files_, clock_, project_, 5, 1);
  }
  // As a ledger that records: the archive knows of every journal.
  void BeginAll() { BeginEach(FamilyList()); }
  template <class... F>
  void BeginEach(FamilyNames<F...>) {
    (Begin<F>(), ...);
  }
  template <class F>
  void Begin() {
    const auto lock = F::LedgerClass::Lock(files_, project_);
    LedgerJournal journal(files_, project_, F::kJournal);
    ASSERT_TRUE(journal.Append(*lock, {}, {}).ok());
  }
  // Of every family, however large its journal is.
  void CompactAll() { CompactEach(FamilyList()); }
  template <class... F>
  void CompactEach(FamilyNames<F...>) {
    (Compact<F>(), ...);
  }
  template <class F>
  void Compact() {
    const auto lock = F::LedgerClass::Lock(files_, project_);
    Ledgers ledgers(files_, clock_, project_);
    ASSERT_TRUE(ledgers.Get<F>().CatchUp().ok());
    LedgerJournal journal(files_, project_, F::kJournal, 1);
    const auto book = [&] { return std::vector<Json>{SampleRecord<F>(clock_.Wall(), 0)}; };
    ASSERT_TRUE(*journal.CompactIfLarge(*lock, {}, book)) << F::kJournal;
  }
  std::string FirstRendering(AnyLedger& ledger) {
    EXPECT_TRUE(ledger.CatchUp().ok());
    std::string first;
    (void)ledger.EachRendering([&](const Rendering& one) -> Result<void> {
      if (first.empty()) first = one.path;
      return {};
    });
    return first;
  }
  void Sh(std::string_view script, const std::string& path) {
    const std::size_t slash = path.rfind('/');
    const RunOutcome done = RunReal({"sh", "-ec", std::string(script), path.substr(slash + 1)},
                                    {.folder = path.substr(0, slash)});
    ASSERT_EQ(done.exit_code, 0) << done.err;
  }
  std::size_t Kept() {
    const auto names = files_.List(project_.EditedFolder());
    return names ? names->size() : 0;
  }
  // As it was before a fault and its repair: every family has records, and the archive knows.
  void SetUpAgain() {
    ASSERT_EQ(Belay({"init"}).exit_code, 0);
    AppendSamplesOfAll(FamilyList(), files_, clock_, project_, 5, 1);
    BeginAll();
    const RunOutcome repaired = Belay({"doctor", "--repair"});
    ASSERT_EQ(repaired.exit_code, 0) << repaired.out << repaired.err;
  }
  std::string TextOf(const std::string& path) {
    const Result<std::string> text = files_.Read(path, 1 << 20);
    return text ? *text : "";
  }
  // Of every file that belay keeps.
  std::string KeptText() {
    std::string text;
    const auto names = files_.List(project_.EditedFolder());
    for (const std::string& name : names ? *names : std::vector<std::string>()) {
      text += TextOf(project_.EditedFolder() + "/" + name);
    }
    return text;
  }
  std::size_t RecordsIn(std::string_view journal) {
    std::size_t count = 0;
    Journal one(files_, project_.JournalFile(journal), std::string(journal));
    EXPECT_TRUE(one.CatchUp({.record = [&](std::uint64_t, const Json&) { ++count; }}).ok());
    return count;
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
  // Until the guardian is done: it records a kept edit, which changes project.json once more.
  bool AwaitRestored() {
    do {
      if (!AwaitInStateRoot([&] { return Odd().empty(); })) return false;
      EXPECT_TRUE(ProjectLedger::Lock(files_, project_, kBound).ok());
    } while (!Odd().empty());
    return true;
  }
};

TEST_F(FamiliesTest, DoctorReportsWhatIsMissingAndRepairRestoresIt) {
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

TEST_F(FamiliesTest, RepairSetsDamageOfOneFamilyAsideAndTheOthersContinue) {
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

TEST_F(FamiliesTest, LogAndWhyShowCompactedRecordsToo) {
  AppendSamples<HookFamily>(files_, clock_, project_, 2000);
  const std::string log = Belay({"log"}).out;
  const std::string why = Belay({"why", "worker-a"}).out;
  Ledgers ledgers(files_, clock_, project_);
  EXPECT_TRUE(*ledgers.Get<HookFamily>().CompactIfLarge(*HookLedger::Lock(files_, project_)));
  EXPECT_EQ(Belay({"log"}).out, log);
  EXPECT_EQ(Belay({"why", "worker-a"}).out, why);
  EXPECT_THAT(Belay({"log", "--since", "2100-01-01T00:00:00Z"}).out, Not(HasSubstr("hooks")));
}

TEST_F(FamiliesTest, AJournalThatIsLostIsReportedAndNothingIsRenderedOverItsLastState) {
  BeginAll();
  ASSERT_EQ(Belay({"doctor", "--repair"}).exit_code, 0);
  for (const std::string_view loss : {"rm \"$0\"", ": >\"$0\""}) {
    for (const Family& family : Families()) {
      const std::string path = project_.JournalFile(family.journal);
      const std::string rendering = project_.JournalRendering(family.journal);
      const Result<std::string> shown = files_.Read(rendering, 1 << 20);
      Sh(loss, path);
      const RunOutcome doctor = Belay({"doctor"});
      EXPECT_EQ(doctor.exit_code, 5) << loss << path;
      EXPECT_THAT(WriteJson(BelayJson({"doctor"}, 5)),
                  HasSubstr(std::string(family.journal) + ".jsonl"));
      EXPECT_EQ(Belay({"log"}).exit_code, 5) << loss << path;
      (void)Belay({"guard", "--once"});
      if (shown) {
        EXPECT_EQ(*files_.Read(rendering, 1 << 20), *shown) << loss << path;
      }
      const RunOutcome repaired = Belay({"doctor", "--repair"});
      EXPECT_THAT(repaired.out, HasSubstr("it was lost")) << path;
      if (family.rendered) {
        EXPECT_THAT(repaired.out, HasSubstr("the old state files are in")) << path;
        EXPECT_GT(Kept(), 0U);
      }
      EXPECT_EQ(Belay({"log"}).exit_code, 0) << path;
      EXPECT_EQ(Belay({"init"}).exit_code, 0);
      EXPECT_EQ(Belay({"doctor"}).exit_code, 0) << Belay({"doctor"}).out;
      AppendSamplesOfAll(FamilyList(), files_, clock_, project_, 5, 1);
      ASSERT_EQ(Belay({"doctor", "--repair"}).exit_code, 0);
    }
  }
}

TEST_F(FamiliesTest, AJournalThatWasCutIsReportedAndItsLastStateIsKept) {
  SetUpAgain();
  for (const std::string_view lines : {"1", "3", "-1"}) {
    for (const Family& family : Families()) {
      const std::string path = project_.JournalFile(family.journal);
      Ledgers ledgers(files_, clock_, project_);
      std::string rendering;
      for (AnyLedger* ledger : ledgers.all()) {
        if (ledger->journal() == family.journal) rendering = FirstRendering(*ledger);
      }
      const std::string shown = rendering.empty() ? "" : TextOf(rendering);
      Sh("head -n " + std::string(lines) + " \"$0\" >../cut; cat ../cut >\"$0\"; rm ../cut", path);
      EXPECT_THAT(WriteJson(BelayJson({"doctor"}, 5)),
                  HasSubstr(std::string(family.journal) + ".jsonl"))
          << lines;
      EXPECT_EQ(Belay({"log"}).exit_code, 5) << lines << path;
      const RunOutcome why = Belay({"why", "worker-a"});
      EXPECT_EQ(why.exit_code, 5) << lines << path << why.out;
      const std::size_t said = why.err.find(path);
      EXPECT_NE(said, std::string::npos) << why.err;
      EXPECT_EQ(why.err.find(path + " ends", said + 1), std::string::npos) << why.err;
      (void)Belay({"guard", "--once"});
      if (!shown.empty()) {
        EXPECT_EQ(TextOf(rendering), shown) << lines << path;
      }
      const RunOutcome repaired = Belay({"doctor", "--repair"});
      EXPECT_THAT(repaired.out, HasSubstr(std::string(family.journal) + ".jsonl")) << lines;
      EXPECT_THAT(KeptText(), HasSubstr(shown)) << lines << path;
      SetUpAgain();
      EXPECT_EQ(Belay({"doctor"}).exit_code, 0) << Belay({"doctor"}).out;
      EXPECT_EQ(Belay({"log"}).exit_code, 0) << lines << path;
    }
  }
}

TEST_F(FamiliesTest, DamageInACompactedJournalIsRepairedFromTheArchive) {
  SetUpAgain();
  std::map<std::string_view, std::size_t> before;
  for (const Family& family : Families()) before[family.journal] = RecordsIn(family.journal);
  CompactAll();
  for (const Family& family : Families()) {
    EXPECT_EQ(RecordsIn(family.journal), 1U);
  }
  AppendSamplesOfAll(FamilyList(), files_, clock_, project_, 1, 7);
  const std::string log = Belay({"log"}).out;
  for (const Family& family : Families()) DamageJournal(files_, project_, family.journal, 1);
  const RunOutcome repaired = Belay({"doctor", "--repair"});
  EXPECT_EQ(repaired.exit_code, 0) << repaired.out << repaired.err;
  for (const Family& family : Families()) {
    EXPECT_GE(RecordsIn(family.journal), before[family.journal] + 1) << family.journal;
  }
  EXPECT_EQ(Odd(), "");
  // Restored records aren't shown twice.
  const std::string log_after = Belay({"log"}).out;
  const auto count = [](std::string_view text, std::string_view what) {
    std::size_t found = 0;
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string_view::npos; ++at) ++found;
    return found;
  };
  for (const std::string_view journal : {" hooks ", " merge-queue ", " deliveries "}) {
    EXPECT_EQ(count(log_after, journal), count(log, journal)) << journal;
  }
}

TEST_F(FamiliesTest, RenderingsWithoutAnyRecordAreReportedAndKept) {
  SetUpAgain();
  for (const Family& family : Families()) {
    if (!family.rendered) continue;
    const std::string name(family.journal);
    Ledgers ledgers(files_, clock_, project_);
    std::string rendering;
    for (AnyLedger* ledger : ledgers.all()) {
      if (ledger->journal() == family.journal) rendering = FirstRendering(*ledger);
    }
    const std::string shown = *files_.Read(rendering, 1 << 20);
    Sh("rm \"$0\" ../archive/" + name + "-*", project_.JournalFile(name));
    EXPECT_THAT(WriteJson(BelayJson({"doctor"}, 5)), HasSubstr(name + ".jsonl"));
    EXPECT_EQ(Belay({"log"}).exit_code, 5) << name;
    EXPECT_EQ(Belay({"why", "worker-a"}).exit_code, 5) << name;
    const RunOutcome repaired = Belay({"doctor", "--repair"});
    EXPECT_THAT(repaired.out, HasSubstr("it was lost")) << name;
    EXPECT_THAT(KeptText(), HasSubstr(shown)) << name;
    SetUpAgain();
    EXPECT_EQ(Belay({"doctor"}).exit_code, 0) << Belay({"doctor"}).out;
  }
  const std::string hook = *files_.Read(project_.StateRoot() + "/hooks/worker-a.json", 1 << 20);
  ASSERT_TRUE(files_.RemoveTree(project_.Vault()).ok());
  ASSERT_EQ(Belay({"init"}).exit_code, 0);
  EXPECT_EQ(Belay({"doctor"}).exit_code, 5);
  EXPECT_EQ(Belay({"doctor", "--repair"}).exit_code, 0);
  EXPECT_THAT(KeptText(), HasSubstr(hook));
  EXPECT_EQ(Belay({"doctor"}).exit_code, 0) << Belay({"doctor"}).out;
}

TEST_F(FamiliesTest, TheFirstRecordOfANewJournalKeepsWhatOldRenderingsShow) {
  SetUpAgain();
  const std::string hook = *files_.Read(project_.StateRoot() + "/hooks/worker-a.json", 1 << 20);
  Sh("rm \"$0\" ../archive/hooks-*", project_.JournalFile("hooks"));
  HookLedger ledger(files_, clock_, project_);
  const auto lock = HookLedger::Lock(files_, project_);
  const IdentityName name = AgentId::Parse(kSampleAgent)->identity();
  ASSERT_TRUE(ledger.Record(*lock, "note", "a new beginning", {.identity = name}).ok());
  ASSERT_TRUE(ledger.Render(*lock, name).ok());
  EXPECT_THAT(KeptText(), HasSubstr(hook));
  EXPECT_THAT(Belay({"log"}).out, HasSubstr("worker-a.json-"));
}

TEST_F(FamiliesTest, AJournalWithTheFileOfAnotherIsSetAsideAndRestored) {
  SetUpAgain();
  for (const Family& family : Families()) {
    const std::string_view other = family.journal == "taint" ? "hooks" : "taint";
    const std::string path = project_.JournalFile(family.journal);
    Sh("cp " + std::string(other) + ".jsonl \"$0\"", path);
    EXPECT_EQ(Belay({"doctor"}).exit_code, 5) << path;
    const RunOutcome repaired = Belay({"doctor", "--repair"});
    EXPECT_EQ(repaired.exit_code, 0) << path << repaired.out << repaired.err;
    EXPECT_TRUE(files_.Inspect(path + ".damaged-1").ok()) << path;
    SetUpAgain();
    EXPECT_EQ(Belay({"doctor"}).exit_code, 0) << Belay({"doctor"}).out;
  }
}

TEST_F(FamiliesTest, ALinkInThePlaceOfAFolderHidesNothingAndIsMovedAway) {
  SetUpAgain();
  for (const std::string& folder : RenderingFolders(project_)) {
    if (folder == project_.StateRoot()) continue;
    Sh("rm -rf \"$0\"; ln -s /etc \"$0\"", folder);
    Sh("echo x >>\"$0\"", project_.JournalRendering(MergeFamily::kJournal));
    const std::string doctor = WriteJson(BelayJson({"doctor"}));
    EXPECT_THAT(doctor, HasSubstr(folder.substr(folder.rfind('/') + 1) + ": not written by belay"));
    EXPECT_THAT(doctor, HasSubstr("merge-queue.json: edited by hand"));
    const RunOutcome repaired = Belay({"doctor", "--repair"});
    EXPECT_EQ(repaired.exit_code, 0) << repaired.out << repaired.err;
    EXPECT_EQ(Odd(), "") << folder;
  }
}

TEST_F(FamiliesTest, ALostJournalIsRestoredFromTheArchiveWithNumbersThatContinue) {
  BeginAll();
  CompactAll();
  for (const Family& family : Families()) {
    const std::string path = project_.JournalFile(family.journal);
    const auto records = [&] {
      Journal journal(files_, path, std::string(family.journal));
      EXPECT_TRUE(journal.CatchUp({}).ok());
      return journal.last_seq();
    };
    const std::uint64_t before = records();
    ASSERT_TRUE(files_.RemoveFile(path).ok());
    EXPECT_THAT(Belay({"doctor", "--repair"}).out, HasSubstr("restored from the archive")) << path;
    EXPECT_GE(records(), before - 1) << path;
    EXPECT_EQ(Belay({"doctor"}).exit_code, 0) << Belay({"doctor"}).out;
  }
}

TEST_F(FamiliesTest, WhatIsDamagedOrMissingInTheArchiveIsReportedAndNotedAsLost) {
  BeginAll();
  CompactAll();
  ASSERT_EQ(Belay({"doctor", "--repair"}).exit_code, 0);
  EXPECT_THAT(Belay({"doctor"}).out, HasSubstr(fmt::format("{} files", Families().size())));
  for (const std::string_view damage :
       {"sed -i '3s/crc/cRc/' \"$0\"", "sed -i '$d' \"$0\"", ": >\"$0\"", "rm \"$0\""}) {
    for (const Family& family : Families()) {
      const auto archived = ArchivedJournals(files_, project_, family.journal);
      ASSERT_EQ(archived->size(), 1U);
      const std::string path = archived->front();
      const std::string name = path.substr(path.rfind('/') + 1);
      Sh(damage, path);
      const Json doctor = BelayJson({"doctor"}, 5);
      EXPECT_THAT(WriteJson(doctor), HasSubstr(name)) << damage;
      const RunOutcome log = Belay({"log"});
      EXPECT_EQ(log.exit_code, 5) << damage << path;
      EXPECT_THAT(log.err, HasSubstr(name)) << damage;
      EXPECT_THAT(Belay({"doctor", "--repair"}).out, HasSubstr(name)) << damage;
      EXPECT_EQ(Belay({"doctor"}).exit_code, 0) << damage << Belay({"doctor"}).out;
      const RunOutcome after = Belay({"log"});
      EXPECT_EQ(after.exit_code, 0) << damage << after.err;
      EXPECT_THAT(after.out, HasSubstr("lost")) << damage;
    }
  }
}

TEST_F(FamiliesTest, WhateverIsDoneToARenderingIsReportedKeptRecordedAndUndone) {
  ASSERT_EQ(Belay({"doctor", "--repair"}).exit_code, 0);
  Ledgers ledgers(files_, clock_, project_);
  for (AnyLedger* ledger : ledgers.all()) {
    const std::string path = FirstRendering(*ledger);
    if (path.empty()) continue;
    const std::string name = path.substr(path.rfind('/') + 1);
    for (const Spoiling& spoiling : kSpoilings) {
      const std::size_t kept = Kept();
      Sh(spoiling.script, path);
      EXPECT_THAT(WriteJson(BelayJson({"doctor"})),
                  HasSubstr(name + ": " + std::string(spoiling.doctor)))
          << spoiling.what;
      const RunOutcome repaired = Belay({"doctor", "--repair"});
      EXPECT_EQ(repaired.exit_code, 0) << spoiling.what << repaired.out;
      EXPECT_THAT(repaired.out, HasSubstr(name)) << spoiling.what;
      EXPECT_EQ(Kept(), kept + (spoiling.kept ? 1 : 0)) << path << " " << spoiling.what;
      EXPECT_EQ(Odd(), "") << path << " " << spoiling.what;
      EXPECT_EQ(files_.Inspect(path)->mode, 0600U) << spoiling.what;
      if (spoiling.kept) {
        EXPECT_THAT(Belay({"log"}).out, HasSubstr(name + "-")) << spoiling.what;
      }
    }
  }
}

TEST_F(FamiliesTest, AGuardianUndoesItToo) {
  StartGuardian();
  ASSERT_TRUE(AwaitInStateRoot([&] { return Odd().empty(); })) << Odd();
  Ledgers ledgers(files_, clock_, project_);
  for (AnyLedger* ledger : ledgers.all()) {
    const std::string path = FirstRendering(*ledger);
    if (path.empty()) continue;
    for (const Spoiling& spoiling : kSpoilings) {
      const std::size_t kept = Kept();
      Sh(spoiling.script, path);
      // What is written into a file is noticed when it is rendered: here with another that is lost.
      Sh("rm -rf \"$0\"", project_.JournalRendering(MergeFamily::kJournal));
      EXPECT_TRUE(AwaitRestored()) << spoiling.what << Odd();
      const bool itself = ledger->journal() == MergeFamily::kJournal;
      if (!itself) {
        EXPECT_EQ(Kept(), kept + (spoiling.kept ? 1 : 0)) << path << " " << spoiling.what;
      }
    }
  }
}

TEST_F(FamiliesTest, FilesOfOthersAmongTheRenderingsAreReportedAndMovedAway) {
  ASSERT_EQ(Belay({"doctor", "--repair"}).exit_code, 0);
  for (const std::string& folder : RenderingFolders(project_)) {
    ASSERT_TRUE(EnsureFolder(files_, folder).ok());
    for (const std::string_view script : {"pwd >\"$0\"", "mkdir \"$0\"", "ln -s / \"$0\""}) {
      const std::size_t kept = Kept();
      Sh(script, folder + "/mine.json");
      EXPECT_THAT(WriteJson(BelayJson({"doctor"})), HasSubstr("mine.json: not written by belay"))
          << folder;
      EXPECT_THAT(Belay({"doctor", "--repair"}).out, HasSubstr("mine.json: not written by belay"))
          << folder;
      EXPECT_EQ(Kept(), kept + 1) << folder << script;
      EXPECT_THAT(WriteJson(BelayJson({"doctor"})), Not(HasSubstr("mine.json"))) << folder;
    }
  }
}

TEST_F(FamiliesTest, AGuardianRendersAgainOnceTheObstacleIsGone) {
  StartGuardian();
  ASSERT_TRUE(AwaitInStateRoot([&] { return Odd().empty(); })) << Odd();
  // The guardian may make the folder again in between; a failing `: >` would end the shell.
  for (const std::string_view way : {"until rm -rf state && true >state; do :; done",
                                     "until rm -rf state && ln -sT / state; do :; done",
                                     "until rm -rf state && ln -sT nowhere state; do :; done",
                                     "cd ..; until rm -rf .claude && true >.claude; do :; done"}) {
    const std::size_t said = GuardianSaid().size();
    ASSERT_EQ(
        RunReal({"sh", "-c", std::string(way)}, {.folder = project_.ClaudeFolder()}).exit_code, 0);
    EXPECT_TRUE(Await([&] {
      return GuardianSaid().find("can't write state files", said) != std::string::npos;
    })) << way;
    EXPECT_EQ(Belay({"doctor"}).exit_code, 2) << way;
    const RunOutcome cleared =
        RunReal({"sh", "-ec", "if [ -d .claude ]; then rm .claude/state; else rm .claude; fi"},
                {.folder = project_.Root()});
    ASSERT_EQ(cleared.exit_code, 0) << cleared.err;
    EXPECT_TRUE(AwaitInStateRoot([&] { return Odd().empty(); }, std::chrono::seconds(20)))
        << way << Odd();
    EXPECT_TRUE(Await([&] {
      return GuardianSaid().find("belay can write state files again", said) != std::string::npos;
    })) << way;
  }
}

TEST_F(FamiliesTest, AGuardianRendersIntoAFolderThatAnotherProgramMade) {
  StartGuardian();
  ASSERT_TRUE(AwaitInStateRoot([&] { return Odd().empty(); })) << Odd();
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(Await([&] {
      return RunReal({"sh", "-ec", "rm -rf .claude.old; mv .claude .claude.old; mkdir .claude"},
                     {.folder = project_.Root()})
                 .exit_code == 0;
    }));
  }
  EXPECT_TRUE(AwaitInStateRoot([&] { return Odd().empty(); })) << Odd();
}

TEST_F(FamiliesTest, RepairRemovesWhatKilledWritersLeftAndNothingOfThoseThatLive) {
  BeginAll();
  ASSERT_EQ(Belay({"doctor", "--repair"}).exit_code, 0);
  const std::string old_name = ".other.0123456789abcdef.tmp";
  const std::string new_name = ".other.fedcba9876543210.tmp";
  std::vector<std::string> folders;
  for (const std::string& folder : FoldersToCleanUp(files_, project_)) {
    if (files_.Inspect(folder)) folders.push_back(folder);
  }
  EXPECT_THAT(folders, ::testing::IsSupersetOf({project_.Vault(), project_.JournalFolder(),
                                                project_.ArchiveFolder(), project_.StateRoot()}));
  for (const std::string& folder : folders) {
    Sh("touch -d '2 hours ago' \"$0\"", folder + "/" + old_name);
    Sh("touch \"$0\"", folder + "/" + new_name);
  }
  const std::vector<std::string> unfinished = {"hooks-7.jsonl.copying",
                                               ".hooks-7.jsonl.0123456789abcdef.tmp",
                                               ".hooks-7.jsonl.damaged-1.0123456789abcdef.tmp"};
  for (const std::string& name : unfinished) {
    Sh("touch \"$0\"", project_.ArchiveFolder() + "/" + name);
  }
  EXPECT_THAT(WriteJson(BelayJson({"doctor"})), Not(HasSubstr(".tmp")));
  ASSERT_EQ(Belay({"doctor", "--repair"}).exit_code, 0);
  for (const std::string& folder : folders) {
    EXPECT_FALSE(files_.Inspect(folder + "/" + old_name).ok()) << folder;
    EXPECT_TRUE(files_.Inspect(folder + "/" + new_name).ok()) << folder;
  }
  for (const std::string& name : unfinished) {
    EXPECT_FALSE(files_.Inspect(project_.ArchiveFolder() + "/" + name).ok()) << name;
  }
}

}  // namespace
}  // namespace belay

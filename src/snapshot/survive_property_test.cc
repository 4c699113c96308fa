// After any edits and any damage of a worktree, a snapshot's content can be restored, and a restore
// destroys nothing.

#include <functional>
#include <iostream>
#include <set>

#include "snapshot/restore.h"
#include "snapshot/test_edits.h"
#include "snapshot/test_survive.h"

namespace belay {
namespace {

using Files = std::map<std::string, SeenFile>;

// Runs a property a quarter as often as RapidCheck would: 25 times, more with
// RC_PARAMS="max_success=1000".
bool CheckSome(const std::function<void()>& property) {
  rc::detail::TestParams params = rc::detail::configuration().testParams;
  params.maxSuccess = std::max(1, params.maxSuccess / 4);
  const auto result = rc::detail::checkTestable(property, rc::detail::TestMetadata(), params);
  rc::detail::printResultMessage(result, std::cerr);
  std::cerr << std::endl;
  return result.template is<rc::detail::SuccessResult>();
}

class Play {
 public:
  // Some commits, as random as the rest.
  void Begin() {
    if (*rc::gen::weightedElement<bool>({{3, false}, {1, true}})) {
      repository_.Write(".gitattributes", "* text=auto\n");
    }
    for (int commits = *rc::gen::inRange(0, 3); commits > 0; --commits) {
      editor_.Apply(*rc::gen::container<std::vector<Edit>>(AnyEdit()).as("before a commit"));
      repository_.CommitAll("commit");
    }
    editor_.UsualModes();
  }
  void Change(const char* when, double scale = 1) {
    const auto edits = rc::gen::container<std::vector<Edit>>(AnyEdit());
    editor_.Apply(*rc::gen::scale(scale, edits).as(when));
  }
  void DropLostIntents() { editor_.DropLostIntents(); }
  SavedSnapshot Take() {
    Result<Taken> taken = place_.Take();
    if (!taken) RC_FAIL(taken.error().message);
    return taken->snapshot;
  }
  Result<Restored> Restore(const SavedSnapshot& snapshot, bool merge) {
    return RestoreSnapshot(place_.worktree(),
                           {.snapshot = snapshot, .keep = place_.keep(), .merge = merge});
  }

  void Destroy() {
    switch (*rc::gen::inRange(0, 6).as("how it is destroyed")) {
      case 0:
        repository_.Git({"reset", "-q", "--hard"});
        return (void)repository_.Git({"clean", "-ffdxq"});
      case 1:
        return RemoveAllBut(0);
      case 2:
        return RemoveAllBut(3);
      case 3:
        return (void)repository_.Git({"reset", "-q", "--hard"});
      case 4:
        RemoveAllBut(0);
        return (void)repository_.Git({"reset", "-q", "--hard"});
      default:
        return (void)repository_.Git({"clean", "-ffdxq"});
    }
  }

  // What a snapshot holds: everything that git reports as changed or untracked.
  std::set<std::string> Changed() {
    const std::string listed = repository_.Git(
        {"status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--ignored"});
    std::set<std::string> paths;
    for (const std::string_view line : Split(listed, '\0')) {
      if (line.size() > 3) paths.emplace(line.substr(3));
    }
    return paths;
  }

  // All files of a snapshot, with their recorded states.
  Files Held(const SavedSnapshot& snapshot) {
    Files files = FilesIn(place_.git(), snapshot.commit.text());
    files.merge(FilesIn(place_.git(), snapshot.untracked.text()));
    return files;
  }
  Files Staged(const SavedSnapshot& snapshot) {
    return FilesIn(place_.git(), snapshot.index.text());
  }
  // The entries of the index that have content, as lines of ls-files.
  std::set<std::string> Entries() {
    const std::string listed = repository_.Git({"ls-files", "-s", "-z"});
    std::set<std::string> entries;
    for (const std::string_view line : Split(listed, '\0')) entries.emplace(line);
    return entries;
  }

  const GitRepository& repository() const { return repository_; }
  const Git& git() const { return place_.git(); }

 private:
  // Removes every file except each `each`-th; 0: all.
  void RemoveAllBut(int each) {
    int turn = 0;
    for (const auto& [path, file] : repository_.Files()) {
      if (each == 0 || ++turn % each != 0) (void)repository_.Remove(path);
    }
  }

  GitRepository repository_;
  Editor editor_{repository_};
  TestPlace place_{repository_.path()};
};

TEST(SurviveProperty, ASnapshotRestoresWhatItHolds) {
  EXPECT_TRUE(CheckSome([] {
    Play play;
    play.Begin();
    play.Change("before the snapshot");
    play.DropLostIntents();
    const Files files = play.repository().Files();
    const std::string index = play.repository().Index();
    const std::set<std::string> changed = play.Changed();
    const SavedSnapshot snapshot = play.Take();
    RC_ASSERT(play.repository().Files() == files);
    RC_ASSERT(play.repository().Index() == index);
    play.Destroy();
    const Result<Restored> restored = play.Restore(snapshot, false);
    if (!restored) RC_FAIL(restored.error().message);
    for (const NotRestored& one : restored->conflicts) RC_FAIL("conflict: " + one.path + one.why);
    const Files now = play.repository().Files();
    for (const auto& [path, file] : files) {
      if (now.count(path) == 0) RC_FAIL(QuotePath(path) + " did not come back");
      RC_LOG() << QuotePath(path) << std::endl;
      // Git sets the permissions of a file that is as in HEAD.
      const unsigned kept = changed.contains(path) ? ~0U : ~0677U;
      RC_ASSERT((now.at(path).mode & kept) == (file.mode & kept));
      RC_ASSERT(now.at(path).content == file.content);
    }
    RC_ASSERT(now.size() == files.size());
    RC_ASSERT(play.repository().Index() == index);
  }));
}

// Every previous file still exists, or is in the snapshot that the restore took before.
void ExpectNothingLost(Play& play, const Files& before, const Restored& restored) {
  const Files now = play.repository().Files();
  const Files saved = restored.rescue ? play.Held(*restored.rescue) : Files();
  for (const auto& [path, file] : before) {
    const auto there = now.find(path);
    if (there != now.end() && there->second.content == file.content) continue;
    const auto rescued = saved.find(path);
    if (rescued == saved.end()) RC_FAIL(QuotePath(path) + " is lost");
    RC_ASSERT(rescued->second.content == file.content);
  }
}

// The same for staged content.
void ExpectNoEntryLost(Play& play, const std::set<std::string>& before, const Restored& restored) {
  const std::set<std::string> now = play.Entries();
  std::string saved;
  if (restored.rescue) {
    for (const ObjectId& commit : {restored.rescue->index, restored.rescue->rest}) {
      if (!commit.IsNone()) saved += *play.git().Ask({"ls-tree", "-r", commit.text()});
    }
  }
  for (const std::string& entry : before) {
    const std::vector<std::string_view> words = Split(entry, ' ');
    const bool there =
        words.size() < 2 || now.count(entry) > 0 || saved.find(words[1]) != std::string::npos;
    if (!there) RC_FAIL("the entry " + entry + " is lost");
  }
}

TEST(SurviveProperty, ARestoreLosesNothing) {
  EXPECT_TRUE(CheckSome([] {
    Play play;
    play.Begin();
    play.Change("before the snapshot");
    const SavedSnapshot snapshot = play.Take();
    if (*rc::gen::arbitrary<bool>()) play.Destroy();
    play.Change("since then", 0.1);  // after many changes, every restore would be refused
    const bool merge = *rc::gen::arbitrary<bool>();
    const Files before = play.repository().Files();
    const std::string index = play.repository().Index();
    const std::set<std::string> entries = play.Entries();
    const Result<Restored> restored = play.Restore(snapshot, merge);
    if (!restored && restored.error().code != ErrorCode::kRefused) {
      RC_FAIL(restored.error().message);
    }
    if (!restored || !restored->conflicts.empty()) {
      RC_CLASSIFY(true, "refused");
      RC_ASSERT(play.repository().Files() == before);
      RC_ASSERT(play.repository().Index() == index);
      return;
    }
    ExpectNothingLost(play, before, *restored);
    ExpectNoEntryLost(play, entries, *restored);
  }));
}

}  // namespace
}  // namespace belay

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "snapshot/saved_snapshot.h"
#include "snapshot/test_place.h"

namespace belay {
namespace {

class SnapshotChangesTest : public ::testing::Test {
 protected:
  // "PATH: staged, changed", one line each.
  std::string Changes() {
    const Result<Taken> taken = place_.Take();
    if (!taken) return taken.error().message;
    const auto changes = ReadChanges(place_.git(), taken->snapshot);
    if (!changes) return changes.error().message;
    std::string text;
    for (const SnapshotChange& change : *changes) {
      text += fmt::format("{}: {}\n", change.path, fmt::join(change.Words(), ", "));
    }
    return text;
  }

  GitRepository repository_;
  TestPlace place_{repository_.path()};
};

TEST_F(SnapshotChangesTest, ReportsWhatHappenedToEachPath) {
  for (const char* name : {"both", "changed", "gone", "staged", "uncached", "unstaged-gone"}) {
    repository_.Write(name, name);
  }
  repository_.CommitAll("more");
  repository_.Write("both", "1");
  repository_.Write("staged", "1");
  repository_.Write("new", "1");
  repository_.Git({"add", "both", "staged", "new"});
  repository_.Write("both", "2");
  repository_.Write("changed", "1");
  repository_.Git({"rm", "-q", "gone"});
  repository_.Git({"rm", "-q", "--cached", "uncached"});
  repository_.Remove("unstaged-gone");
  repository_.Write("intended", "1");
  repository_.Git({"add", "-N", "intended"});
  repository_.Write("untracked", "1");
  EXPECT_EQ(Changes(),
            "both: staged, changed\nchanged: changed\ngone: staged, deleted\n"
            "intended: intent to add\nnew: staged\nstaged: staged\nuncached: staged, untracked\n"
            "unstaged-gone: deleted\nuntracked: untracked\n");
}

TEST_F(SnapshotChangesTest, NamesWhatIsUnmerged) {
  repository_.Git({"checkout", "-q", "-b", "other"});
  repository_.Write("tracked.txt", "theirs\n");
  repository_.CommitAll("theirs");
  repository_.Git({"checkout", "-q", "main"});
  repository_.Write("tracked.txt", "ours\n");
  repository_.CommitAll("ours");
  EXPECT_NE(repository_.TryGit({"merge", "-q", "other"}), 0);
  EXPECT_EQ(Changes(), "tracked.txt: unmerged\n");
}

TEST_F(SnapshotChangesTest, ACleanTreeHasNone) { EXPECT_EQ(Changes(), ""); }

}  // namespace
}  // namespace belay

// Snapshots of all kinds of files.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <filesystem>

#include "snapshot/test_survive.h"

namespace belay {
namespace {

class SurviveFilesTest : public SurviveTest {};

TEST_F(SurviveFilesTest, NamesOfAnyBytes) {
  const std::vector<std::string> names = {"new\nline", "\"q\"", "a\"b", "ü",    "\xff\xfe", "a\\b",
                                          " lead",     "end ",  "\t",   "\x01", "-x",       "#c",
                                          "*?[a]",     "a:b",   "%s",   "~",    "\r",       "D x"};
  for (const std::string& name : names) repository_.Write("tracked/" + name, "x");
  repository_.CommitAll("odd");
  for (const std::string& name : names) {
    repository_.Write("tracked/" + name, "changed " + name);
    repository_.Write(name + ".new/" + name, "untracked " + name);
    repository_.Write("staged/" + name, "staged " + name);
  }
  repository_.Git({"add", "staged"});
  TakeAll();
  for (const std::string& name : names) repository_.Remove("tracked/" + name);
  TakeAll();
}

TEST_F(SurviveFilesTest, ModesAndKinds) {
  for (const char* name : {"a", "b", "c", "d/e", "f"}) repository_.Write(name, name);
  repository_.CommitAll("files");
  repository_.SetMode("a", 0755);
  repository_.Remove("b");
  repository_.MakeLink("nowhere", "b");
  repository_.Remove("c");
  repository_.Write("c/inner", "a file became a folder");
  repository_.Remove("d");
  repository_.Write("d", "a folder became a file");
  repository_.Remove("f");
  repository_.MakeLink("c", "f");
  repository_.MakeLink("/", "root");
  repository_.MakeLink("new\nline", "link");
  repository_.Write("empty", "");
  repository_.Write("program", "#!/bin/sh\n");
  repository_.SetMode("program", 0755);
  TakeAll();
  repository_.Git({"add", "-A"});
  TakeAll();
}

TEST_F(SurviveFilesTest, AFolderThatBecameALinkToAnother) {
  repository_.Write("folder/file", "mine");
  repository_.CommitAll("folder");
  repository_.outside().Write("elsewhere/file", "not mine");
  repository_.Remove("folder");
  repository_.MakeLink("../elsewhere", "folder");
  TakeAll();
}

TEST_F(SurviveFilesTest, RenamesThatOnlyChangeTheCase) {
  repository_.Write("Readme", "text\n");
  repository_.CommitAll("Readme");
  repository_.Git({"mv", "Readme", "README"});
  TakeAll();
  repository_.Git({"mv", "README", "readme"});
  repository_.Write("readME", "another\n");
  const SavedSnapshot snapshot = TakeAll();
  EXPECT_EQ(FilesIn(git(), snapshot.index.text()).count("readme"), 1U);
}

TEST_F(SurviveFilesTest, IntentToAdd) {
  repository_.Write("later", "content");
  repository_.Write("tool", "content");
  repository_.SetMode("tool", 0755);
  repository_.Git({"add", "-N", "later", "tool"});
  const SavedSnapshot snapshot = TakeAll();
  EXPECT_EQ(FilesIn(git(), snapshot.index.text()).count("later"), 0U);
  EXPECT_EQ(FilesIn(git(), snapshot.rest.text()).size(), 2U);
}

TEST_F(SurviveFilesTest, StagedAndThenDeletedOrChangedAgain) {
  repository_.Write("a", "staged");
  repository_.Write("b", "staged");
  repository_.Git({"add", "-A"});
  repository_.Remove("a");
  repository_.Write("b", "changed again");
  const SavedSnapshot snapshot = TakeAll();
  EXPECT_EQ(FilesIn(git(), snapshot.index.text()).at("a").content, "staged");
  EXPECT_EQ(FilesIn(git(), snapshot.index.text()).at("b").content, "staged");
}

TEST_F(SurviveFilesTest, RemovedFromTheIndexAndStillThere) {
  repository_.Git({"rm", "-q", "--cached", "tracked.txt"});
  const SavedSnapshot snapshot = TakeAll();
  EXPECT_EQ(FilesIn(git(), snapshot.index.text()).size(), 0U);
}

TEST_F(SurviveFilesTest, LineEndingsAreKept) {
  repository_.Write(".gitattributes", "* text=auto\n*.crlf eol=crlf\n");
  repository_.CommitAll("attributes");
  repository_.Write("unchanged", "a\r\nb\r\n");
  repository_.Write("x.crlf", "a\nb\n");
  repository_.CommitAll("files that git converts");
  repository_.Write("tracked.txt", "mixed\r\nendings\n\r");
  repository_.Write("new.crlf", "a\nb\n");
  repository_.Write("new", "a\r\nb\r\n");
  repository_.Write("staged", "a\r\n");
  repository_.Git({"add", "staged"});
  TakeAll();
}

TEST_F(SurviveFilesTest, FilteredFilesAreStoredWithoutFilters) {
  repository_.Git({"config", "filter.upper.clean", "tr a-z A-Z"});
  repository_.Git({"config", "filter.upper.smudge", "tr A-Z a-z"});
  repository_.Git({"config", "filter.upper.required", "true"});
  repository_.Write(".gitattributes", "*.up filter=upper\n");
  repository_.Write("a.up", "first\n");
  repository_.CommitAll("filtered");
  EXPECT_EQ(repository_.Git({"cat-file", "blob", "HEAD:a.up"}), "FIRST\n");
  repository_.Write("a.up", "Second\n");
  repository_.Write("b.up", "New\n");
  const auto files = FilesOf(Take());
  EXPECT_EQ(files.at("a.up").content, "Second\n");
  EXPECT_EQ(files.at("b.up").content, "New\n");
}

TEST_F(SurviveFilesTest, OtherEncodingsAndKeywordsAreKept) {
  repository_.Write(".gitattributes",
                    "*.u16 working-tree-encoding=UTF-16LE\n*.id ident\n*.u16 text\n");
  repository_.Write("a.id", "$Id$\n");
  repository_.Write("a.u16", std::string("a\0\n\0", 4));
  repository_.CommitAll("converted");
  repository_.Write("a.id", "$Id: something else $\n");
  repository_.Write("a.u16", std::string("b\0\n\0", 4));
  repository_.Write("new.u16", std::string("c\0\n\0", 4));
  const auto files = FilesOf(Take());
  EXPECT_EQ(files.at("a.u16").content, std::string("b\0\n\0", 4));
  EXPECT_EQ(files.at("new.u16").content, std::string("c\0\n\0", 4));
  EXPECT_EQ(files.at("a.id").content, "$Id: something else $\n");
}

class SurviveSubmodulesTest : public SurviveTest {
 protected:
  SurviveSubmodulesTest() {
    repository_.Git(
        {"-c", "protocol.file.allow=always", "submodule", "-q", "add", library_.path(), "sub"});
    repository_.CommitAll("submodule");
  }
  std::string Head(const std::string& folder) {
    return repository_.GitIn(folder, {"rev-parse", "HEAD"}).substr(0, 40);
  }
  void MoveSubmodule() {
    repository_.GitIn(repository_ / "sub", {"commit", "-q", "--allow-empty", "-m", "moved"});
  }

  GitRepository library_;
};

TEST_F(SurviveSubmodulesTest, MovedPointer) {
  MoveSubmodule();
  const SavedSnapshot snapshot = Take();
  EXPECT_EQ(FilesOf(snapshot).at("sub").content, Head(repository_ / "sub"));
  EXPECT_EQ(FilesIn(git(), snapshot.index.text()).at("sub").content, Head(library_.path()));
  EXPECT_THAT(snapshot.record.skipped, ::testing::IsEmpty());
}

TEST_F(SurviveSubmodulesTest, StagedPointer) {
  MoveSubmodule();
  repository_.Git({"add", "sub"});
  const SavedSnapshot snapshot = Take();
  EXPECT_EQ(FilesOf(snapshot).at("sub").content, Head(repository_ / "sub"));
  EXPECT_EQ(FilesIn(git(), snapshot.index.text()).at("sub").content, Head(repository_ / "sub"));
}

TEST_F(SurviveSubmodulesTest, DirtyContentIsNamed) {
  repository_.Write("sub/tracked.txt", "dirty\n");
  repository_.Write("other", "x");
  const SavedSnapshot snapshot = Take();
  EXPECT_EQ(snapshot.record.skipped, (std::vector<SkippedPath>{{"sub", SkipReason::kSubmodule}}));
  EXPECT_EQ(FilesOf(snapshot).at("sub").content, Head(library_.path()));
}

TEST_F(SurviveSubmodulesTest, NotCheckedOutWithAStagedPointer) {
  const std::string other = std::string(40, 'a');
  repository_.Git({"submodule", "-q", "deinit", "-f", "sub"});
  repository_.Git({"update-index", "--cacheinfo", "160000," + other + ",sub"});
  const SavedSnapshot snapshot = Take();
  EXPECT_EQ(FilesIn(git(), snapshot.index.text()).at("sub").content, other);
  EXPECT_EQ(FilesOf(snapshot).at("sub").content, other);
}

TEST_F(SurviveSubmodulesTest, Removed) {
  repository_.Git({"rm", "-q", "sub"});
  EXPECT_EQ(FilesOf(Take()).count("sub"), 0U);
}

TEST_F(SurviveSubmodulesTest, ReplacedByAFile) {
  repository_.Remove("sub");
  repository_.Write("sub", "a file\n");
  EXPECT_EQ(FilesOf(Take()).at("sub").content, "a file\n");
}

TEST_F(SurviveSubmodulesTest, RepositoryInsideIsNamed) {
  repository_.Git({"init", "-q", "inner"});
  repository_.Write("inner/file", "x");
  repository_.Git({"-C", "inner", "add", "file"});
  repository_.Git({"-C", "inner", "commit", "-q", "-m", "x"});
  EXPECT_EQ(Take().record.skipped, (std::vector<SkippedPath>{{"inner/", SkipReason::kRepository}}));
}

// What git can't see in it is at least named.
TEST_F(SurviveSubmodulesTest, RepositoryInPlaceOfAFileIsNamed) {
  repository_.Remove("tracked.txt");
  repository_.Git({"init", "-q", "tracked.txt"});
  repository_.Write("tracked.txt/file", "x");
  repository_.Git({"-C", "tracked.txt", "add", "file"});
  repository_.Git({"-C", "tracked.txt", "commit", "-q", "-m", "x"});
  const SavedSnapshot snapshot = Take();
  ASSERT_EQ(snapshot.record.skipped.size(), 1U);
  EXPECT_TRUE(snapshot.record.skipped[0].path.starts_with("tracked.txt"));
}

TEST_F(SurviveFilesTest, SpecialFilesAreLeftOut) {
  ASSERT_EQ(mkfifo((repository_ / "pipe").c_str(), 0600), 0);
  repository_.Remove("tracked.txt");
  ASSERT_EQ(mkfifo((repository_ / "tracked.txt").c_str(), 0600), 0);
  TestPlace place(repository_.path());
  const auto taken = place.Take();
  ASSERT_TRUE(taken.ok()) << taken.error().message;
  ExpectWhole(repository_.path(), taken->snapshot);
}

TEST_F(SurviveFilesTest, TenThousandNewFiles) {
  namespace fs = std::filesystem;
  repository_.Write("many/first", "x");
  for (int i = 1; i < 10'000; ++i) {  // hard links: removing many files would take long
    const std::string folder = repository_ / ("many/" + std::to_string(i % 10));
    fs::create_directory(folder);
    fs::create_hard_link(repository_ / "many/first", folder + "/" + std::to_string(i));
  }
  TestPlace place(repository_.path());
  const auto taken = place.Take();
  ASSERT_TRUE(taken.ok()) << taken.error().message;
  EXPECT_EQ(taken->snapshot.record.files, 10'000U);
  EXPECT_EQ(FilesIn(git(), taken->snapshot.untracked.text()).size(), 10'000U);
}

// A sparse file: large to read, small on the disk.
TEST_F(SurviveFilesTest, LargeFile) {
  constexpr std::uint64_t kBytes = std::uint64_t{200} << 20U;
  repository_.Write("large", "begin");
  std::filesystem::resize_file(repository_ / "large", kBytes);
  repository_.Write("small", "x");
  const auto peak = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;  // kilobytes
  };
  const long before = peak();
  TestPlace place(repository_.path());
  const auto taken = place.Take();
  ASSERT_TRUE(taken.ok()) << taken.error().message;
  EXPECT_LT(peak() - before, 50'000);
  EXPECT_EQ(taken->snapshot.record.bytes, kBytes + 1);
  EXPECT_EQ(repository_.Git({"cat-file", "-s", taken->snapshot.untracked.text() + ":large"}),
            std::to_string(kBytes) + "\n");
}

TEST_F(SurviveFilesTest, FileOverTheLimitIsNamed) {
  repository_.Write("large", std::string(2000, 'x'));
  repository_.Write("tracked.txt", std::string(2000, 'x'));
  TakeRequest request{.keep = place_.keep()};
  request.rules.most_bytes = 1000;
  const SavedSnapshot snapshot = Take(repository_.path(), request);
  EXPECT_EQ(snapshot.record.skipped,
            (std::vector<SkippedPath>{{"tracked.txt", SkipReason::kTooLarge},
                                      {"large", SkipReason::kTooLarge}}));
  EXPECT_EQ(FilesOf(snapshot).at("tracked.txt").content, "first\n");
}

// The user may have set a pack size limit.
TEST_F(SurviveFilesTest, LargeFilesWhenPacksAreLimited) {
  repository_.Git({"config", "pack.packSizeLimit", "1m"});
  std::string noise;
  std::uint32_t state = 1;
  while (noise.size() < 3'000'000) {
    state = state * 1664525U + 1013904223U;
    noise += static_cast<char>(state >> 24U);
  }
  repository_.Write("a", noise);
  repository_.Write("b", noise + "b");
  TakeAll();
}

}  // namespace
}  // namespace belay

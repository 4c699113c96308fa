// What else repositories hold: each kind lands as it is, or is refused clearly. Main has always
// gone on meanwhile, so that commits are put elsewhere.

#include "merge_sandbox.h"

namespace belay {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class MergeZooTest : public MergeSandbox {
 protected:
  // On the branch a, which then waits while main goes on.
  void Work(const std::string& script) {
    Script("git checkout -q -b a\n" + script + "\ngit checkout -q -f main");
    Script("echo 1 > more; git add more; git commit -qm more");
    Add("a");
  }
  void CommitWork(const std::string& script) { Work(script + "\ngit add -A; git commit -qm work"); }
  // Everything of the branch is on main, byte for byte, and so is the checkout.
  void ExpectLanded() {
    Land();
    EXPECT_EQ(Script("git diff --raw refs/belay/merge/m1/head main -- . ':!more'"), "");
    EXPECT_EQ(Script("git rev-list --count refs/belay/merge/m1/head...main"), "3\n");
    EXPECT_EQ(MainChanges(), "");
    ExpectTidy();
  }
  std::string Raw(const std::string& commit) { return repo_.Git({"cat-file", "commit", commit}); }
};

TEST_F(MergeZooTest, BinaryFiles) {
  CommitWork("head -c 100000 /dev/urandom > noise; printf '\\000\\001\\377' > short");
  ExpectLanded();
}

TEST_F(MergeZooTest, ABinaryFileThatBothChangedIsAConflict) {
  Script("printf '\\000old' > bin; git add bin; git commit -qm bin");
  Work("printf '\\000mine' > bin; git commit -qam work");
  Script("printf '\\000theirs' > bin; git commit -qam theirs");
  EXPECT_EQ(ProcessAll().exit_code, 1);
  EXPECT_EQ(Status("m1"), "conflict");
  EXPECT_EQ(WriteJson(*Entry("m1").Find("conflict_files")), R"(["bin"])");
}

TEST_F(MergeZooTest, ModesAndLinks) {
  CommitWork("chmod +x tracked.txt; ln -s tracked.txt link; ln -s nowhere dangling");
  ExpectLanded();
  EXPECT_THAT(repo_.Git({"ls-tree", "main"}), HasSubstr("100755 blob"));
}

TEST_F(MergeZooTest, Renames) {
  Script("seq 100 > old; git add old; git commit -qm old");
  Work("git mv old new; git commit -qm work");
  Script("sed -i 's/^50$/fifty/' old; git commit -qam fifty");
  Land();
  EXPECT_THAT(FileOf("new"), HasSubstr("\nfifty\n"));
  EXPECT_EQ(repo_.TryGit({"cat-file", "-e", "main:old"}), 128);
  EXPECT_EQ(MainChanges(), "");
}

TEST_F(MergeZooTest, RenamesInCaseOnly) {
  CommitWork("git mv tracked.txt Tracked.TXT");
  ExpectLanded();
  EXPECT_EQ(repo_.Read("Tracked.TXT"), "first\n");
  EXPECT_EQ(repo_.Read("tracked.txt"), "(missing)");
}

TEST_F(MergeZooTest, AFileThatBecomesAFolder) {
  CommitWork("rm tracked.txt; mkdir tracked.txt; echo 1 > tracked.txt/inside");
  ExpectLanded();
}

TEST_F(MergeZooTest, EmptyCommitsAreKept) {
  CommitWork("git commit -q --allow-empty -m 'nothing here'; echo 1 > a");
  Land();
  EXPECT_EQ(History(), "first\nmore\nnothing here\nwork\n");
}

TEST_F(MergeZooTest, NothingButEmptyCommitsIsNothingToLand) {
  Work("git commit -q --allow-empty -m nothing");
  EXPECT_EQ(ProcessAll().exit_code, 1);
  EXPECT_THAT(ErrorOf("m1"), HasSubstr("nothing to land"));
}

TEST_F(MergeZooTest, ABranchThatHoldsAMergeLandsByAMerge) {
  Work(
      "echo 1 > a; git add a; git commit -qm one; git checkout -q -b side main; echo 2 > b;"
      "git add b; git commit -qm two; git checkout -q a; git merge -q --no-ff -m join side");
  Land();
  EXPECT_EQ(FileOf("a") + FileOf("b") + FileOf("more"), "1\n2\n1\n");
  EXPECT_EQ(Script("git log --merges --format=%s main | wc -l"), "2\n");
  EXPECT_EQ(MainChanges(), "");
}

TEST_F(MergeZooTest, ASignatureOfWhatIsPutElsewhereIsNotKept) {
  Work(
      "echo 1 > a; git add a; git commit -qm signed\n"
      "git cat-file commit HEAD | sed '/^committer/a gpgsig -----BEGIN PGP SIGNATURE-----\\n "
      "nonsense\\n -----END PGP SIGNATURE-----' > ../raw\n"
      "git reset -q --hard $(git hash-object -t commit -w ../raw)");
  ExpectLanded();
  EXPECT_THAT(Raw("refs/belay/merge/m1/head"), HasSubstr("gpgsig"));
  EXPECT_THAT(Raw("main"), Not(HasSubstr("gpgsig")));  // it would be of another commit
}

TEST_F(MergeZooTest, ASignedBranchThatStandsOnTheTargetLandsWithItsSignature) {
  Script(
      "git checkout -q -b a; echo 1 > a; git add a; git commit -qm signed\n"
      "git cat-file commit HEAD | sed '/^committer/a gpgsig -----BEGIN PGP SIGNATURE-----\\n "
      "nonsense\\n -----END PGP SIGNATURE-----' > ../raw\n"
      "git reset -q --hard $(git hash-object -t commit -w ../raw); git checkout -q main");
  Add("a");
  Land();
  EXPECT_THAT(Raw("main"), HasSubstr("gpgsig"));
}

TEST_F(MergeZooTest, LineEndingsByAttributes) {
  Script(
      "echo '*.txt text eol=crlf' > .gitattributes; git add -A; git commit -qm attributes;"
      "rm tracked.txt; git checkout -q tracked.txt");
  Gate("printf '1\\r\\n' | cmp - new.txt");
  CommitWork("printf '1\\r\\n' > new.txt");
  ExpectLanded();
  EXPECT_EQ(FileOf("new.txt"), "1\n");
  EXPECT_EQ(repo_.Read("new.txt"), "1\r\n");
}

TEST_F(MergeZooTest, LineEndingsThatAreNotWhatAttributesAskFor) {
  Script(
      "printf '1\\r\\n2\\r\\n' > odd.txt; git add -A; git commit -qm odd;"
      "echo '*.txt text' > .gitattributes; git add .gitattributes; git commit -qm attributes;"
      "rm odd.txt; git checkout -q odd.txt");
  Work("echo 1 > a; git add a; git commit -qm work");
  Land();  // git calls odd.txt changed, and it stays
  EXPECT_EQ(FileOf("a") + repo_.Read("a"), "1\n1\n");
  EXPECT_EQ(FileOf("odd.txt"), "1\r\n2\r\n");
  EXPECT_EQ(repo_.Read("odd.txt"), "1\r\n2\r\n");
}

TEST_F(MergeZooTest, OddAuthorsAndEncodings) {
  Work(
      "echo 1 > a; git add a; git commit -qm x\n"
      "tree=$(git rev-parse 'HEAD^{tree}'); base=$(git rev-parse HEAD~)\n"
      "printf 'tree %s\\nparent %s\\nauthor J\\366rg <> 1000000000 -1130\\ncommitter  <c@x> "
      "1000000001 +0545\\nencoding ISO-8859-1\\n\\ngr\\374n\\n\\n\\n' $tree $base > ../raw\n"
      "git reset -q --hard $(git hash-object -t commit -w --literally ../raw)");
  Land();
  const std::string raw = Raw("main");
  EXPECT_THAT(raw, HasSubstr("author J\366rg <> 1000000000 -1130\n"));
  EXPECT_THAT(raw, HasSubstr("committer  <c@x> 1000000001 +0545\n"));
  EXPECT_THAT(raw, HasSubstr("encoding ISO-8859-1\n\ngr\374n\n\n\n"));
}

TEST_F(MergeZooTest, OddPaths) {
  CommitWork(
      "echo 1 > \"$(printf 'new\\nline')\"; echo 2 > '\"quoted\" \\\\ tab\t'; echo 3 > -dash;"
      "echo 4 > \"$(printf 'latin\\351')\"; mkdir ' '; echo 5 > ' /*'; echo 6 > ':(top)x'");
  ExpectLanded();
}

TEST_F(MergeZooTest, ConflictsInOddPathsAreReported) {
  const std::string write = " > \"$(printf 'new\\nline\\351')\"; git add -A; git commit -qm ";
  Script("echo 1" + write + "one");
  Work("echo 2" + write + "work");
  Script("echo 3" + write + "three");
  EXPECT_EQ(ProcessAll().exit_code, 1);
  EXPECT_EQ(WriteJson(*Entry("m1").Find("conflict_files")), "[\"new\\nline\xef\xbf\xbd\"]");
  EXPECT_THAT(Queue({"list"}).out, Not(HasSubstr("new\nline")));
}

TEST_F(MergeZooTest, Submodules) {
  Script(
      "git init -q ../part; cd ../part; echo 1 > inside; git add .; git commit -qm part; cd -;"
      "git -c protocol.file.allow=always submodule --quiet add ../part part; git commit -qm part");
  Work(
      "cd part; echo 2 > inside; git commit -qam two; cd ..; git add part; echo 1 > a; git add a;"
      "git commit -qm work; git checkout -q main; git submodule --quiet update; git checkout -q a "
      "2>/dev/null; git -c protocol.file.allow=always submodule --quiet update || true");
  Script("git submodule --quiet update");
  const RunOutcome outcome = ProcessAll();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(Script("git rev-parse main:part"),
            Script("git rev-parse refs/belay/merge/m1/head:part"));
  EXPECT_EQ(FileOf("a"), "1\n");
  ExpectTidy();
}

TEST_F(MergeZooTest, ABranchWithoutACommonCommitIsLandedOrRefusedClearly) {
  Work(
      "git checkout -q --orphan b; git rm -rfq .; echo 1 > a; git add a; git commit -qm root;"
      "git branch -f a; git checkout -q a");
  EXPECT_EQ(ProcessAll().exit_code, 1);
  EXPECT_EQ(Status("m1"), "conflict");
  EXPECT_NE(ErrorOf("m1"), "(null)");
  EXPECT_EQ(History(), "first\nmore\n");
}

}  // namespace
}  // namespace belay

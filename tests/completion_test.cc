// The scripts, in the shells they are for.

#include <gmock/gmock.h>

#include "sandbox.h"
#include "testing/places.h"

namespace belay {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class CompletionTest : public Sandbox {
 protected:
  // What bash would offer for the last of these words.
  std::string InBash(const std::string& words) {
    const std::string script =
        "source <(\"$0\" completion bash); COMP_WORDS=(" + words +
        "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _belay; echo \"${COMPREPLY[*]}\"";
    const RunOutcome outcome = RunReal({"bash", "-c", script, BelayBinary()});
    EXPECT_EQ(outcome.err, "");
    return outcome.out;
  }
};

TEST_F(CompletionTest, OffersCommandsVerbsOptionsAndValuesInBash) {
  EXPECT_EQ(InBash("belay comp"), "completion\n");
  EXPECT_EQ(InBash("belay config ''").substr(0, 10), "show check");
  EXPECT_EQ(InBash("belay init --re"), "--remove\n");
  EXPECT_EQ(InBash("belay init --agent c"), "claude codex\n");
  EXPECT_EQ(InBash("belay --root /tmp completion z"), "zsh\n");
  EXPECT_EQ(InBash("belay help doc"), "doctor\n");
  EXPECT_EQ(InBash("belay doctor --js"), "--json\n");
  EXPECT_EQ(InBash("belay snapshot ''").substr(0, 28), "take list show restore prune");
  EXPECT_EQ(InBash("belay snapshot restore 7 --dry"), "--dry-run\n");
  folder_.MakeFolder("My Folder");
  EXPECT_EQ(InBash("belay snapshot restore 7 --into " + (folder_ / "My")),
            (folder_ / "My Folder") + "\n");
  EXPECT_EQ(InBash("belay --root " + (folder_ / "My")), (folder_ / "My Folder") + "\n");
}

TEST_F(CompletionTest, OffersTheSameInFish) {
  const auto in_fish = [](const std::string& line) {
    const std::string script = "$argv[1] completion fish | source; complete -C '" + line + "'";
    return RunReal({"fish", "--no-config", "-c", script, BelayBinary()}).out;
  };
  EXPECT_THAT(in_fish("belay comp"), HasSubstr("completion\tPrint a completion script"));
  EXPECT_EQ(in_fish("belay config sh"), "show\n");
  EXPECT_THAT(in_fish("belay init --agent cl"), StartsWith("claude"));
  EXPECT_THAT(in_fish("belay doctor --js"), HasSubstr("--json"));
}

TEST_F(CompletionTest, LoadsInZsh) {
  const RunOutcome outcome =
      RunReal({"zsh", "-f", "-c",
               "autoload -Uz compinit && compinit -D -u && source <(\"$0\" completion zsh) && "
               "whence -w _belay && echo $_comps[belay]",
               BelayBinary()});
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.out, "_belay: function\n_belay\n");
}

}  // namespace
}  // namespace belay

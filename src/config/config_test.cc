#include "config/config.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>

#include "base/utf8.h"

namespace belay {
namespace {

ConfigOutcome Read(std::string text) {
  const ConfigSource source{"f.yml", std::move(text), false};
  return ReadConfig({&source, 1});
}

// All problems, one line each, as "line:column what | hint".
std::string Problems(std::string text) {
  std::string out;
  for (const Error& problem : Read(std::move(text)).problems) {
    out += problem.message + " | " + problem.hint + "\n";
  }
  return out;
}

TEST(ConfigTest, HasADefaultForEveryKey) {
  const ConfigOutcome outcome = ReadConfig({});
  EXPECT_TRUE(outcome.problems.empty());
  EXPECT_EQ(outcome.config.settings().size(), ConfigKeys().size());
  EXPECT_EQ(outcome.config.Text("merge.target"), "main");
  EXPECT_EQ(outcome.config.Integer("context_preservation.max_resume_count"), 2);
  EXPECT_TRUE(outcome.config.Boolean("context_preservation.enabled"));
  for (const Setting& setting : outcome.config.settings()) EXPECT_EQ(setting.origin, "default");
}

TEST(ConfigTest, EveryKeyBelongsToAKnownSection) {
  for (const ConfigKey& key : ConfigKeys()) {
    const std::string_view section = key.path.substr(0, key.path.find('.'));
    EXPECT_NE(std::ranges::find(ConfigSections(), section), ConfigSections().end()) << key.path;
  }
}

TEST(ConfigTest, LimitsThatAreOutOfOrderAreRefused) {
  EXPECT_EQ(Problems("context: {low: 40, warning: 50, critical: 60, emergency: 61}\n"), "");
  EXPECT_EQ(Problems("context:\n  low: 80\n"),
            "f.yml:2: context.warning is 70, but must be more than context.low, which is 80 | \n");
  EXPECT_EQ(
      Problems("context:\n  critical: 90\n  emergency: 90\n"),
      "f.yml:3: context.emergency is 90, but must be more than context.critical, which is 90 | \n");
}

TEST(ConfigTest, ReadsTheExampleThatScriptsRelyOn) {
  const ConfigOutcome outcome = Read(
      "merge:\n  target: trunk\n  strategy: squash          # rebase | squash | merge\n  slots: 3\n"
      "  gates:\n    - name: test\n      run: \"make test\"\n      timeout: 10m\n      retries: 1\n"
      "    - {name: lint, run: make lint}\n");
  ASSERT_TRUE(outcome.problems.empty());
  EXPECT_EQ(outcome.config.Text("merge.strategy"), "squash");
  EXPECT_EQ(outcome.config.settings()[0].origin, "f.yml:2");
  EXPECT_EQ(WriteJson(outcome.config.settings()[3].value),
            R"([{"name":"test","run":"make test","timeout":"10m","retries":1},)"
            R"({"name":"lint","run":"make lint","timeout":"10m","retries":0}])");
}

TEST(ConfigTest, NamesTheNearestKnownKey) {
  EXPECT_EQ(Problems("merge:\n  stratgy: rebase\n"),
            "f.yml: line 2, column 3: unknown key merge.stratgy | did you mean merge.strategy?\n");
  EXPECT_EQ(Problems("mrege: {}\n"),
            "f.yml: line 1, column 1: unknown section mrege | did you mean merge?\n");
  EXPECT_EQ(Problems("slots: 2\n"),
            "f.yml: line 1, column 1: unknown section slots | did you mean merge.slots?\n");
  EXPECT_EQ(Problems("ui: {zzzzzz: 1}\n"),
            "f.yml: line 1, column 6: unknown key ui.zzzzzz | ui has color\n");
  EXPECT_EQ(Problems("arc: {x: 1}\n"),
            "f.yml: line 1, column 7: unknown key arc.x | arc has no keys in this version\n");
}

TEST(ConfigTest, NamesTheAllowedValues) {
  EXPECT_EQ(
      Problems("merge:\n  slots: 0\n"),
      "f.yml: line 2, column 10: merge.slots must be a whole number from 1 to 64, not \"0\" | \n");
  EXPECT_EQ(Problems("merge:\n  slots: \"2\"\n").substr(0, 21), "f.yml: line 2, column");
  EXPECT_EQ(
      Problems("merge:\n  slots:\n"),
      "f.yml: line 2, column 3: merge.slots must be a whole number from 1 to 64, not empty | \n");
  EXPECT_EQ(Problems("ui: {color: allways}\n"),
            "f.yml: line 1, column 13: ui.color must be auto or never, not \"allways\" | \n");
  EXPECT_EQ(Problems("context_preservation: {enabled: yes}\n"),
            "f.yml: line 1, column 33: context_preservation.enabled must be true or false, not "
            "\"yes\" | \n");
  EXPECT_EQ(Problems("merge: {gates: [{name: a, run: b, timeout: 10}]}\n"),
            "f.yml: line 1, column 44: merge.gates[0].timeout must be a duration, not \"10\" | "
            "write it like 90s, 10m or 1h30m\n");
  EXPECT_EQ(Problems("- a\n"), "f.yml: line 1, column 1: the file must be a map of sections | \n");
}

TEST(ConfigTest, ReadsListsOfPatterns) {
  EXPECT_EQ(ReadConfig({}).config.Patterns("taint.sources").front(), ".env*");
  const ConfigOutcome outcome = Read("taint: {sources: [\"*.pem\", private/**]}\n");
  ASSERT_TRUE(outcome.problems.empty());
  EXPECT_EQ(outcome.config.Patterns("taint.sources"),
            (std::vector<std::string>{"*.pem", "private/**"}));
  EXPECT_TRUE(Read("taint: {sources: []}\n").config.Patterns("taint.sources").empty());
}

TEST(ConfigTest, RefusesPatternsThatCouldNeverMatch) {
  EXPECT_EQ(
      Problems("taint: {sources: [private/]}\n"),
      "f.yml: line 1, column 19: taint.sources[0] must be a pattern, not \"private/\" | write "
      "it like *.pem, or secrets/** for a folder\n");
  EXPECT_EQ(
      Problems("taint: {sources: '*.pem'}\n"),
      "f.yml: line 1, column 18: taint.sources must be a list of patterns, not \"*.pem\" | \n");
  for (const std::string_view wrong : {"/etc", "'!a'", "a//b", "''", "{a: b}", "./a", "a/../b"}) {
    EXPECT_EQ(Read("taint: {sources: [" + std::string(wrong) + "]}\n").problems.size(), 1u)
        << wrong;
  }
}

TEST(ConfigTest, RefusesPatternsThatWouldMeanSomethingElse) {
  for (const std::string_view wrong : {"'*.[pk]em'", "'a]'", "'*.{pem,key}'", "'a}'", "'a\\b'",
                                       "'**.pem'", "'a/b**/c'", "'***'"}) {
    EXPECT_EQ(Read("taint: {sources: [" + std::string(wrong) + "]}\n").problems.size(), 1u)
        << wrong;
  }
  EXPECT_EQ(
      Problems("taint: {sources: ['a**']}\n"),
      "f.yml: line 1, column 19: taint.sources[0] must be a pattern, not \"a**\" | use ** only "
      "between slashes, for any number of folders; inside a name write *\n");
  EXPECT_TRUE(Read("taint: {sources: ['**/a?/*', '**', '**/x/**']}\n").problems.empty());
}

TEST(ConfigTest, ReadsLengthsOfTime) {
  EXPECT_EQ(ReadConfig({}).config.Length("snapshot.keep_age"), std::chrono::hours(30 * 24));
  EXPECT_EQ(Read("snapshot: {keep_age: 2h}\n").config.Length("snapshot.keep_age"),
            std::chrono::hours(2));
}

TEST(ConfigTest, RefusesLengthsThatWouldSpinOrNeverEnd) {
  EXPECT_EQ(Problems("supervise: {heartbeat: 0}\n"),
            "f.yml: line 1, column 24: supervise.heartbeat must be a duration from 1s to 1m, "
            "not \"0\" | write it like 90s, 10m or 1h30m\n");
  for (const std::string_view wrong :
       {"heartbeat: 61s", "snapshot_every: 999ms", "silent_after: 0", "crash_window: 31d",
        "first_backoff: 9ms", "longest_backoff: 0", "wait_length: 500ms", "spawn_deadline: 0",
        "healthy_after: 999d", "stop_grace: 31d", "most_crashes: 0"}) {
    EXPECT_EQ(Read("supervise: {" + std::string(wrong) + "}\n").problems.size(), 1u) << wrong;
  }
  for (const std::string_view right : {"heartbeat: 1s", "heartbeat: 60s", "stop_grace: 0",
                                       "crash_window: 30d", "first_backoff: 10ms"}) {
    EXPECT_TRUE(Read("supervise: {" + std::string(right) + "}\n").problems.empty()) << right;
  }
}

TEST(ConfigTest, KnowsThePoliciesOfSupervision) {
  EXPECT_EQ(Problems("supervise: {on_hung: retry}\n"),
            "f.yml: line 1, column 22: supervise.on_hung must be respawn, wait, ask or leave, not "
            "\"retry\" | \n");
}

TEST(ConfigTest, WantsGatesWithDifferentNamesAndSomethingToRun) {
  EXPECT_EQ(Problems("merge: {gates: [{name: a, run: b}, {name: a, run: c}]}\n"),
            "f.yml: line 1, column 36: merge.gates[1].name is the name of an earlier gate | \n");
  EXPECT_EQ(Problems("merge: {gates: [{name: a}]}\n"),
            "f.yml: line 1, column 17: merge.gates[0].run is missing | \n");
}

TEST(ConfigTest, ListsAllMistakesAndAcceptsNone) {
  ConfigOutcome outcome = Read("merge:\n  slots: x\n  target: {}\n");
  EXPECT_EQ(outcome.problems.size(), 2u);
  const Result<Config> config = Accept(std::move(outcome));
  ASSERT_FALSE(config.ok());
  EXPECT_EQ(config.error().code, ErrorCode::kUsage);
  EXPECT_EQ(config.error().hint, "belay config check lists 1 more");
}

TEST(ConfigTest, TakesOneSectionFromASharedFileAndLeavesTheRestToItsOwners) {
  const ConfigSource sources[] = {
      {"t.yml",
       "other: {x: 1}\ncontext_preservation:\n  theirs: 1\n  max_resume_count: 5\n"
       "  enabled: false\n",
       true},
      {"b.yml", "context_preservation:\n  enabled: true\n", false}};
  const ConfigOutcome outcome = ReadConfig(sources);
  ASSERT_TRUE(outcome.problems.empty());
  EXPECT_EQ(outcome.config.Integer("context_preservation.max_resume_count"), 5);
  EXPECT_TRUE(outcome.config.Boolean("context_preservation.enabled"));
  std::map<std::string_view, std::string> origins;
  for (const Setting& setting : outcome.config.settings()) {
    origins.insert_or_assign(setting.key->path, setting.origin);
  }
  EXPECT_EQ(origins.at("context_preservation.enabled"), "b.yml:2");
  EXPECT_EQ(origins.at("context_preservation.max_resume_count"), "t.yml:4");
}

TEST(ConfigTest, WarnsOfASharedFileThatItCannotRead) {
  for (const std::string_view text : {"a: &x 1\nb: *x\n", "a: 1\na: 2\n", "just text\n", "[\n"}) {
    const ConfigSource source{"t.yml", std::string(text), true};
    const ConfigOutcome outcome = ReadConfig({&source, 1});
    EXPECT_TRUE(outcome.problems.empty()) << text;
    EXPECT_EQ(outcome.warnings.size(), 1u) << text;
  }
}

TEST(ConfigTest, RefusesWrongValuesInASharedFileToo) {
  const ConfigSource source{"t.yml", "context_preservation: {enabled: 7}\n", true};
  EXPECT_EQ(ReadConfig({&source, 1}).problems.size(), 1u);
}

TEST(ConfigTest, NeverTakesRandomBytesForSettings) {
  EXPECT_TRUE(rc::check([](const std::string& bytes) {
    const ConfigOutcome outcome = Read("merge:\n  target: " + bytes);
    for (const Error& problem : outcome.problems) {
      RC_ASSERT(problem.message.starts_with("f.yml: line "));
      RC_ASSERT(FindInvalidUtf8(problem.message) == std::string::npos);
    }
  }));
}

}  // namespace
}  // namespace belay

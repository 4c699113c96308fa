#include "adapters/claude/adapter.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "adapters/claude/sessions.h"
#include "adapters/claude/test_transcript.h"
#include "os/process_identity.h"
#include "testing/temp_folder.h"

namespace belay {
namespace {

using Words = std::vector<std::string>;
const std::string kId(kSessionId);
constexpr std::string_view kOtherId = "9a1c7d20-0b5e-4f38-8c62-7e4d1f3a5b90";

class ClaudeContinueTest : public testing::Test {
 protected:
  ClaudeContinueTest() { WriteTranscript(UserLine() + "\n" + AnswerLine() + "\n"); }

  void WriteTranscript(const std::string& bytes) { home_.Write(Transcript(), bytes); }
  static std::string Transcript() { return ".claude/projects/-w/" + kId + ".jsonl"; }

  ContinueRequest Request() const {
    return {.last = {kId, home_ / Transcript()},
            .command = {"claude", "-p", "their words"},
            .command_before = {"claude", "-p", "their words"},
            .text = "our words",
            .folder = home_.path(),
            .environment = {{"HOME", home_.path()}}};
  }
  Continuation Continue(const ContinueRequest& request) const {
    return ClaudeAdapter().Continue(files_, request);
  }
  std::string WhyNot(const ContinueRequest& request) const {
    const Continuation next = Continue(request);
    EXPECT_FALSE(next.same_conversation) << next.why;
    EXPECT_EQ(next.command, (Words{"claude", "-p", "--", "their words\n\nour words"}));
    return next.why;
  }
  std::string WhyNot() const { return WhyNot(Request()); }

  void WriteSession(pid_t pid, const std::string& start, const std::string& more = "",
                    std::string_view id = kSessionId) {
    home_.Write(fmt::format(".claude/sessions/{}.json", pid),
                fmt::format(R"({{"pid":{},"sessionId":"{}","cwd":"/w","procStart":"{}"{}}})", pid,
                            id, start, more));
  }
  static std::string OwnStart() { return std::to_string(ReadProcStat(getpid())->start_time); }

  TempFolder home_;
  RealFileCalls calls_;
  FileSystem files_{calls_};
};

TEST_F(ClaudeContinueTest, ContinuesInAWholeConversationWithoutAskingTheSameAgain) {
  const Continuation next = Continue(Request());
  EXPECT_TRUE(next.same_conversation) << next.why;
  EXPECT_EQ(next.command, (Words{"claude", "--resume", kId, "-p", "--", "our words"}));
  EXPECT_EQ(next.why, "conversation " + kId + " is intact, and no other process uses it");
}

TEST_F(ClaudeContinueTest, ANewPromptOfThePersonIsNotInTheConversationYet) {
  ContinueRequest request = Request();
  request.command = {"claude", "--model", "opus", "-p", "their words"};
  EXPECT_EQ(Continue(request).command.back(), "our words");
  request.command = {"claude", "-p", "go on please"};
  EXPECT_EQ(Continue(request).command,
            (Words{"claude", "--resume", kId, "-p", "--", "go on please\n\nour words"}));
}

// A text that belay adds could be a second positional argument.
TEST_F(ClaudeContinueTest, ACommandWithAnUnknownOptionContinuesWithoutAText) {
  ContinueRequest request = Request();
  request.command = request.command_before = {"claude", "-p", "--new-option", "their words"};
  EXPECT_FALSE(ClaudeAdapter().TakesText(request.command));
  EXPECT_TRUE(ClaudeAdapter().TakesArguments(request.command));
  EXPECT_EQ(Continue(request).command,
            (Words{"claude", "--resume", kId, "-p", "--new-option", "their words"}));
  EXPECT_EQ(ClaudeAdapter().StartCommand({request.command, "our words"}), request.command);
}

TEST_F(ClaudeContinueTest, ATornLastLineIsNoObstacle) {
  WriteTranscript(UserLine() + "\n" + AnswerLine().substr(0, 100));
  EXPECT_TRUE(Continue(Request()).same_conversation);
}

TEST_F(ClaudeContinueTest, TheConfigFolderIsThatOfTheAgent) {
  ContinueRequest request = Request();
  request.environment = {{"HOME", "/nowhere"}, {"CLAUDE_CONFIG_DIR", home_ / ".claude/"}};
  EXPECT_TRUE(Continue(request).same_conversation);
  request.environment["CLAUDE_CONFIG_DIR"] = ".claude";
  EXPECT_TRUE(Continue(request).same_conversation);
  request.environment = {{"HOME", home_.path()}, {"CLAUDE_CONFIG_DIR", home_ / "other"}};
  EXPECT_EQ(WhyNot(request), "the transcript isn't in Claude Code's folder");
  request.environment = {};
  EXPECT_EQ(WhyNot(request), "Claude Code's configuration folder is unknown");
}

TEST_F(ClaudeContinueTest, BeginsANewOneWhenThereIsNothingToContinueWith) {
  ContinueRequest request = Request();
  request.last = {};
  EXPECT_EQ(WhyNot(request), "it never reported its conversation");
  for (const char* id : {"--version",
                         "../"
                         "x",
                         "3F2B8C1E-5D47-4A90-9E61-0C7D2A4B8E15", "x"}) {
    request.last = {id, home_ / Transcript()};
    EXPECT_EQ(WhyNot(request), "it reported an invalid conversation id") << id;
  }
  WriteTranscript("{\"type\":\"queue-operation\"}\n" + UserLine().substr(0, 60));
  EXPECT_EQ(WhyNot(), "the transcript has no complete message");
  WriteTranscript("");
  EXPECT_EQ(WhyNot(), "the transcript has no complete message");
  ASSERT_EQ(unlink((home_ / Transcript()).c_str()), 0);
  EXPECT_EQ(WhyNot(), "the transcript is gone");
}

TEST_F(ClaudeContinueTest, BeginsANewOneWhenTheOldOneIsFull) {
  WriteTranscript(UserLine() + "\n" + AnswerLine() + "\n" +
                  ErrorLine("Prompt is too long", R"("error":"invalid_request")") + "\n");
  EXPECT_EQ(WhyNot(), "its context window was full");
}

TEST_F(ClaudeContinueTest, ATranscriptElsewhereOrOfAnotherIsNotTaken) {
  ContinueRequest request = Request();
  request.last.id = kOtherId;
  EXPECT_EQ(WhyNot(request), "the transcript belongs to another conversation");
  home_.Write("stray/-w/" + kId + ".jsonl", AnswerLine() + "\n");
  request = Request();
  request.last.transcript = home_ / ("stray/-w/" + kId + ".jsonl");
  EXPECT_EQ(WhyNot(request), "the transcript isn't in Claude Code's folder");
  home_.Write(".claude/" + kId + ".jsonl", AnswerLine() + "\n");
  request.last.transcript = home_ / (".claude/projects/../" + kId + ".jsonl");
  EXPECT_EQ(WhyNot(request), "the transcript isn't in Claude Code's folder");
}

TEST_F(ClaudeContinueTest, LinesOfAnotherConversationUnderItsNameAreNotTaken) {
  const std::string others =
      UserLine("go on", false, kOtherId) + "\n" + AnswerLine({.session = kOtherId}) + "\n";
  WriteTranscript(others);
  EXPECT_EQ(WhyNot(), "the transcript belongs to another conversation");
  WriteTranscript(UserLine() + "\n" + others + AnswerLine().substr(0, 100));
  EXPECT_EQ(WhyNot(), "the transcript belongs to another conversation");
  // A fork starts like this in 2.0.77.
  WriteTranscript(others + AnswerLine() + "\n");
  EXPECT_TRUE(Continue(Request()).same_conversation);
}

TEST_F(ClaudeContinueTest, LinksAreNotFollowed) {
  const std::string path = home_ / Transcript();
  ASSERT_EQ(rename(path.c_str(), (home_ / "real").c_str()), 0);
  ASSERT_EQ(symlink((home_ / "real").c_str(), path.c_str()), 0);
  EXPECT_EQ(WhyNot(), "the transcript isn't a regular file of this user");
  home_.Write("real-folder/" + kId + ".jsonl", AnswerLine() + "\n");
  ASSERT_EQ(symlink((home_ / "real-folder").c_str(), (home_ / ".claude/projects/-l").c_str()), 0);
  ContinueRequest request = Request();
  request.last.transcript = home_ / (".claude/projects/-l/" + kId + ".jsonl");
  EXPECT_EQ(WhyNot(request), "the transcript isn't a regular file of this user");
}

TEST_F(ClaudeContinueTest, NeverPutsTwoProcessesIntoOneConversation) {
  WriteSession(getpid(), OwnStart());
  EXPECT_EQ(WhyNot(), fmt::format("process {} uses the conversation", getpid()));
  WriteSession(getpid(), "");
  EXPECT_EQ(WhyNot(), fmt::format("process {} uses the conversation", getpid()));
  WriteSession(getpid(), OwnStart(), "", kOtherId);
  EXPECT_TRUE(Continue(Request()).same_conversation);
}

TEST_F(ClaudeContinueTest, WhatAKillLeftBehindDoesNotCount) {
  WriteSession(getpid(), "1");  // another process has reused the pid
  EXPECT_TRUE(Continue(Request()).same_conversation);
  const pid_t child = fork();
  if (child == 0) _exit(0);
  siginfo_t info = {};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  WriteSession(child, std::to_string(ReadProcStat(child)->start_time));  // a zombie
  EXPECT_TRUE(Continue(Request()).same_conversation);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(Continue(Request()).same_conversation);
  home_.Write(".claude/sessions/1.json", "{torn");
  home_.Write(".claude/sessions/2.json", R"({"pid":-2,"sessionId":")" + kId + "\"}");
  home_.Write(".claude/sessions/3.key", "secret");
  EXPECT_TRUE(Continue(Request()).same_conversation);
}

TEST_F(ClaudeContinueTest, AProcessOfAnotherMachineCountsSinceItCannotBeSeen) {
  WriteSession(1, "1", R"(,"pidDomain":"linux:0123456789abcdef:pid:[1]")");
  EXPECT_EQ(WhyNot(), "process 1 on another machine or container uses the conversation");
  const Result<std::string> machine = files_.Read("/etc/machine-id", 1024);
  if (!machine) GTEST_SKIP() << "no /etc/machine-id here";
  const std::string domain = fmt::format("linux:{}:{}", machine->substr(0, machine->find('\n')),
                                         *files_.ReadLink("/proc/self/ns/pid"));
  WriteSession(1, "1", ",\"pidDomain\":\"" + domain + "\"");
  EXPECT_TRUE(Continue(Request()).same_conversation);
}

TEST_F(ClaudeContinueTest, ThePersonsChoiceOfAConversationGivesWayToTheLastOne) {
  ContinueRequest request = Request();
  for (const Words& choice : {Words{"--continue"}, Words{"--resume", std::string(kOtherId)},
                              Words{"--session-id", kId}, Words{"-r", kId, "--fork-session"}}) {
    request.command = {"claude", "-p"};
    request.command.insert(request.command.end(), choice.begin(), choice.end());
    EXPECT_EQ(Continue(request).command,
              (Words{"claude", "--resume", kId, "-p", "--", "our words"}))
        << choice[0];
  }
}

TEST_F(ClaudeContinueTest, ANewConversationDoesNotTakeAnIdInUse) {
  ContinueRequest request = Request();
  ASSERT_EQ(unlink(request.last.transcript.c_str()), 0);
  const Words plain{"claude", "-p", "--", "our words"};
  for (const Words& choice :
       {Words{"--continue"}, Words{"--resume"}, Words{"--resume", kId}, Words{"--session-id", kId},
        Words{"-r", "a title"}, Words{"-r", kId, "--fork-session"}}) {
    request.command = {"claude", "-p"};
    request.command.insert(request.command.end(), choice.begin(), choice.end());
    EXPECT_EQ(Continue(request).command, plain) << choice[0];
  }
  const std::string other(kOtherId);
  request.command = {"claude", "--resume", other, "-p"};
  EXPECT_EQ(Continue(request).command,
            (Words{"claude", "--resume", other, "-p", "--", "our words"}));
  WriteSession(getpid(), OwnStart(), "", kOtherId);
  EXPECT_EQ(Continue(request).command, plain);
  request.command = {"claude", "--resume", other, "--fork-session", "-p"};
  EXPECT_EQ(Continue(request).command,
            (Words{"claude", "--resume", other, "--fork-session", "-p", "--", "our words"}));
}

// Without hooks, Claude Code's own session file names the conversation of a process.
TEST_F(ClaudeContinueTest, FindsTheConversationInClaudeCodesOwnFiles) {
  ContinueRequest request = Request();
  request.last = {};
  request.process = {4'000'001, 99};
  EXPECT_EQ(WhyNot(request), "it never reported its conversation");
  WriteSession(4'000'001, "99");
  const Continuation next = Continue(request);
  EXPECT_TRUE(next.same_conversation) << next.why;
  EXPECT_EQ(next.session, kId);
  EXPECT_EQ(next.command, (Words{"claude", "--resume", kId, "-p", "--", "our words"}));
  request.process.start = 98;  // another process had that pid
  EXPECT_EQ(WhyNot(request), "it never reported its conversation");
}

TEST_F(ClaudeContinueTest, ATranscriptThatIsThereTwiceIsNotGuessed) {
  ContinueRequest request = Request();
  request.last.transcript.clear();
  EXPECT_TRUE(Continue(request).same_conversation);
  home_.Write(".claude/projects/-v/" + kId + ".jsonl", UserLine() + "\n");
  EXPECT_EQ(WhyNot(request), "the transcript belongs to another conversation");
}

TEST_F(ClaudeContinueTest, AWrapperGetsNoArguments) {
  ContinueRequest request = Request();
  request.command = {"./agent.sh", "--resume"};
  const Continuation next = Continue(request);
  EXPECT_FALSE(next.same_conversation);
  EXPECT_EQ(next.command, request.command);
  EXPECT_EQ(next.why, "its command doesn't start Claude Code directly, so belay adds no arguments");
  EXPECT_EQ(ClaudeAdapter().StartCommand({request.command, "our words"}), request.command);
}

TEST(ClaudeAdapterTest, ATextGoesBehindThePersonsPrompt) {
  const AgentAdapter& claude = ClaudeAdapter();
  EXPECT_TRUE(claude.TextIsArgument(false));
  EXPECT_EQ(claude.StartCommand({{"claude", "-p"}, "our words"}),
            (Words{"claude", "-p", "--", "our words"}));
  EXPECT_EQ(claude.StartCommand({{"claude", "theirs"}, "our words"}),
            (Words{"claude", "--", "theirs\n\nour words"}));
  EXPECT_EQ(claude.StartCommand({{"claude", "theirs"}, ""}), (Words{"claude", "theirs"}));
  EXPECT_EQ(claude.StartCommand({{"claude", "-p", "x"}, "", "/s.json"}),
            (Words{"claude", "--settings", "/s.json", "-p", "--", "x "}));
  EXPECT_EQ(claude.StartCommand({{"claude", "--settings=/t", "x y"}, "", "/s.json"}),
            (Words{"claude", "--settings=/t", "--", "x y"}));
  EXPECT_TRUE(claude.TakesSettings({"env", "A=1", "claude"}));
  EXPECT_FALSE(claude.TakesSettings({"claude", "--settings", "/t"}));
  EXPECT_FALSE(claude.TakesSettings({"./loop.sh"}));
  EXPECT_EQ(claude.StartCommand({{"sh", "-c", "claude -p 'theirs'"}, "our words"}),
            (Words{"sh", "-c", "claude -p -- 'theirs\n\nour words'"}));
  const std::string most(99'000, 'x');
  EXPECT_EQ(claude.StartCommand({{"claude", most}, most + " y"}).back(), most + " y");
}

TEST(ClaudeAdapterTest, ReadsTheContext) {
  const TempFolder folder;
  RealFileCalls calls;
  const FileSystem files(calls);
  folder.Write("t.jsonl", AnswerLine() + "\n");
  EXPECT_EQ(ClaudeAdapter().ReadContext(files, folder / "t.jsonl")->tokens, 59412U);
  EXPECT_FALSE(ClaudeAdapter().ReadContext(files, folder / "none.jsonl"));
}

}  // namespace
}  // namespace belay

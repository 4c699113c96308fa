// `belay attach` and `belay logs`, on a real terminal where it matters.

#include "host/attach.h"

#include <gmock/gmock.h>
#include <poll.h>
#include <termios.h>

#include "exec_sandbox.h"
#include "os/fd.h"
#include "os/pseudo_terminal.h"
#include "os/socket.h"
#include "testing/places.h"

namespace belay {
namespace {

using ::testing::HasSubstr;

constexpr int kLongestWait = 30'000;

// A person with a terminal, and a program on it.
class Person {
 public:
  explicit Person(std::vector<std::string> command, TerminalSize size = {})
      : terminal_(*PseudoTerminal::Open(size)),
        before_(Modes()),
        program_(*HeldProcess::Start(
            {std::move(command), "/", {{"PATH", getenv("PATH")}, {"TERM", "xterm"}}}, terminal_)) {
    EXPECT_TRUE(program_.LetGo().has_value());
  }
  ~Person() {
    (void)program_.process().Signal(SIGKILL);
    (void)program_.process().Wait();
  }

  // Reads until the text has come, from the last such place on.
  bool Sees(const std::string& text) {
    while (seen_.find(text, from_) == std::string::npos) {
      pollfd ready{terminal_.fd(), POLLIN, 0};
      char buffer[4096];
      if (poll(&ready, 1, kLongestWait) <= 0) return false;
      const std::size_t count = terminal_.Read(buffer, sizeof(buffer));
      if (count == 0) return false;
      seen_.append(buffer, count);
    }
    from_ = seen_.find(text, from_) + text.size();
    return true;
  }
  void Types(const std::string& keys) { EXPECT_EQ(terminal_.Write(keys), keys.size()); }
  void Resizes(TerminalSize size) { EXPECT_TRUE(terminal_.Resize(size).ok()); }
  void IsSent(int signal) { EXPECT_TRUE(program_.process().Signal(signal).ok()); }
  ExitStatus Ends() { return program_.process().Wait(); }
  bool HasTheModesOfBefore() const {
    const termios now = Modes();
    return now.c_lflag == before_.c_lflag && now.c_iflag == before_.c_iflag &&
           now.c_oflag == before_.c_oflag;
  }
  const std::string& seen() const { return seen_; }

 private:
  termios Modes() const {
    termios modes{};
    EXPECT_EQ(tcgetattr(terminal_.fd(), &modes), 0);
    return modes;
  }

  PseudoTerminal terminal_;
  termios before_;
  HeldProcess program_;
  std::string seen_;
  std::size_t from_ = 0;
};

class AttachTest : public ExecSandbox {
 protected:
  std::vector<std::string> Attach(const std::string& name) const {
    return {BelayBinary(), "attach", "--root", project_.Root(), name};
  }
  AgentId StartAgent(const std::string& script) {
    const AgentId agent = PrepareShell("worker-a#1", script);
    StartInBackground(agent);
    EXPECT_TRUE(AwaitLog(agent, "ready"));
    return agent;
  }
};

constexpr const char* kEcho = "echo ready; while read x; do echo \"got:$x\"; done";

TEST_F(AttachTest, ShowsWhatWasAndWhatComesAndTypes) {
  StartAgent(kEcho);
  Person person(Attach("worker-a"));
  EXPECT_TRUE(person.Sees("detach with Ctrl-\\ d"));
  EXPECT_TRUE(person.Sees("ready")) << person.seen();
  person.Types("hello\r");
  EXPECT_TRUE(person.Sees("got:hello")) << person.seen();
}

TEST_F(AttachTest, DetachesAndTheAgentContinues) {
  const AgentId agent = StartAgent(kEcho);
  Person person(Attach("worker-a"));
  EXPECT_TRUE(person.Sees("ready"));
  person.Types("\x1C");
  person.Types("d");
  EXPECT_TRUE(person.Sees("detached; worker-a keeps running")) << person.seen();
  EXPECT_EQ(person.Ends(), ExitStatus::Exited(0));
  EXPECT_TRUE(person.HasTheModesOfBefore());
  EXPECT_TRUE(TypeInto(project_, agent.identity(), "still\r", std::chrono::seconds(20)).ok());
  EXPECT_TRUE(AwaitLog(agent, "got:still"));
}

TEST_F(AttachTest, TheAgentsTerminalHasTheSizeOfThePersons) {
  StartAgent("trap 'stty size' WINCH; echo ready; while :; do sleep 0.05; done");
  Person person(Attach("worker-a"), {33, 101});
  EXPECT_TRUE(person.Sees("33 101")) << person.seen();
  person.Resizes({44, 120});
  EXPECT_TRUE(person.Sees("44 120")) << person.seen();
}

TEST_F(AttachTest, SeveralPeopleSeeTheSame) {
  StartAgent(kEcho);
  Person one(Attach("worker-a"));
  Person other(Attach("worker-a"));
  EXPECT_TRUE(one.Sees("ready"));
  EXPECT_TRUE(other.Sees("ready"));
  one.Types("hello\r");
  EXPECT_TRUE(one.Sees("got:hello"));
  EXPECT_TRUE(other.Sees("got:hello"));
}

TEST_F(AttachTest, ReportsHowTheAgentEnded) {
  StartAgent("echo ready; read x; exit 7");
  Person person(Attach("worker-a"));
  EXPECT_TRUE(person.Sees("ready"));
  person.Types("\r");
  EXPECT_TRUE(person.Sees("worker-a has ended: exit code 7")) << person.seen();
  EXPECT_EQ(person.Ends(), ExitStatus::Exited(0));
  EXPECT_TRUE(person.HasTheModesOfBefore());
}

TEST_F(AttachTest, ASignalGivesTheTerminalBack) {
  StartAgent(kEcho);
  Person person(Attach("worker-a"));
  EXPECT_TRUE(person.Sees("ready"));
  EXPECT_FALSE(person.HasTheModesOfBefore());
  person.IsSent(SIGTERM);
  EXPECT_EQ(person.Ends(), ExitStatus::Exited(0));
  EXPECT_TRUE(person.HasTheModesOfBefore());
}

TEST_F(AttachTest, WithoutATerminalItNamesAnotherWay) {
  StartAgent(kEcho);
  const RunOutcome outcome = Belay({"attach", "worker-a"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("belay logs"));
}

TEST_F(AttachTest, WithoutAListenerItIsNotFound) {
  Person person(Attach("worker-nobody"));
  EXPECT_EQ(person.Ends(), ExitStatus::Exited(3));
  ASSERT_EQ(Exec(PrepareShell("worker-a#1", "true")).exit_code, 0);
  Person late(Attach("worker-a"));
  EXPECT_TRUE(late.Sees("worker-a has ended: exit code 0")) << late.seen();
  EXPECT_EQ(late.Ends(), ExitStatus::Exited(3));
  EXPECT_EQ(late.seen().find("detach with"), std::string::npos) << late.seen();
  const Result<void> typed =
      TypeInto(project_, Id("worker-b#1").identity(), "x", std::chrono::seconds(1));
  ASSERT_FALSE(typed.ok());
  EXPECT_EQ(typed.error().code, ErrorCode::kNotFound);
}

TEST_F(AttachTest, AnotherVersionGetsOursAndIsDisconnected) {
  const AgentId agent = StartAgent(kEcho);
  const auto client = ConnectUnixIn(project_.RunFolder(), project_.RunSocketName(agent.identity()));
  ASSERT_TRUE(client.ok());
  const std::string hello = EncodeFrame(FrameType::kHello, "belay attach 2 terminal");
  ASSERT_EQ(SendSome(*client, hello), hello.size());
  std::string answer;
  ASSERT_EQ(ReadToEnd(client->get(), 1000, answer), 0);
  EXPECT_EQ(answer, EncodeHello(AttachRole::kExec));
}

TEST_F(AttachTest, LogsPrintsTheBytesAndTheLastLinesForScripts) {
  const AgentId agent = PrepareShell("worker-a#1", "printf 'one\\ntwo \\033[1mbold\\n'");
  ASSERT_EQ(Exec(agent).exit_code, 0);
  EXPECT_EQ(Belay({"logs", "worker-a"}).out, "one\r\ntwo \x1B[1mbold\r\n");
  EXPECT_EQ(Belay({"logs", "-f", "worker-a"}).out, "one\r\ntwo \x1B[1mbold\r\n");
  const Json record = BelayJson({"logs", "worker-a"});
  const Json::Array& lines = *record.Find("lines")->AsArray();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(*lines[0].AsString(), "one");
  EXPECT_EQ(*lines[1].AsString(), "two \x1B[1mbold");
  EXPECT_EQ(Belay({"logs", "worker-b"}).exit_code, 3);
}

TEST_F(AttachTest, LogsFollowsAcrossTheCutUntilTheAgentHasEnded) {
  const AgentId agent =
      StartAgent("echo ready; stty -onlcr; read x; yes 0123456 | head -c 12M; echo the end");
  Person person({"sh", "-c",
                 std::string(BelayBinary()) + " logs -f --root " + project_.Root() +
                     " worker-a > " + (folder_ / "copy") + "; echo done"});
  ASSERT_TRUE(TypeInto(project_, agent.identity(), "\r", std::chrono::seconds(20)).ok());
  EXPECT_TRUE(person.Sees("done"));
  const std::string copy = folder_.Read("copy");
  EXPECT_THAT(copy.substr(0, 7), "ready\r\n");
  EXPECT_THAT(copy.substr(copy.size() - 8), "the end\n");
}

}  // namespace
}  // namespace belay

#include "guardian/control_server.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

#include "app/control.h"
#include "os/real_event_loop.h"
#include "os/socket.h"
#include "testing/temp_folder.h"

namespace belay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr auto kBound = std::chrono::seconds(30);
const char* const kGreeting = "{\"belay\":\"control\",\"version\":1}\n";

// The server runs in the loop of its own thread; the clients run in this thread.
class ControlServerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_.MakeFolder("repo/.git/belay/run");
    auto loop = RealEventLoop::Create();
    ASSERT_TRUE(loop.ok());
    loop_ = *std::move(loop);
    auto server = ControlServer::Listen(
        *loop_, project_.GuardianSocket(),
        [this](const Json& request, const Peer& peer) { return Answer(request, peer); });
    ASSERT_TRUE(server.ok()) << server.error().message;
    server_ = *std::move(server);
    thread_ = std::thread([this] { loop_->Run(); });
  }
  void TearDown() override {
    if (loop_) loop_->Stop();
    if (thread_.joinable()) thread_.join();
  }
  Result<Json> Answer(const Json& request, const Peer& peer) {
    const Json* what = request.Find("do");
    if (what == nullptr) return Error{ErrorCode::kUsage, "what?", "say it"};
    if (what->AsString() != nullptr && *what->AsString() == "who") {
      return MakeObject({{"pid", static_cast<std::int64_t>(peer.pid)}});
    }
    return MakeObject({{"did", *what}});
  }
  LineSocket Connect() const {
    auto socket = LineSocket::Connect(project_.GuardianSocket(), kBound);
    EXPECT_TRUE(socket.ok());
    return *std::move(socket);
  }
  // The answers to the whole input: up to that many lines, or until the server closes.
  static std::vector<std::string> Lines(LineSocket& socket, std::size_t most = 100) {
    std::vector<std::string> lines;
    while (lines.size() < most) {
      Result<std::string> line = socket.ReceiveLine(kLongestControlLine);
      if (!line) break;
      lines.push_back(*std::move(line));
    }
    return lines;
  }
  std::vector<std::string> AnswerTo(const std::string& bytes) const {
    LineSocket socket = Connect();
    EXPECT_TRUE(socket.Send(bytes).ok());
    return Lines(socket);
  }

  TempFolder folder_;
  Layout project_{folder_ / "repo", folder_ / "repo/.git"};
  std::unique_ptr<RealEventLoop> loop_;
  std::unique_ptr<ControlServer> server_;
  std::thread thread_;
};

TEST_F(ControlServerTest, AnswersWhatACommandAsks) {
  const auto answer = AskGuardian(project_, MakeObject({{"do", "this"}}), kBound);
  ASSERT_TRUE(answer.ok() && *answer);
  EXPECT_EQ(WriteJson(**answer), R"({"did":"this"})");
}

TEST_F(ControlServerTest, KnowsWhoAsks) {
  const auto answer = AskGuardian(project_, MakeObject({{"do", "who"}}), kBound);
  ASSERT_TRUE(answer.ok() && *answer);
  EXPECT_EQ(*(*answer)->Find("pid")->AsInteger(), getpid());
}

TEST_F(ControlServerTest, AnErrorArrivesAsThatError) {
  const auto answer = AskGuardian(project_, MakeObject({{"x", 1}}), kBound);
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, ErrorCode::kUsage);
  EXPECT_EQ(answer.error().message, "what?");
  EXPECT_EQ(answer.error().hint, "say it");
}

TEST_F(ControlServerTest, AnswersSeveralRequestsOfOneClientInOrder) {
  LineSocket socket = Connect();
  ASSERT_TRUE(socket.Send(std::string(kGreeting) + "{\"do\":\"a\"}\n{\"do\":\"b\"}\n").ok());
  EXPECT_THAT(Lines(socket, 3), ElementsAre(R"({"belay":"control","version":1})", R"({"did":"a"})",
                                            R"({"did":"b"})"));
}

TEST_F(ControlServerTest, ARequestMayComeInPieces) {
  LineSocket socket = Connect();
  const std::string bytes = std::string(kGreeting) + "{\"do\":\"a\"}\n";
  for (const char c : bytes) ASSERT_TRUE(socket.Send(std::string(1, c)).ok());
  EXPECT_EQ(Lines(socket, 2).back(), R"({"did":"a"})");
}

TEST_F(ControlServerTest, SeveralClientsDontWaitForEachOther) {
  std::vector<LineSocket> silent;
  for (int i = 0; i < 20; ++i) silent.push_back(Connect());
  ASSERT_TRUE(silent[0].Send("{\"belay\":").ok());
  const auto answer = AskGuardian(project_, MakeObject({{"do", "this"}}), kBound);
  EXPECT_TRUE(answer.ok() && *answer);
  ASSERT_TRUE(silent[19].Send(std::string(kGreeting) + "{\"do\":\"late\"}\n").ok());
  EXPECT_EQ(Lines(silent[19], 2).back(), R"({"did":"late"})");
}

TEST_F(ControlServerTest, MoreClientsThanThereIsRoomForPushOutTheOldest) {
  std::vector<LineSocket> silent;
  for (int i = 0; i < 260; ++i) {
    silent.push_back(Connect());
    ASSERT_TRUE(silent.back().Send(kGreeting).ok());
    ASSERT_EQ(Lines(silent.back(), 1).size(), 1U);  // so it was taken in
  }
  const auto answer = AskGuardian(project_, MakeObject({{"do", "this"}}), kBound);
  EXPECT_TRUE(answer.ok() && *answer);
  EXPECT_TRUE(Lines(silent[0]).empty());
}

TEST_F(ControlServerTest, AnotherVersionIsRefusedAndNamed) {
  for (const std::string version : {"2", "0", "\"1\"", "1.5", "null"}) {
    const auto lines =
        AnswerTo("{\"belay\":\"control\",\"version\":" + version + "}\n{\"do\":\"a\"}\n");
    ASSERT_EQ(lines.size(), 2U) << version;
    EXPECT_EQ(lines[0], R"({"belay":"control","version":1})");
    EXPECT_THAT(lines[1], HasSubstr("version 1"));
  }
}

TEST_F(ControlServerTest, AClientOfAnotherProtocolIsRefused) {
  for (const std::string text : {"GET / HTTP/1.1\n", "\n", "[]\n", "{\"version\":1}\n",
                                 "{\"belay\":\"attach\",\"version\":1}\n", "\xff\xfe\n",
                                 "{\"belay\":\"control\",\"version\":1}{\n"}) {
    const auto lines = AnswerTo(text + "{\"do\":\"a\"}\n");
    ASSERT_EQ(lines.size(), 2U) << text;
    EXPECT_THAT(lines[1], HasSubstr("\"error\"")) << text;
  }
}

TEST_F(ControlServerTest, GarbageAfterTheGreetingIsAnErrorAndTheConversationContinues) {
  LineSocket socket = Connect();
  ASSERT_TRUE(socket.Send(std::string(kGreeting) + "nonsense\n{\"do\":\"a\"}\n").ok());
  const auto lines = Lines(socket, 3);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_THAT(lines[1], HasSubstr("\"error\""));
  EXPECT_EQ(lines[2], R"({"did":"a"})");
}

TEST_F(ControlServerTest, ALineThatIsTooLongEndsTheConversation) {
  LineSocket socket = Connect();
  ASSERT_TRUE(socket.Send(kGreeting).ok());
  // The server may close before everything is sent.
  (void)socket.Send(std::string(kLongestControlLine * 3, 'x'));
  EXPECT_LE(Lines(socket).size(), 1U);
  EXPECT_TRUE(AskGuardian(project_, MakeObject({{"do", "a"}}), kBound).ok());
}

TEST_F(ControlServerTest, AClientThatLeavesInTheMiddleDoesNoHarm) {
  for (const std::string text :
       {"", "{\"bel", kGreeting, "{\"belay\":\"control\",\"version\":1}\n{\"do\":"}) {
    LineSocket socket = Connect();
    ASSERT_TRUE(socket.Send(text).ok());
  }
  EXPECT_TRUE(AskGuardian(project_, MakeObject({{"do", "a"}}), kBound).ok());
}

TEST_F(ControlServerTest, ASocketThatIsLeftOverIsReplaced) {
  TearDown();
  server_.reset();
  const auto none = AskGuardian(project_, MakeObject({{"do", "a"}}), kBound);
  ASSERT_TRUE(none.ok());
  EXPECT_FALSE(none->has_value());
  SetUp();
  EXPECT_TRUE(AskGuardian(project_, MakeObject({{"do", "a"}}), kBound)->has_value());
}

// No thread runs the loop here.
TEST(ControlTest, AGuardianThatDoesNotAnswerIsBusy) {
  const TempFolder folder;
  folder.MakeFolder("repo/.git/belay/run");
  const Layout project(folder / "repo", folder / "repo/.git");
  const auto none = AskGuardian(project, MakeObject({{"do", "a"}}), kBound);
  ASSERT_TRUE(none.ok());
  EXPECT_FALSE(none->has_value());
  const auto loop = RealEventLoop::Create();
  const auto server = ControlServer::Listen(**loop, project.GuardianSocket(),
                                            [](const Json&, const Peer&) { return Json(); });
  ASSERT_TRUE(server.ok());
  const auto late = AskGuardian(project, MakeObject({{"do", "a"}}), std::chrono::milliseconds(20));
  ASSERT_FALSE(late.ok());
  EXPECT_EQ(late.error().code, ErrorCode::kBusy);
}

}  // namespace
}  // namespace belay

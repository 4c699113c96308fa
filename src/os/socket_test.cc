#include "os/socket.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "os/kernel.h"
#include "os/process.h"
#include "os/real_event_loop.h"
#include "testing/temp_folder.h"
#include "testing/test_pipe.h"

namespace belay {
namespace {

class SocketTest : public ::testing::Test {
 protected:
  TempFolder folder_;
  std::string path_ = folder_ / "socket";
};

TEST_F(SocketTest, CarriesBytesBothWays) {
  const auto listener = ListenUnixIn(folder_.path(), "socket");
  ASSERT_TRUE(listener.ok());
  const auto client = ConnectUnixIn(folder_.path(), "socket");
  ASSERT_TRUE(client.ok());
  auto server = Accept(*listener);
  ASSERT_TRUE(server.ok() && server->has_value());
  char byte = 0;
  ASSERT_EQ(WriteAll(client->get(), "q"), 0);
  ASSERT_EQ(read((*server)->get(), &byte, 1), 1);
  EXPECT_EQ(byte, 'q');
  ASSERT_EQ(WriteAll((*server)->get(), "a"), 0);
  ASSERT_EQ(read(client->get(), &byte, 1), 1);
  EXPECT_EQ(byte, 'a');
}

TEST_F(SocketTest, IsForThisUserOnlyWhateverTheUmask) {
  const mode_t before = umask(0);
  const auto listener = ListenUnixIn(folder_.path(), "socket");
  umask(before);
  ASSERT_TRUE(listener.ok());
  struct stat info {};
  ASSERT_EQ(lstat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode, static_cast<mode_t>(S_IFSOCK | 0600));
}

TEST_F(SocketTest, ClosesOnExecAndNeverBlocksTheListener) {
  const auto listener = ListenUnixIn(folder_.path(), "socket");
  const auto client = ConnectUnixIn(folder_.path(), "socket");
  const auto server = Accept(*listener);
  for (const int fd : {listener->get(), client->get(), (*server)->get()}) {
    EXPECT_EQ(fcntl(fd, F_GETFD), FD_CLOEXEC);
  }
  EXPECT_FALSE(Accept(*listener)->has_value());
  EXPECT_EQ(fcntl(client->get(), F_GETFL) & O_NONBLOCK, 0);
  EXPECT_NE(fcntl((*server)->get(), F_GETFL) & O_NONBLOCK, 0);
}

TEST_F(SocketTest, ReplacesASocketWithoutAListener) {
  ASSERT_TRUE(ListenUnixIn(folder_.path(), "socket").ok());  // and is closed again; the file stays
  ASSERT_TRUE(std::filesystem::exists(path_));
  EXPECT_EQ(ConnectUnixIn(folder_.path(), "socket").error().code, ErrorCode::kNotFound);
  const auto listener = ListenUnixIn(folder_.path(), "socket");
  ASSERT_TRUE(listener.ok());
  EXPECT_TRUE(ConnectUnixIn(folder_.path(), "socket").ok());
}

TEST_F(SocketTest, RefusesToReplaceWhatIsNoSocket) {
  folder_.Write("socket", "precious");
  EXPECT_EQ(ListenUnixIn(folder_.path(), "socket").error().code, ErrorCode::kRefused);
  EXPECT_EQ(folder_.Read("socket"), "precious");
}

TEST_F(SocketTest, ReportsAMissingSocketOrFolder) {
  EXPECT_EQ(ConnectUnixIn(folder_.path(), "socket").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(ListenUnixIn(folder_ / "missing", "socket").error().code, ErrorCode::kNotFound);
}

TEST_F(SocketTest, NeverWaitsForAListenerThatDoesNotAccept) {
  const auto listener = ListenUnixIn(folder_.path(), "socket");
  std::vector<UniqueFd> waiting;
  auto next = ConnectUnixIn(folder_.path(), "socket");
  for (; next.ok() && waiting.size() < 1000; next = ConnectUnixIn(folder_.path(), "socket")) {
    waiting.push_back(std::move(*next));
  }
  ASSERT_FALSE(next.ok());
  EXPECT_EQ(next.error().code, ErrorCode::kBusy);
}

TEST_F(SocketTest, KnowsWhoIsAtTheOtherEnd) {
  const auto listener = ListenUnixIn(folder_.path(), "socket");
  const auto client = ConnectUnixIn(folder_.path(), "socket");
  const auto server = Accept(*listener);
  for (const UniqueFd* end : {&*client, &**server}) {
    const auto peer = PeerOf(*end);
    ASSERT_TRUE(peer.ok());
    EXPECT_EQ(peer->pid, getpid());
    EXPECT_EQ(peer->uid, getuid());
    EXPECT_EQ(peer->gid, getgid());
  }
}

TEST_F(SocketTest, HasNoPeerWhereNoSocketIs) {
  const TestPipe pipe;
  EXPECT_FALSE(PeerOf(pipe.read).ok());
}

TEST_F(SocketTest, HoldsThePeerItselfAndSeesItDie) {
  const auto listener = ListenUnixIn(folder_.path(), "socket");
  auto child = Process::Spawn({.command = {"python3", "-c",
                                           "import socket, sys\n"
                                           "s = socket.socket(socket.AF_UNIX)\n"
                                           "s.connect(sys.argv[1])\n"
                                           "s.recv(1)\n",
                                           path_}});
  if (!child) GTEST_SKIP() << "no python3";
  auto loop = *RealEventLoop::Create();
  std::optional<UniqueFd> server;
  ASSERT_TRUE(loop->Watch(listener->get(), Readiness::kReadable,
                          [&] {
                            server = std::move(*Accept(*listener));
                            loop->Stop();
                          })
                  .ok());
  loop->Run();
  ASSERT_TRUE(server);
  auto peer = PeerOf(*server);
  ASSERT_TRUE(peer.ok());
  EXPECT_EQ(peer->pid, child->pid());
  ASSERT_TRUE(child->Signal(SIGKILL).ok());
  if (peer->pidfd) {
    const Process process = Process::Adopt(peer->pid, std::move(peer->pidfd));
    ASSERT_TRUE(loop->WatchProcess(process, [&] { loop->Stop(); }).ok());
    loop->Run();
  }
  EXPECT_EQ(child->Wait(), ExitStatus::Killed(SIGKILL));
}

TEST_F(SocketTest, ListensInAFolderWithALongPath) {
  std::string deep = folder_.path();
  for (int i = 0; i < 5; ++i) deep += "/" + std::string(50, 'd');
  std::filesystem::create_directories(deep);
  const std::string name(kLongestSocketName, 'n');
  auto first = ListenUnixIn(deep, name);
  ASSERT_TRUE(first.ok()) << first.error().message;
  const auto client = ConnectUnixIn(deep, name);
  ASSERT_TRUE(client.ok()) << client.error().message;
  EXPECT_TRUE(Accept(*first)->has_value());
  struct stat info {};
  ASSERT_EQ(lstat((deep + "/" + name).c_str(), &info), 0);
  EXPECT_EQ(info.st_mode, static_cast<mode_t>(S_IFSOCK | 0600));
  // The holder of the lock may replace it without probing.
  EXPECT_TRUE(ListenUnixIn(deep, name).ok());
  EXPECT_EQ(ConnectUnixIn(deep, name).error().code, ErrorCode::kNotFound);
}

TEST_F(SocketTest, AFolderWithoutTheSocketAndNamesThatAreNoneAreRefused) {
  EXPECT_EQ(ConnectUnixIn(folder_.path(), "none").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(ConnectUnixIn(folder_ / "gone", "none").error().code, ErrorCode::kNotFound);
  for (const std::string& name : {std::string(), std::string("a/b"), std::string(81, 'n')}) {
    EXPECT_EQ(ListenUnixIn(folder_.path(), name).error().code, ErrorCode::kRefused);
  }
  folder_.Write("file", "mine");
  EXPECT_EQ(ListenUnixIn(folder_.path(), "file").error().code, ErrorCode::kRefused);
  EXPECT_EQ(folder_.Read("file"), "mine");
}

TEST_F(SocketTest, SendsAndReceivesWhatThereIsWithoutWaiting) {
  const auto listener = ListenUnixIn(folder_.path(), "socket");
  auto client = ConnectUnixIn(folder_.path(), "socket");
  const auto server = Accept(*listener);
  std::string bytes;
  EXPECT_FALSE(AwaitReadable(*client, Duration(0)));
  EXPECT_TRUE(ReceiveSome(*client, 10, bytes));
  EXPECT_EQ(bytes, "");
  EXPECT_EQ(SendSome(**server, "hello"), 5u);
  EXPECT_TRUE(AwaitReadable(*client, std::chrono::seconds(20)));
  EXPECT_TRUE(ReceiveSome(*client, 3, bytes));
  EXPECT_TRUE(ReceiveSome(*client, 10, bytes));
  EXPECT_EQ(bytes, "hello");
  // Until nothing more fits; then the other side closes, which must not raise SIGPIPE.
  while (*SendSome(**server, std::string(65536, 'x')) > 0) {
  }
  client->Reset();
  EXPECT_EQ(SendSome(**server, "x"), std::nullopt);
}

}  // namespace
}  // namespace belay

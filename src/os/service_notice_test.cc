#include "os/service_notice.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <string>

#include "os/fd.h"
#include "testing/temp_folder.h"

namespace belay {
namespace {

using namespace std::chrono_literals;

// Where a service manager listens. A name that begins with @ is an abstract address.
class Manager {
 public:
  explicit Manager(const std::string& path)
      : socket_(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    if (path[0] == '@') address.sun_path[0] = '\0';
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
    EXPECT_EQ(bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), length), 0);
  }
  // A datagram is there as soon as it was sent.
  std::string Next() const {
    char text[100];
    const ssize_t count = recv(socket_.get(), text, sizeof(text), 0);
    return count < 0 ? "(nothing)" : std::string(text, static_cast<std::size_t>(count));
  }

 private:
  UniqueFd socket_;
};

ServiceNotice With(const Environment::Variables& variables) {
  return ServiceNotice(Environment(variables));
}

TEST(ServiceNoticeTest, SendsWhatTheSocketExpects) {
  const TempFolder folder;
  const Manager manager(folder / "notify");
  ServiceNotice notice = With({{"NOTIFY_SOCKET", folder / "notify"}});
  notice.Ready();
  notice.StillAlive();
  notice.Stopping();
  EXPECT_EQ(manager.Next(), "READY=1");
  EXPECT_EQ(manager.Next(), "WATCHDOG=1");
  EXPECT_EQ(manager.Next(), "STOPPING=1");
  EXPECT_EQ(manager.Next(), "(nothing)");
}

TEST(ServiceNoticeTest, ASocketMayBeANameThatIsNoFile) {
  const std::string name = "@belay-test-" + std::to_string(getpid());
  const Manager manager(name);
  With({{"NOTIFY_SOCKET", name}}).Ready();
  EXPECT_EQ(manager.Next(), "READY=1");
}

TEST(ServiceNoticeTest, WithoutASocketThereIsSilence) {
  ServiceNotice notice = With({{"WATCHDOG_USEC", "1000000"}});
  notice.Ready();
  EXPECT_FALSE(notice.WatchdogPeriod());
}

TEST(ServiceNoticeTest, AManagerThatIsGoneOrDoesNotReadBlocksNothing) {
  const TempFolder folder;
  With({{"NOTIFY_SOCKET", folder / "nobody"}}).Ready();
  const Manager manager(folder / "notify");
  ServiceNotice notice = With({{"NOTIFY_SOCKET", folder / "notify"}});
  for (int i = 0; i < 10'000; ++i) notice.StillAlive();
  EXPECT_EQ(manager.Next(), "WATCHDOG=1");
}

TEST(ServiceNoticeTest, APathThatIsTooLongIsNotCut) {
  const TempFolder folder;
  const std::string path = folder / std::string(200, 'x');
  With({{"NOTIFY_SOCKET", path}}).Ready();
  EXPECT_FALSE(With({{"NOTIFY_SOCKET", path}, {"WATCHDOG_USEC", "1000"}}).WatchdogPeriod());
}

TEST(ServiceNoticeTest, KnowsHowOftenItMustReport) {
  const auto period = [](const std::string& text) {
    return With({{"NOTIFY_SOCKET", "/nowhere"}, {"WATCHDOG_USEC", text}}).WatchdogPeriod();
  };
  EXPECT_EQ(period("180000000"), 180s);
  for (const std::string text : {"", "0", "-1", "soon", "1s", "99999999999999999999"}) {
    EXPECT_FALSE(period(text)) << text;
  }
}

}  // namespace
}  // namespace belay

// Any files in an inbox's folder: nothing crashes, and messages delivered beside them come through,
// in order.
//
// Each line of the input creates one: 'f' for a file, 'd' for a folder, 'l' for a link; its name; a
// space; its content. A content that begins with '+' is a JSON object that gets its checksum here,
// because the fuzzer would never find one.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/check.h"
#include "codec/json_lines.h"
#include "store/durable_file.h"
#include "store/inbox.h"
#include "testing/fake_clock.h"
#include "testing/fake_random.h"
#include "testing/simulated_disk.h"

namespace {

using belay::Json;
using belay::Result;

const std::string kFolder = "/inbox";
constexpr std::string_view kSender = "us";
constexpr std::int64_t kMessages = 3;
constexpr std::size_t kMostFiles = 12;  // more only take longer

std::string WithChecksum(std::string_view content) {
  std::string line;
  if (!content.starts_with('+')) return std::string(content);
  const Result<Json> body = belay::ParseJson(content.substr(1));
  const bool fit = body && body->AsObject() != nullptr && !body->AsObject()->empty() &&
                   body->Find("crc") == nullptr;
  return fit && belay::AppendJsonLine(*body, line) ? line : std::string(content);
}

// Excludes names that would be in our own way: our lock, the folder `dead`, our own messages, and
// ids so late that no later one exists.
bool IsForeign(std::string_view name) {
  const auto parsed = belay::ParseInboxName(name);
  const bool ours = parsed && (parsed->sender == kSender ||
                               parsed->micros + kMessages > belay::kLatestInboxMicros);
  return !name.empty() && name.find('/') == std::string_view::npos && name != "lock" &&
         name != "dead" && name != "." && name != ".." && !ours;
}

class Scene {
 public:
  explicit Scene(std::string_view text) {
    BELAY_CHECK(belay::EnsureFolder(files_, kFolder).ok());
    while (!text.empty() && made_ < kMostFiles) {
      const std::size_t end = text.find('\n');
      Make(text.substr(0, end));
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
  }

  void Deliver() {
    for (std::int64_t i = 0; i < kMessages; ++i) {
      BELAY_CHECK(inbox_.Deliver(kSender, belay::MakeObject({{"number", i}})).ok());
    }
  }

  // Takes and acknowledges everything; returns how many of our messages came.
  std::int64_t Handle() {
    std::int64_t ours = 0;
    for (std::size_t left = made_ + kMessages;; --left) {
      const auto message = inbox_.Take(std::chrono::minutes(1));
      BELAY_CHECK(message.ok());
      if (!*message) return ours;
      BELAY_CHECK(left > 0);
      BELAY_CHECK(inbox_.Acknowledge((*message)->id).ok());
      if (belay::ParseInboxName(belay::WaitingName((*message)->id))->sender == kSender) {
        BELAY_CHECK(*(*message)->body.Find("number")->AsInteger() == ours++);
      }
    }
  }

  std::size_t Look() const {
    const auto messages = inbox_.Peek();
    BELAY_CHECK(messages.ok());
    for (const belay::InboxMessage& message : *messages) BELAY_CHECK(message.body.AsObject());
    return messages->size();
  }

  void Prune() { BELAY_CHECK(inbox_.Prune(clock_.Wall()).ok()); }

 private:
  void Make(std::string_view line) {
    const std::size_t space = line.find(' ');
    const std::string_view word = line.substr(0, space);
    const std::string_view name = word.substr(std::min<std::size_t>(word.size(), 1));
    if (!IsForeign(name)) return;
    const std::string path = kFolder + "/" + std::string(name);
    const std::string_view content =
        space == std::string_view::npos ? std::string_view() : line.substr(space + 1);
    ++made_;
    if (line[0] == 'd') {
      (void)files_.CreateFolder(path, 0700);
    } else if (line[0] == 'l') {
      (void)disk_.MakeLink(std::string(content), path);
    } else {
      (void)belay::ReplaceFile(files_, path, WithChecksum(content));
    }
  }

  belay::SimulatedDisk disk_;
  belay::FileSystem files_{disk_};
  belay::FakeClock clock_;
  belay::FakeRandom random_;
  belay::Inbox inbox_{files_, clock_, random_, kFolder, std::chrono::seconds(0)};
  std::size_t made_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Scene scene({reinterpret_cast<const char*>(data), size});
  const std::size_t before = scene.Look();
  scene.Deliver();
  BELAY_CHECK(scene.Look() == before + kMessages);
  BELAY_CHECK(scene.Handle() == kMessages);
  scene.Prune();
  BELAY_CHECK(scene.Look() <= before);
  return 0;
}

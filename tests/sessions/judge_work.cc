#include <fmt/core.h>

#include <sstream>

#include "base/path.h"
#include "codec/hash.h"
#include "sessions/judge.h"

namespace belay {
namespace {

constexpr std::size_t kLargestWork = 1'000'000;

Problems JudgeSlot(const std::string& path, const std::string& text, const std::string& done,
                   const std::string& begun) {
  const bool under_way = done != begun;
  if (text == done || (under_way && begun.starts_with(text))) return {};
  return {{Problem::Kind::kLost, fmt::format("{} holds {} bytes that nobody finished: \"{}\"", path,
                                             text.size(), text.substr(0, 40))}};
}

// Hashes by path, of "100644 blob HASH\tPATH" lines.
std::map<std::string, std::string> Hashes(const std::string& listing) {
  std::map<std::string, std::string> hashes;
  std::istringstream lines(listing);
  std::string mode;
  std::string kind;
  std::string hash;
  std::string path;
  while (lines >> mode >> kind >> hash && lines.ignore(1) && std::getline(lines, path)) {
    hashes[path] = hash;
  }
  return hashes;
}

}  // namespace

Problems JudgeWork(const FileSystem& files, const std::string& folder, const std::string& identity,
                   const AgentLog& agent) {
  Problems problems;
  for (const auto& [number, slot] : agent.slots) {
    const std::string path = JoinPath(folder, fmt::format("{}-{}", identity, number));
    const Result<std::string> text = files.Read(path, kLargestWork);
    if (!text && slot.done == 0) continue;
    if (!text) {
      problems.push_back({Problem::Kind::kLost, text.error().message});
      continue;
    }
    const std::string done = slot.done == 0 ? "" : SlotText(identity, number, slot.done);
    MoveInto(problems, JudgeSlot(path, *text, done, SlotText(identity, number, slot.begun)));
  }
  return problems;
}

Problems JudgeSnapshot(const FileSystem& files, const std::string& folder,
                       const std::string& listing, const AgentLog& agent) {
  const std::map<std::string, std::string> hashes = Hashes(listing);
  const std::string identity(FileName(folder));
  Problems problems;
  for (const auto& [number, slot] : agent.slots) {
    const std::string name = fmt::format("{}-{}", identity, number);
    const Result<std::string> text = files.Read(JoinPath(folder, name), kLargestWork);
    if (!text) continue;  // JudgeWork says so
    const auto found = hashes.find(fmt::format("work/{}/{}", identity, name));
    const bool same =
        found != hashes.end() && found->second == BlobIdOf(ObjectFormat::kSha1, *text);
    if (same) continue;
    problems.push_back({Problem::Kind::kLost, fmt::format("{} is not in the snapshot", name)});
  }
  return problems;
}

}  // namespace belay

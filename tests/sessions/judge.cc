#include "sessions/judge.h"

#include <fmt/core.h>

#include <set>

#include "base/path.h"
#include "codec/hash.h"

namespace belay {
namespace {

constexpr std::size_t kLargest = 64'000'000;

Problem Torn(std::string text) { return {Problem::Kind::kTorn, std::move(text)}; }

Problems JudgeText(const std::string& path, const std::string& text) {
  if (text.empty()) return {Torn(path + " is empty")};
  Result<Json> record = ParseJson(text);
  if (!record || record->AsObject() == nullptr) return {Torn(path + " is torn")};
  const Json* digest = record->Find("sha256");
  if (digest == nullptr || digest->AsString() == nullptr) return {Torn(path + " has no digest")};
  const std::string said = *digest->AsString();
  record->Remove("sha256");
  if (Sha256Hex(WriteJson(*record)) != said) return {Torn(path + " has another digest")};
  return {};
}

}  // namespace

Problems JudgeStateFile(const FileSystem& files, const std::string& path) {
  const Result<std::string> text = files.Read(path, kLargest);
  if (!text) return {{Problem::Kind::kLost, text.error().message}};
  return JudgeText(path, *text);
}

Problems JudgeIfThere(const FileSystem& files, const std::string& path) {
  const Result<std::string> text = files.Read(path, kLargest);
  const bool missing = !text && text.error().code == ErrorCode::kNotFound;
  if (missing) return {};
  return text ? JudgeText(path, *text) : Problems{Torn(text.error().message)};
}

Problems JudgeLiving(const std::vector<Living>& living,
                     const std::function<bool(const ProcessIdentity&)>& is_alive) {
  std::set<pid_t> pids;
  for (const Living& one : living) pids.insert(one.process.pid);
  const auto clash = [&](const Living& one, const Living& other) {
    if (one.id.identity() != other.id.identity()) return false;
    // Of the same incarnation all but one descend from others.
    return one.id != other.id || (!pids.contains(one.parent) && !pids.contains(other.parent));
  };
  Problems problems;
  for (auto one = living.begin(); one != living.end(); ++one) {
    for (auto other = living.begin(); other != one; ++other) {
      if (!clash(*one, *other) || !is_alive(one->process) || !is_alive(other->process)) continue;
      problems.push_back(
          {Problem::Kind::kDouble,
           fmt::format("{} (pid {}) and {} (pid {}) are alive at once", other->id.text(),
                       other->process.pid, one->id.text(), one->process.pid)});
    }
  }
  return problems;
}

}  // namespace belay

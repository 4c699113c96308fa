#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/path.h"
#include "kills/contents.h"
#include "kills/judge.h"

namespace belay {
namespace {

// What was said of one file.
struct History {
  std::vector<Version> announced;
  std::vector<Version> acknowledged;
};

std::map<std::string, History> HistoriesOf(const Ledger& ledger) {
  std::map<std::string, History> histories;
  for (const Operation& operation : ledger.Of(Deed::kReplace)) {
    History& history = histories[operation.object];
    history.announced.push_back({operation.number, operation.writer});
    if (operation.acknowledged()) history.acknowledged.push_back(history.announced.back());
  }
  return histories;
}

bool Contains(const std::vector<Version>& versions, const Version& version) {
  return std::find(versions.begin(), versions.end(), version) != versions.end();
}

// Two writers of one version: the later one didn't see the earlier, or wrote over it.
bool HasTwoOfOneNumber(const std::vector<Version>& versions) {
  std::map<std::uint64_t, int> times;
  for (const Version& version : versions) {
    if (++times[version.number] > 1) return true;
  }
  return false;
}

Version LastOf(const std::vector<Version>& versions) {
  Version last;
  for (const Version& version : versions) {
    if (version.number > last.number) last = version;
  }
  return last;
}

Problems JudgeContent(const std::string& name, const Version& found, const History& history) {
  const Version last = LastOf(history.acknowledged);
  const std::string what =
      fmt::format("{}: version {} of writer {} is acknowledged, found is {} of {}", name,
                  last.number, last.writer, found.number, found.writer);
  const bool replaced = found.number == last.number && found.writer != last.writer;
  if (found.number < last.number || replaced || HasTwoOfOneNumber(history.acknowledged)) {
    return {{Problem::Kind::kLost, what}};
  }
  if (found.number > 0 && !Contains(history.announced, found)) {
    return {{Problem::Kind::kWrong, what + ", which nobody has announced"}};
  }
  return {};
}

Problems JudgePrevious(const std::string& name, const Version& found, const Version& previous) {
  const bool before = previous.number + 1 == found.number;
  const bool between = previous == found;  // killed when the old content was kept already
  if (before || between) return {};
  return {{Problem::Kind::kLost, fmt::format("{}.prev: version {} beside version {}", name,
                                             previous.number, found.number)}};
}

Problems JudgeFile(const FileSystem& files, const std::string& path, const History& history) {
  const std::string name(FileName(path));
  const Result<Version> found = ReadVersion(files, path);
  if (!found) return {{Problem::Kind::kTorn, found.error().message}};
  Problems problems = JudgeContent(name, *found, history);
  if (!problems.empty() || !name.ends_with("-kept")) return problems;
  const Result<Version> previous = ReadVersion(files, path + ".prev");
  if (!previous) return {{Problem::Kind::kTorn, previous.error().message}};
  return JudgePrevious(name, *found, *previous);
}

}  // namespace

Problems JudgeFiles(const FileSystem& files, const std::string& folder, const Ledger& ledger) {
  Problems problems;
  const std::map<std::string, History> histories = HistoriesOf(ledger);
  for (const auto& [name, history] : histories) {
    Problems some = JudgeFile(files, JoinPath(folder, name), history);
    problems.insert(problems.end(), some.begin(), some.end());
  }
  return problems;
}

}  // namespace belay

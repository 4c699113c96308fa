#include "adapters/git/local_programs.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "adapters/git/fields.h"
#include "base/path.h"

namespace belay {
namespace {

// Merges as git does without a driver; a driver can't be unset.
constexpr std::string_view kPlainMerge = "git merge-file -q --marker-size=%L %A %O %B";

// A setting about a program, and its replacement when no trusted configuration sets it. A filter
// without a program passes everything through, but fails if it is required.
struct FilterSetting {
  std::string_view name;
  std::string_view instead;
};
constexpr FilterSetting kFilterSettings[] = {
    {".clean", ""}, {".smudge", ""}, {".process", ""}, {".required", "false"}};

const FilterSetting* FindFilter(std::string_view key) {
  if (!key.starts_with("filter.")) return nullptr;
  for (const FilterSetting& setting : kFilterSettings) {
    if (key.ends_with(setting.name)) return &setting;
  }
  return nullptr;
}

// "filter.NAME.clean"; a name may have dots of its own.
std::string_view NameIn(std::string_view key) {
  const std::size_t start = key.find('.') + 1;
  return key.substr(start, key.rfind('.') - start);
}

struct Known {
  // keys and values from trusted configuration
  std::map<std::string, std::string, std::less<>> trusted;
  std::set<std::string, std::less<>> local;  // keys
};

Result<Known> ReadSettings(std::string_view output) {
  Known known;
  Fields fields(output, "config");
  while (!fields.AtEnd()) {
    BELAY_TRY_ASSIGN(const std::string_view scope, fields.Until('\0'));
    BELAY_TRY_ASSIGN(const std::string_view setting, fields.Until('\0'));
    const std::size_t end = std::min(setting.find('\n'), setting.size());
    const std::string_view key = setting.substr(0, end);
    // Git reads a missing value as true; for a program that is an error.
    const std::string_view value = end < setting.size() ? setting.substr(end + 1) : "true";
    if (scope == "system" || scope == "global") {
      known.trusted.insert_or_assign(std::string(key), std::string(value));
    } else if (scope == "local" || scope == "worktree") {
      known.local.insert(std::string(key));
    }
  }
  return known;
}

class Settings {
 public:
  explicit Settings(std::size_t count) : count_(count) {}

  void Add(std::string_view key, std::string_view value) {
    variables_[fmt::format("GIT_CONFIG_KEY_{}", count_)] = key;
    variables_[fmt::format("GIT_CONFIG_VALUE_{}", count_)] = value;
    ++count_;
  }
  Environment::Variables Take() {
    variables_["GIT_CONFIG_COUNT"] = std::to_string(count_);
    return std::move(variables_);
  }

 private:
  std::size_t count_;
  Environment::Variables variables_;
};

}  // namespace

Result<LocalPrograms> ParseLocalPrograms(std::string_view output, std::size_t count) {
  BELAY_TRY_ASSIGN(const Known known, ReadSettings(output));
  LocalPrograms programs;
  Settings settings(count);
  const auto restore = [&](const std::string& key, std::string_view instead) {
    const auto trusted = known.trusted.find(key);
    settings.Add(key, trusted == known.trusted.end() ? instead : trusted->second);
  };
  for (const std::string& key : known.local) {
    if (std::count(key.begin(), key.end(), '.') < 2) continue;  // no named section
    if (const FilterSetting* const setting = FindFilter(key)) {
      programs.filters.emplace(NameIn(key));
      restore(key, setting->instead);
    } else if (key.starts_with("merge.")) {
      // Any setting of it makes it a driver, and a driver without a program is an error.
      restore(fmt::format("merge.{}.driver", NameIn(key)), kPlainMerge);
      if (key.ends_with(".recursive")) restore(key, "text");
    }
  }
  programs.off = settings.Take();
  return programs;
}

Result<LocalPrograms> FindLocalPrograms(const Git& git, const Environment::Variables& place) {
  BELAY_TRY_ASSIGN(const GitAnswer answer,
                   git.Run({.arguments = {"config", "--list", "--show-scope", "-z", "--includes"},
                            .environment = place}));
  const std::string count = git.Variable("GIT_CONFIG_COUNT");
  std::size_t number = 0;
  std::from_chars(count.data(), count.data() + count.size(), number);
  return ParseLocalPrograms(answer.out, number);
}

Result<std::string> HooksFolder(const Git& git) {
  // Without our own settings, which disable them all.
  BELAY_TRY_ASSIGN(const GitAnswer answer,
                   git.Run({.arguments = {"rev-parse", "--git-path", "hooks"},
                            .environment = {{"GIT_CONFIG_COUNT", "0"}}}));
  std::string path = answer.out;
  while (!path.empty() && path.back() == '\n') path.pop_back();
  if (path.empty()) return Error{ErrorCode::kFailed, "git doesn't report its hooks folder"};
  return JoinPath(git.folder(), path);
}

}  // namespace belay

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "app/doctor_checks.h"
#include "base/text.h"
#include "base/utf8.h"

namespace belay {
namespace {

constexpr std::string_view kOwnRefPrefix = "refs/belay/";

bool IsTrue(std::string_view value) {
  std::string lower(value);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (lower.empty() || lower == "no" || lower == "off" || lower == "false") return false;
  return lower.find_first_not_of('0') != std::string::npos;
}

// Whether one side of a refspec, "refs/*", matches refs of ours.
bool Covers(std::string_view side) {
  const std::size_t star = side.find('*');
  if (star == std::string_view::npos) return side.starts_with(kOwnRefPrefix);
  const std::string_view start = side.substr(0, star);
  return kOwnRefPrefix.starts_with(start) || start.starts_with(kOwnRefPrefix);
}

// The settings of one remote, in the order of the file.
struct Remote {
  bool mirror = false;
  std::vector<std::string> push = {};
  std::vector<std::string> fetch = {};
};

bool LeavesOut(const std::vector<std::string>& refspecs) {
  return std::any_of(refspecs.begin(), refspecs.end(), [](std::string_view refspec) {
    return refspec == "^refs/belay/*" || refspec == "^refs/*";
  });
}

// The local side: the source of a push, the destination of a fetch.
std::string_view OurSide(std::string_view refspec, RemoteRisk::Kind kind) {
  if (refspec.starts_with('+')) refspec.remove_prefix(1);
  const std::size_t colon = refspec.find(':');
  if (kind == RemoteRisk::Kind::kPush) return refspec.substr(0, colon);
  return colon == std::string_view::npos ? std::string_view() : refspec.substr(colon + 1);
}

void AddRisk(const std::string& name, RemoteRisk::Kind kind,
             const std::vector<std::string>& refspecs, std::vector<RemoteRisk>& risks) {
  if (LeavesOut(refspecs)) return;
  for (const std::string& refspec : refspecs) {
    const std::string_view side = OurSide(refspec, kind);
    if (side.empty() || side.starts_with('^') || !Covers(side)) continue;
    risks.push_back({name, kind, refspec});
    return;
  }
}

std::map<std::string, Remote> ReadRemotes(std::string_view settings) {
  std::map<std::string, Remote> remotes;
  for (const std::string_view setting : Split(settings, '\0')) {
    const std::size_t end = setting.find('\n');  // without a value, it is true
    const std::string_view key = setting.substr(0, end);
    const std::string_view value = end == std::string_view::npos ? "true" : setting.substr(end + 1);
    const std::size_t first = key.find('.');
    const std::size_t last = key.rfind('.');
    if (first == last || key.substr(0, first) != "remote") continue;
    Remote& remote = remotes[std::string(key.substr(first + 1, last - first - 1))];
    const std::string_view what = key.substr(last + 1);
    if (what == "mirror") remote.mirror = IsTrue(value);
    if (what == "push") remote.push.emplace_back(value);
    if (what == "fetch") remote.fetch.emplace_back(value);
  }
  return remotes;
}

// A name with special characters isn't offered for pasting into a shell.
bool IsPlain(std::string_view name) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./";
  return name.find_first_not_of(kPlain) == std::string_view::npos;
}

Check Describe(const RemoteRisk& risk) {
  const std::string name = IsPlain(risk.remote) ? risk.remote : "NAME";
  const std::string shown = ReplaceInvalidUtf8(risk.remote);
  switch (risk.kind) {
    case RemoteRisk::Kind::kMirror:
      return {"remotes", Verdict::kLacking, fmt::format("{} is a mirror", shown),
              "git push sends snapshots there, including uncommitted work",
              fmt::format("git config --unset remote.{}.mirror, and push branches by name", name)};
    case RemoteRisk::Kind::kPush:
      return {"remotes", Verdict::kLacking, fmt::format("{} is sent {}", shown, risk.refspec),
              "git push sends snapshots there, including uncommitted work",
              fmt::format("git config --add remote.{}.push '^refs/belay/*'", name)};
    case RemoteRisk::Kind::kFetch:
      return {"remotes", Verdict::kLacking, fmt::format("{} is fetched as {}", shown, risk.refspec),
              "git fetch --prune deletes every snapshot",
              fmt::format("git config --add remote.{}.fetch '^refs/belay/*'", name)};
  }
  __builtin_unreachable();
}

}  // namespace

std::vector<RemoteRisk> FindRemoteRisks(std::string_view settings) {
  std::vector<RemoteRisk> risks;
  for (const auto& [name, remote] : ReadRemotes(settings)) {
    if (remote.mirror) risks.push_back({name, RemoteRisk::Kind::kMirror});
    AddRisk(name, RemoteRisk::Kind::kPush, remote.push, risks);
    AddRisk(name, RemoteRisk::Kind::kFetch, remote.fetch, risks);
  }
  return risks;
}

Check CheckRemotes(const Git& git) {
  const auto settings = git.Run(
      {.arguments = {"config", "--null", "--get-regexp", R"(^remote\..*\.(mirror|push|fetch)$)"},
       .good_exits = {0, 1}});
  if (!settings) {
    return {"remotes", Verdict::kLacking, settings.error().message,
            "belay can't check whether a push would send snapshots", settings.error().hint};
  }
  const std::vector<RemoteRisk> risks = FindRemoteRisks(settings->out);
  if (risks.empty()) return {"remotes", Verdict::kFine, "none that a push would send snapshots to"};
  return Describe(risks.front());
}

}  // namespace belay

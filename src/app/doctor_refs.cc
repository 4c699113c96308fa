#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>

#include "adapters/git/refs.h"
#include "adapters/git/scratch_worktree.h"
#include "app/doctor_checks.h"
#include "base/path.h"
#include "base/text.h"
#include "base/utf8.h"
#include "ledger/merge_ledger.h"
#include "ledger/project_ledger.h"
#include "merge/merge_env.h"
#include "store/repository.h"
#include "store/state_lock.h"

namespace belay {
namespace {

constexpr std::string_view kOwnRefs = "refs/belay/";
constexpr std::string_view kMergeRefs = "refs/belay/merge/";
constexpr std::size_t kMostSaid = 200;

bool IsCandidate(const BrokenRef& ref) {
  return ref.name.starts_with(kMergeRefs) && ref.name.ends_with("/candidate");
}

bool CanBeRepaired(const BrokenRef& ref) {
  return ref.why != BrokenRef::Why::kIncomplete || IsCandidate(ref);
}

std::string Describe(const BrokenRef& ref) {
  switch (ref.why) {
    case BrokenRef::Why::kUnreadable:
      return fmt::format("{} can't be read", ref.name);
    case BrokenRef::Why::kLost:
      return fmt::format("{}: its commit {} is lost", ref.name, ref.commit.Short());
    case BrokenRef::Why::kIncomplete:
      return fmt::format("{}: some of its objects are lost ({})", ref.name, ref.missing);
  }
  __builtin_unreachable();
}

// A description of the work, for people.
std::string WhatIsLost(const BrokenRef& ref) {
  if (IsCandidate(ref)) return "the queue builds it again";
  if (ref.name.starts_with(kMergeRefs)) return "the saved commit of that entry's branch is lost";
  return "that snapshot is lost";
}

// The gates' worktree has a HEAD, which git treats as a ref: nothing if all is well.
std::optional<ObjectId> LostScratchHead(const Git& git, const FileSystem& files,
                                        const ScratchPlace& place) {
  const std::string folder = FindGitFolder(files, place);
  if (folder.empty()) return std::nullopt;
  const Result<std::string> head = files.Read(JoinPath(folder, "HEAD"), std::size_t{4096});
  if (!head) return std::nullopt;
  const Result<ObjectId> commit = ObjectId::Parse(head->substr(0, head->find('\n')));
  if (!commit || git.Ask({"cat-file", "-e", commit->text() + "^{tree}"})) return std::nullopt;
  return *commit;
}

class RefRepairer {
 public:
  RefRepairer(const Layout& project, Env& env, std::string common_folder)
      : project_(project),
        services_(env),
        git_(env.programs, env.environment, project.Root()),
        common_folder_(std::move(common_folder)) {}

  Result<std::vector<Repair>> Run() {
    BELAY_TRY_ASSIGN(const ProjectLock lock, ProjectLedger::Lock(services_.files, project_));
    BELAY_TRY_ASSIGN(const RefHealth health, InspectRefs(git_, kOwnRefs));
    std::vector<Repair> repairs;
    const ScratchPlace scratch{common_folder_, project_.MergeScratch()};
    if (LostScratchHead(git_, services_.files, scratch))
      repairs.push_back(RemoveScratchOf(scratch));
    if (health.broken.empty()) return repairs;
    MergeLedger queue(services_.files, services_.clock, project_);
    (void)queue.CatchUp();  // if it fails, the heads are unknown
    for (const BrokenRef& ref : health.broken) {
      if (!CanBeRepaired(ref)) continue;
      const Result<std::string> done = RepairOne(lock, queue.book(), ref);
      repairs.push_back(
          done ? Repair{ref.name, *done}
               : Repair{ref.name, done.error().message, done.error().code, done.error().hint});
    }
    (void)ProjectLedger(services_.files, services_.clock, project_).Render(lock);
    return repairs;
  }

 private:
  // Unless the queue is using it.
  Repair RemoveScratchOf(const ScratchPlace& place) {
    const std::string path(RelativeTo(project_.Root(), place.folder));
    const auto lock = StateLock::Acquire(services_.files, project_.LockFile(kMergeRunLock),
                                         std::chrono::milliseconds(200));
    const Result<void> removed =
        lock ? RemoveScratch(services_.files, place) : Result<void>(lock.error());
    if (removed) return {path, "removed, because its commit is lost; the queue creates it again"};
    return {path, removed.error().message, removed.error().code, removed.error().hint};
  }

  Result<std::string> RepairOne(const ProjectLock& lock, const MergeBook& queue,
                                const BrokenRef& ref) {
    const ObjectId head = KnownHead(queue, ref);
    BELAY_TRY(Record(lock, ref));
    BELAY_TRY(Drop(ref));
    if (!head.IsNone()) {
      BELAY_TRY_ASSIGN(const bool created, CreateRef(git_, ref.name, head));
      if (created) return fmt::format("reset to {}, as the queue recorded", head.Short());
    }
    return fmt::format("{}; dropped: {}", Describe(ref), WhatIsLost(ref));
  }

  // For "refs/belay/merge/m7/head": the commit in the queue's record, if that commit exists.
  ObjectId KnownHead(const MergeBook& queue, const BrokenRef& ref) const {
    if (!ref.name.starts_with(kMergeRefs) || !ref.name.ends_with("/head")) return {};
    const std::string_view rest = std::string_view(ref.name).substr(kMergeRefs.size());
    const auto number = ParseMergeEntryId(rest.substr(0, rest.find('/')));
    const MergeEntry* entry = number ? queue.Find(*number) : nullptr;
    const Result<ObjectId> head = ObjectId::Parse(entry != nullptr ? entry->head : "");
    if (!head || *head == ref.commit) return {};
    return git_.Ask({"cat-file", "-e", head->text() + "^{commit}"}) ? *head : ObjectId();
  }

  std::string File(const BrokenRef& ref) const { return JoinPath(common_folder_, ref.name); }

  // Before the ref is dropped: its value may be the only trace left of the commit.
  Result<void> Record(const ProjectLock& lock, const BrokenRef& ref) {
    std::string said = ref.commit.text();
    if (ref.commit.IsNone()) {
      const Result<std::string> text = services_.files.Read(File(ref), std::size_t{1} << 16U);
      said = text ? std::string(CutCodePoints(ReplaceInvalidUtf8(*text), kMostSaid)) : "";
    }
    ProjectLedger ledger(services_.files, services_.clock, project_);
    return ledger.RecordDroppedRef(lock, ref.name, said);
  }

  // Drops only the value that was checked: a ref that was written again since is left alone.
  Result<void> Drop(const BrokenRef& ref) {
    if (ref.commit.IsNone()) return services_.files.RemoveFile(File(ref));
    const RefAndValue value{ref.name, ref.commit};
    return DeleteRefs(git_, {&value, 1});
  }

  const Layout& project_;
  Env& services_;
  Git git_;
  std::string common_folder_;
};

}  // namespace

Check CheckOwnRefs(const Layout& project, const Env& env) {
  const Git git(env.programs, env.environment, project.Root());
  Result<RefHealth> health = InspectRefs(git, kOwnRefs);
  if (!health) {
    return {"refs", Verdict::kLacking, health.error().message,
            "belay can't check whether all snapshots and queued work exist", health.error().hint};
  }
  const Result<Repository> repository = FindRepository(env.files, project.Root());
  if (repository) {
    const ScratchPlace scratch{repository->common_folder, project.MergeScratch()};
    if (const auto head = LostScratchHead(git, env.files, scratch)) {
      health->broken.push_back({"HEAD of " + scratch.folder, BrokenRef::Why::kLost, *head});
    }
  }
  if (health->broken.empty()) {
    return {"refs", Verdict::kFine, fmt::format("{} below {}", health->count, kOwnRefs)};
  }
  const auto first = std::ranges::find_if(health->broken, CanBeRepaired);
  const bool repairable = first != health->broken.end();
  std::string found = Describe(repairable ? *first : health->broken.front());
  if (health->broken.size() > 1) found += fmt::format(", and {} more", health->broken.size() - 1);
  return {"refs", Verdict::kLacking, std::move(found), "git gc, git prune and git fetch may fail",
          repairable
              ? std::string("belay doctor --repair")
              : fmt::format("git fsck shows what is lost; git update-ref -d {} deletes the rest",
                            health->broken.front().name)};
}

Result<std::vector<Repair>> RepairOwnRefs(const Layout& project, Env& env) {
  BELAY_TRY_ASSIGN(const Repository repository, FindRepository(env.files, project.Root()));
  return RefRepairer(project, env, repository.common_folder).Run();
}

namespace {

bool IsTrue(std::string_view value) {
  std::string lower(value);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (lower.empty() || lower == "no" || lower == "off" || lower == "false") return false;
  return lower.find_first_not_of('0') != std::string::npos;
}

// Whether one side of a refspec, "refs/*", matches refs of ours.
bool Covers(std::string_view side) {
  const std::size_t star = side.find('*');
  if (star == std::string_view::npos) return side.starts_with(kOwnRefs);
  const std::string_view start = side.substr(0, star);
  return kOwnRefs.starts_with(start) || start.starts_with(kOwnRefs);
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
      return {"remotes", Verdict::kLacking, fmt::format("{} pushes {}", shown, risk.refspec),
              "git push sends snapshots there, including uncommitted work",
              fmt::format("git config --add remote.{}.push '^refs/belay/*'", name)};
    case RemoteRisk::Kind::kFetch:
      return {"remotes", Verdict::kLacking, fmt::format("{} fetches {}", shown, risk.refspec),
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
  if (risks.empty()) return {"remotes", Verdict::kFine, "no push would send snapshots"};
  return Describe(risks.front());
}

}  // namespace belay

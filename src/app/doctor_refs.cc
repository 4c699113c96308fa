#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "adapters/git/refs.h"
#include "adapters/git/scratch_worktree.h"
#include "app/doctor_checks.h"
#include "base/path.h"
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
      return fmt::format("{}: a part of it is lost ({})", ref.name, ref.missing);
  }
  __builtin_unreachable();
}

// A description of the work, for people.
std::string WhatIsLost(const BrokenRef& ref) {
  if (IsCandidate(ref)) return "the queue builds it again";
  if (ref.name.starts_with(kMergeRefs)) return "what that entry kept of its branch is lost";
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
    if (removed) return {path, "removed, since its commit is lost; the queue makes it again"};
    return {path, removed.error().message, removed.error().code, removed.error().hint};
  }

  Result<std::string> RepairOne(const ProjectLock& lock, const MergeBook& queue,
                                const BrokenRef& ref) {
    const ObjectId head = KnownHead(queue, ref);
    BELAY_TRY(Record(lock, ref));
    BELAY_TRY(Drop(ref));
    if (!head.IsNone()) {
      BELAY_TRY_ASSIGN(const bool created, CreateRef(git_, ref.name, head));
      if (created) return fmt::format("set to {} again, as the queue recorded", head.Short());
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
            "belay can't check whether all snapshots and queued work are there",
            health.error().hint};
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
          repairable ? std::string("belay doctor --repair")
                     : fmt::format("git fsck names what is lost; git update-ref -d {} gives up the "
                                   "rest of it",
                                   health->broken.front().name)};
}

Result<std::vector<Repair>> RepairOwnRefs(const Layout& project, Env& env) {
  BELAY_TRY_ASSIGN(const Repository repository, FindRepository(env.files, project.Root()));
  return RefRepairer(project, env, repository.common_folder).Run();
}

}  // namespace belay

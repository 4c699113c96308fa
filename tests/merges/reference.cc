#include "merges/reference.h"

#include "testing/real_process.h"

namespace belay {
namespace {

class Clone {
 public:
  Clone(const GitRepository& repository, const std::string& folder) : folder_(folder) {
    repository.Git({"clone", "-q", repository.path(), folder});
  }

  int Run(const std::string& script) const {
    return RunReal({"sh", "-ec", script},
                   {.folder = folder_, .environment = GitRepository::Environment()})
        .exit_code;
  }
  std::string Ask(const std::string& script) const {
    return RunReal({"sh", "-ec", script},
                   {.folder = folder_, .environment = GitRepository::Environment()})
        .out;
  }

  std::string Land(const std::string& branch) const {
    const std::string theirs = "origin/" + branch;
    if (Run("git diff --quiet $(git merge-base main " + theirs + ") " + theirs) == 0) {
      return "cancelled";
    }
    if (Run("git checkout -q --detach " + theirs + "; git rebase -q main 2>/dev/null") != 0) {
      (void)Run("git rebase --abort");
      return "conflict";
    }
    if (Run("git diff --quiet main HEAD") == 0) return "merged";  // it was there already
    if (Run(kWorkGate) != 0) return "gate_failed";
    (void)Run("git branch -f main HEAD");
    return "merged";
  }

 private:
  std::string folder_;
};

}  // namespace

Landed LandByHand(const GitRepository& repository, const Work& work, const std::string& folder) {
  const Clone clone(repository, folder);
  Landed landed;
  for (const BranchWork& branch : work.branches) {
    landed.outcome[branch.name] = clone.Land(branch.name);
  }
  landed.tree = clone.Ask("git rev-parse 'main^{tree}'");
  landed.history = clone.Ask("git log --reverse --topo-order --format=%s main");
  return landed;
}

}  // namespace belay

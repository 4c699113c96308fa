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
    if (!ChangesAnything(theirs)) return "cancelled";
    if (Run("git checkout -q --detach " + theirs +
            "; git rebase -q --empty=drop --reapply-cherry-picks main 2>/dev/null") != 0) {
      (void)Run("git rebase --abort");
      return "conflict";
    }
    if (!ChangesAnything("HEAD")) return WasLanded(theirs) ? "merged" : "cancelled";
    if (Run(kWorkGate) != 0) return "gate_failed";
    (void)Run("git branch -f main HEAD");
    return "merged";
  }

 private:
  // Whether one of the commits that it has and main hasn't does.
  bool ChangesAnything(const std::string& tip) const {
    return Run("for c in $(git rev-list main.." + tip +
               "); do git diff --quiet $c^ $c || exit 1; done") != 0;
  }
  // Whether main has each of its patches, or one commit with all of them.
  bool WasLanded(const std::string& tip) const {
    const std::string alone = "for c in $(git cherry main " + tip +
                              " | sed -n 's/^+ //p'); do git diff --quiet $c^ $c; done";
    const std::string whole = "git cherry main $(git commit-tree -m all -p $(git merge-base main " +
                              tip + ") " + tip + "^{tree}) | grep -q ^-";
    return Run(alone) == 0 || Run(whole) == 0;
  }

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

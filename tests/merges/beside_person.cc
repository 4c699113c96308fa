#include "merges/beside_person.h"

#include <fmt/core.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <random>

#include "base/check.h"
#include "base/text.h"
#include "codec/json.h"
#include "merges/person.h"
#include "merges/queue.h"
#include "os/process_tree.h"
#include "testing/real_process.h"

namespace belay {
namespace {

namespace fs = std::filesystem;
using Chance = std::mt19937_64;

constexpr std::uint64_t kLatest = 200'000;  // microseconds, from its start to its end by a kill
constexpr auto kPatience = std::chrono::seconds(10);
constexpr std::uint64_t kFiles = 500;
constexpr int kMostRuns = 2000;

// Adds a file; every fifth also changes one that the person edits now and then.
void MakeBranches(const GitRepository& repository, std::uint64_t count) {
  repository.Write("hot/shared", "start\n");
  repository.Write("p/0", "start\n");
  // Git takes a while between reading a large index and locking it.
  for (std::uint64_t i = 0; i < kFiles; ++i) {
    repository.Write(fmt::format("many/{}/{}", i % 50, i), std::to_string(i));
  }
  repository.CommitAll("start");
  const std::string script =
      "export GIT_INDEX_FILE=.git/branch-index\n"
      "for i in $(seq " +
      std::to_string(count) +
      "); do\n"
      "  git read-tree main\n"
      "  blob=$(echo \"landed $i\" | git hash-object -w --stdin)\n"
      "  git update-index --add --cacheinfo 100644,$blob,landed/$i\n"
      "  if test $((i % 5)) = 0; then\n"
      "    blob=$(seq $i | git hash-object -w --stdin)\n"
      "    git update-index --add --cacheinfo 100644,$blob,hot/own$i\n"
      "  fi\n"
      "  if test $i = " +
      std::to_string(count / 2 + 1) +
      "; then\n"
      "    blob=$(echo 'by the queue' | git hash-object -w --stdin)\n"
      "    git update-index --add --cacheinfo 100644,$blob,hot/shared\n"
      "  fi\n"
      "  git branch b$i $(git commit-tree -p main -m \"work $i\" $(git write-tree))\n"
      "done\n"
      "rm .git/branch-index\n";
  const RunOutcome made =
      RunReal({"sh", "-ec", script},
              {.folder = repository.path(), .environment = GitRepository::Environment()});
  BELAY_CHECK(made.exit_code == 0);
}

class Campaign {
 public:
  explicit Campaign(const PersonCampaign& wanted) : wanted_(wanted), chance_(wanted.seed) {
    repository_.Write(".git/info/exclude", ".claude/\n");
    repository_.Git({"config", "core.fsync", "none"});  // belay's own git syncs nevertheless
    repository_.Git({"config", "gc.auto", "0"});
    MakeBranches(repository_, wanted.landings);
    (void)Belay({"init"});
    repository_.Write(".claude/belay.yml", "merge: {gates: [{name: test, run: 'true'}]}\n");
    for (std::uint64_t i = 1; i <= wanted.landings; ++i) {
      (void)Belay({"merge-queue", "add", fmt::format("b{}", i)});
    }
  }

  int Run() {
    Person person(repository_, chance_());
    int runs = 0;
    while (Merged() < wanted_.landings && ++runs < kMostRuns) RunOnce();
    person.Stop();
    // What the person's last commit let wait.
    (void)ProcessToTheEnd();
    return Judge(person);
  }

 private:
  std::string Belay(std::vector<std::string> words) const {
    return RunBelay(wanted_.belay, repository_, std::move(words));
  }
  int ProcessToTheEnd() const {
    return RunReal({wanted_.belay, "merge-queue", "process", "--all"},
                   {.folder = repository_.path(), .environment = GitRepository::Environment()})
        .exit_code;
  }
  // A person who commits all the time can park work; it is asked for again.
  std::uint64_t Merged() const {
    const Result<Json> list = ParseJson(Belay({"merge-queue", "list", "--all", "--json"}));
    std::uint64_t merged = 0;
    for (const Json& entry : *list->Find("entries")->AsArray()) {
      const std::string& status = *entry.Find("status")->AsString();
      if (status == "merged") ++merged;
      if (status == "gate_unrunnable") {
        (void)Belay({"merge-queue", "retry", *entry.Find("entry_id")->AsString()});
      }
    }
    return merged;
  }

  void RunOnce() {
    if (kills_ >= wanted_.kills) return (void)ProcessToTheEnd();
    const std::string before = repository_.Read(".git/index.lock");  // of one killed with all
    auto belay = Process::Spawn({.command = {wanted_.belay, "merge-queue", "process", "--all"},
                                 .folder = repository_.path(),
                                 .environment = WorkQueue::Variables(),
                                 .group = SpawnGroup::kNewSession});
    BELAY_CHECK(belay.has_value());
    const bool all = chance_() % 2 == 0;
    if (belay->WaitAtMost(std::chrono::microseconds(chance_() % kLatest))) return;
    std::vector<Process> left = KillProcess(*belay, all);
    ++kills_;
    if (all) return RemoveOldLocks();  // of gits that were killed; a person has to, as belay says
    // No other belay runs in that time: its stand-in frees the index.
    for (Process& other : left) (void)other.WaitAtMost(kPatience);
    const std::string lock = repository_.Read(".git/index.lock");
    if (lock.starts_with("belay lands ") && lock != before) {
      fmt::print("a lock is left by a belay that was killed alone\n");
      ++stale_;
    }
  }

  // Not index.lock: none of belay's gits takes it, so its owner is the person, or belay.
  void RemoveOldLocks() const {
    std::vector<fs::path> locks;
    std::error_code gone;
    for (const char* const folder : {".git/refs", ".git/worktrees"}) {
      for (const auto& file : fs::recursive_directory_iterator(repository_ / folder, gone)) {
        if (file.path().extension() == ".lock") locks.push_back(file.path());
      }
    }
    locks.emplace_back(repository_ / ".git/HEAD.lock");
    locks.emplace_back(repository_ / ".git/packed-refs.lock");
    const auto now = fs::file_time_type::clock::now();
    for (const fs::path& lock : locks) {
      const auto written = fs::last_write_time(lock, gone);
      if (!gone && now - written > std::chrono::milliseconds(500)) fs::remove(lock, gone);
    }
  }

  std::uint64_t CountLines(std::vector<std::string> words) const {
    const std::string out = repository_.Git(std::move(words));
    std::uint64_t lines = 0;
    for (const std::string_view line : Split(out, '\n')) lines += line.empty() ? 0 : 1;
    return lines;
  }

  // Work of either side that isn't in main.
  std::uint64_t Lost(const Person& person) const {
    std::uint64_t lost = person.overlooked();
    for (std::uint64_t i = 1; i <= wanted_.landings; ++i) {
      const std::string path = fmt::format("landed/{}", i);
      const std::string wanted = fmt::format("landed {}\n", i);
      const bool there = repository_.TryGit({"cat-file", "-e", "main:" + path}) == 0 &&
                         repository_.Git({"show", "main:" + path}) == wanted;
      if (!there || repository_.Read(path) != wanted) {
        fmt::print("{} is lost\n", path);
        ++lost;
      }
    }
    const std::string log = "\n" + repository_.Git({"log", "--format=%s", "main", "--"});
    for (const std::string& subject : person.commits()) {
      if (log.find("\n" + subject + "\n") != std::string::npos) continue;
      fmt::print("the commit \"{}\" is lost\n", subject);
      ++lost;
    }
    for (const auto& [path, text] : person.files()) {
      if (repository_.Git({"show", "main:" + path}) == text && repository_.Read(path) == text) {
        continue;
      }
      fmt::print("{} isn't as it was written\n", path);
      ++lost;
    }
    return lost;
  }

  // Commits that take out or change what the other side has made.
  std::uint64_t Undone() const {
    fmt::print("{}", repository_.Git({"log", "--diff-filter=DM", "--format=%h %s: undoes", "--stat",
                                      "main", "--", "landed"}));
    fmt::print("{}", repository_.Git({"log", "--format=%h %s: takes", "--stat", "--grep=^person ",
                                      "main", "--", "hot", "landed"}));
    return CountLines({"log", "--diff-filter=DM", "--format=%h", "main", "--", "landed"}) +
           CountLines({"log", "--format=%h", "--grep=^work ", "main", "--", "p"}) +
           CountLines({"log", "--format=%h", "--grep=^person ", "main", "--", "hot", "landed"});
  }

  int Judge(const Person& person) {
    if (repository_.Read(".git/index.lock") != "(missing)") ++stale_;
    const std::uint64_t merged = Merged();
    const std::uint64_t lost = Lost(person);
    const std::uint64_t undone = Undone();
    const std::string changes = repository_.Git({"status", "--porcelain"});
    if (!changes.empty()) fmt::print("main's checkout isn't clean:\n{}", changes);
    const bool sound = repository_.TryGit({"fsck", "--strict", "--no-dangling"}) == 0;
    if (!sound) fmt::print("fsck fails\n");
    const bool good =
        merged == wanted_.landings && lost + undone + stale_ == 0 && changes.empty() && sound;
    fmt::print(
        "person campaign: {} landings, {} commits by a person ({} refused by git, tried again), {} "
        "edits right after a commit, {} kills: {} lost, {} undone, {} stale locks{}\n",
        merged, person.commits().size(), person.refused(), person.quick(), kills_, lost, undone,
        stale_, good ? "" : fmt::format(": wrong, seed {}", wanted_.seed));
    return good ? 0 : 1;
  }

  PersonCampaign wanted_;
  Chance chance_;
  GitRepository repository_;
  std::uint64_t kills_ = 0;
  std::uint64_t stale_ = 0;
};

}  // namespace

int LandBesideAPerson(const PersonCampaign& campaign) { return Campaign(campaign).Run(); }

std::vector<Process> KillProcess(Process& belay, bool all) {
  (void)belay.Signal(SIGSTOP);
  std::vector<Process> others;
  if (const Result<ProcessTree> tree = ProcessTree::Read()) {
    for (const SeenProcess& seen : tree->Descendants(belay.pid())) {
      if (Result<Process> other = Process::Open(seen.pid)) others.push_back(*std::move(other));
    }
  }
  for (const Process& other : others) {
    if (all) (void)other.Signal(SIGKILL);
  }
  (void)belay.Signal(SIGKILL);
  (void)belay.Wait();
  if (all) others.clear();
  return others;
}

}  // namespace belay

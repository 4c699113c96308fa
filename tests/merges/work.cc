#include "merges/work.h"

#include <filesystem>
#include <random>

namespace belay {
namespace {

constexpr int kSharedFiles = 4;
constexpr int kLines = 12;

using Chance = std::mt19937_64;

std::string SharedName(std::size_t number) { return "shared/" + std::to_string(number); }

std::string Join(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::vector<std::string> Begin(std::size_t file) {
  std::vector<std::string> lines;
  for (int i = 0; i < kLines; ++i) {
    lines.push_back("file " + std::to_string(file) + " line " + std::to_string(i));
  }
  return lines;
}

// One branch's view of the shared files while it works.
class Worker {
 public:
  Worker(Chance& chance, std::string name) : chance_(chance), name_(std::move(name)) {
    for (std::size_t i = 0; i < kSharedFiles; ++i) files_.push_back(Begin(i));
  }

  std::map<std::string, std::string> Commit(std::size_t number) {
    std::map<std::string, std::string> files;
    switch (chance_() % 8) {
      case 0:  // a file of its own
        files[name_ + std::to_string(number)] = "by " + name_ + "\n";
        break;
      case 1:  // red by itself
        files[chance_() % 2 == 0 ? "red/alone" : "own/" + name_] = name_ + "\n";
        break;
      case 2:  // red only when both halves are there
        files[chance_() % 2 == 0 ? "red/left" : "red/right"] = "half\n";
        break;
      case 3:  // the same as another branch may do
        files["same"] = "everybody writes this\n";
        break;
      default:
        Edit(files);
    }
    return files;
  }

 private:
  void Edit(std::map<std::string, std::string>& files) {
    const std::size_t file = chance_() % kSharedFiles;
    std::vector<std::string>& lines = files_[file];
    const std::size_t line = chance_() % lines.size();
    if (chance_() % 4 == 0) {
      lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(line), name_ + " was here");
    } else {
      lines[line] += " " + name_;
    }
    files[SharedName(file)] = Join(lines);
  }

  Chance& chance_;
  std::string name_;
  std::vector<std::vector<std::string>> files_;
};

void WriteAll(const GitRepository& repository, const std::map<std::string, std::string>& files) {
  for (const auto& [path, content] : files) repository.Write(path, content);
}

}  // namespace

const char* const kWorkGate =
    "test ! -e red/alone && { test ! -e red/left || test ! -e red/right; }";

Work MakeWork(std::uint64_t seed, std::size_t branches) {
  Chance chance(seed);
  Work work;
  for (std::size_t i = 0; i < kSharedFiles; ++i) work.start[SharedName(i)] = Join(Begin(i));
  for (std::size_t i = 0; i < branches; ++i) {
    BranchWork branch{.name = "w" + std::to_string(i), .commits = {}};
    Worker worker(chance, branch.name);
    const std::size_t commits = 1 + chance() % 3;
    for (std::size_t c = 0; c < commits; ++c) branch.commits.push_back(worker.Commit(c));
    work.branches.push_back(std::move(branch));
  }
  return work;
}

void DoWork(const GitRepository& repository, const Work& work) {
  WriteAll(repository, work.start);
  repository.CommitAll("start");
  for (const BranchWork& branch : work.branches) {
    repository.Git({"checkout", "-q", "-b", branch.name, "main"});
    std::size_t number = 0;
    for (const auto& files : branch.commits) {
      WriteAll(repository, files);
      repository.CommitAll(branch.name + "." + std::to_string(++number));
    }
  }
  repository.Git({"checkout", "-q", "main"});
}

}  // namespace belay

// A real repository with belay set up and a task whose worker has changed everything that a worker
// can change; tasks are suspended and resumed in this process, or by the real belay.

#ifndef BELAY_TESTS_TASKS_TASK_WORLD_H_
#define BELAY_TESTS_TASKS_TASK_WORLD_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "app/task_claim.h"
#include "app/task_list.h"
#include "app/task_resume.h"
#include "app/task_suspend.h"
#include "app/task_sweep.h"
#include "codec/json.h"
#include "os/clock.h"
#include "os/environment.h"
#include "os/program.h"
#include "os/random.h"
#include "testing/git_repository.h"
#include "testing/killing_calls.h"
#include "testing/places.h"
#include "testing/real_process.h"

namespace belay {

// Everything that an operation needs, on chosen calls and programs.
class TaskEnv {
 public:
  TaskEnv(FileCalls& calls, Programs& programs, std::string folder)
      : files_(calls),
        environment_(Variables()),
        env_{.files = files_,
             .programs = programs,
             .environment = environment_,
             .clock = clock_,
             .random = random_,
             .make_loop = {},
             .probe_kernel = nullptr,
             .current_folder = std::move(folder)} {}

  Env& env() { return env_; }

 private:
  static Environment::Variables Variables() {
    Environment::Variables variables = {{"PATH", getenv("PATH")}, {"HOME", "/nonexistent"}};
    for (const auto& [name, value] : GitRepository::Environment()) variables.emplace(name, value);
    return variables;
  }

  FileSystem files_;
  SystemClock clock_;
  SystemRandom random_;
  Environment environment_;
  Env env_;
};

class TaskWorld : public ::testing::Test {
 protected:
  using Files = std::map<std::string, SeenFile>;

  TaskWorld() {
    repo_.Git({"config", "core.fsync", "none"});  // belay's own git syncs nevertheless
    EXPECT_EQ(Belay({"init"}).exit_code, 0);
    for (const char* name : {"deleted", "staged", "both", "run.sh", "folder/inside"}) {
      repo_.Write(name, "base\n");
    }
    repo_.CommitAll("base");
  }

  RunOutcome Belay(std::vector<std::string> arguments, RunOptions options = {}) {
    arguments.insert(arguments.begin(), BelayBinary());
    if (options.folder == "/") options.folder = repo_.path();
    for (const auto& [name, value] : GitRepository::Environment()) {
      options.environment.emplace(name, value);
    }
    return RunReal(arguments, options);
  }
  RunOutcome Run(std::vector<std::string> arguments, RunOptions options = {}) {
    arguments.insert(arguments.begin(), "task");
    return Belay(std::move(arguments), std::move(options));
  }
  Json RunJson(std::vector<std::string> arguments, int exit_code = 0) {
    arguments.emplace_back("--json");
    const RunOutcome outcome = Run(arguments);
    EXPECT_EQ(outcome.exit_code, exit_code) << outcome.out << outcome.err;
    const Result<Json> record = ParseJson(outcome.out);
    EXPECT_TRUE(record.ok()) << outcome.out;
    return record ? *record : Json();
  }
  static std::string Text(const Json& record, std::string_view key) {
    const Json* value = record.Find(key);
    return value != nullptr && value->AsString() != nullptr ? *value->AsString() : "(none)";
  }
  static Json Metadata(const Json& task) {
    const Json* metadata = task.Find("metadata");
    return metadata != nullptr ? *metadata : Json::EmptyObject();
  }
  static bool Is(const Json& record, std::string_view key) {
    const Json* value = record.Find(key);
    return value != nullptr && value->AsBool() != nullptr && *value->AsBool();
  }
  Json TaskNow(const std::string& id = "t1") {
    const Json list = RunJson({"list"});
    for (const Json& task : *list.Find("tasks")->AsArray()) {
      if (Text(task, "id") == id) return task;
    }
    return {};
  }

  void AddClaimed(const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"add", "fix it"};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(Run(words).exit_code, 0);
    EXPECT_EQ(Run({"claim", "t1", "--worker", "worker-a"}).exit_code, 0);
  }
  void SuspendIt(const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"suspend", "t1", "--reason", "turn_limit"};
    words.insert(words.end(), more.begin(), more.end());
    const RunOutcome outcome = Run(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  }
  // One of everything that is captured.
  void Work() {
    repo_.Write("tracked.txt", "changed\n");
    repo_.Write("staged", "staged\n");
    repo_.Git({"add", "staged"});
    repo_.Write("both", "staged\n");
    repo_.Git({"add", "both"});
    repo_.Write("both", "changed after\n");
    repo_.Remove("deleted");
    repo_.Write("intent", "content\n");
    repo_.Git({"add", "-N", "intent"});
    repo_.SetMode("run.sh", 0755);
    repo_.Remove("folder");
    repo_.Write("folder", "a file now\n");
    repo_.Write("new/file", std::string("\0binary\xff", 8));
  }
  // Without belay's own.
  Files WorkFiles() {
    Files files = repo_.Files();
    std::erase_if(files, [](const auto& one) {
      return one.first.starts_with(".claude/") || one.first.starts_with("tmp/work/");
    });
    return files;
  }
  std::string Status() { return repo_.Git({"status", "--porcelain"}); }
  std::string Stash() { return repo_.Git({"stash", "list"}); }
  std::string ContextFile() { return repo_.Read(Text(Metadata(TaskNow()), "context_path")); }

  GitRepository repo_;
};

}  // namespace belay

#endif  // BELAY_TESTS_TASKS_TASK_WORLD_H_

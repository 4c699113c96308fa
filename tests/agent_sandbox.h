// A sandbox with real agents in it: small shell scripts, ended with the test.

#ifndef BELAY_TESTS_AGENT_SANDBOX_H_
#define BELAY_TESTS_AGENT_SANDBOX_H_

#include <sys/stat.h>

#include <string>
#include <vector>

#include "os/process.h"
#include "sandbox.h"

namespace belay {

class AgentSandbox : public Sandbox {
 protected:
  AgentSandbox() {
    folder_.Write("repo/file.txt", "first\n");
    Git({"-C", "repo", "add", "."});
    Git({"-C", "repo", "commit", "-qm", "first"});
    EXPECT_EQ(Belay({"init", "--yes"}).exit_code, 0);
  }

  void TearDown() override {
    const Result<Json> record = ParseJson(Belay({"agents", "--json"}).out);
    const Json* agents = record ? record->Find("agents") : nullptr;
    if (agents == nullptr) return;
    for (const Json& agent : *agents->AsArray()) {
      if (agent.Find("pid")->is_null() || Text(agent, "host") != "process") continue;
      (void)Belay({"stop", Text(agent, "identity_name"), "--now"});
    }
  }

  // A script in the repository, that any user may run.
  std::string Script(const std::string& name, const std::string& text) {
    folder_.Write("repo/" + name, "#!/bin/sh\n" + text);
    EXPECT_EQ(chmod((folder_ / ("repo/" + name)).c_str(), 0755), 0);
    return "./" + name;
  }

  // One that runs until it is ended, and says when it is ready: SIGTERM ends it.
  Json Spawn(const std::string& name, const std::vector<std::string>& command = {"sleep", "600"},
             const std::vector<std::string>& options = {}) {
    std::vector<std::string> words = {"spawn", "--name", name, "--json"};
    words.insert(words.end(), options.begin(), options.end());
    words.emplace_back("--");
    words.insert(words.end(), command.begin(), command.end());
    const RunOutcome outcome = Belay(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
    const Result<Json> record = ParseJson(outcome.out);
    return record ? *record : Json();
  }

  // One that ends by itself, waited for until its exec has written down how, and is gone.
  Json SpawnToEnd(const std::string& name, const std::vector<std::string>& command,
                  const std::vector<std::string>& options = {}) {
    Json spawned = Spawn(name, command, options);
    AwaitEnd("repo", name);
    return spawned;
  }
  // Of an agent in a repository below the folder.
  void AwaitEnd(const std::string& repository, const std::string& name) {
    const Result<Json> run =
        ParseJson(folder_.Read(repository + "/.git/belay/run/orchestrator-" + name + ".json"));
    const Json* exec = run ? run->Find("parent") : nullptr;
    EXPECT_NE(exec, nullptr);
    if (exec == nullptr) return;
    Result<Process> process = Process::Open(static_cast<pid_t>(Pid(*exec)));
    if (process) (void)process->Wait();
  }

  Json Agents(bool all = false) {
    const Json record = all ? BelayJson({"agents", "--all"}) : BelayJson({"agents"});
    const Json* agents = record.Find("agents");
    return agents != nullptr ? *agents : Json::EmptyArray();
  }

  // The row of one agent; null when there is none.
  Json Agent(const std::string& id) {
    const Json agents = Agents(true);
    for (const Json& agent : *agents.AsArray()) {
      if (Text(agent, "agent_id") == id) return agent;
    }
    return {};
  }

  static std::string Text(const Json& record, std::string_view key) {
    const Json* value = record.Find(key);
    return value != nullptr && value->AsString() != nullptr ? *value->AsString() : "(none)";
  }
  static std::int64_t Pid(const Json& record) {
    const Json* pid = record.Find("pid");
    return pid != nullptr && pid->AsInteger() != nullptr ? *pid->AsInteger() : 0;
  }
};

}  // namespace belay

#endif  // BELAY_TESTS_AGENT_SANDBOX_H_

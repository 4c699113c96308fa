// A world for the real Claude Code: a home, a configuration folder and a project of its own, and a
// scripted model instead of the real one. Nothing outside is read, written or reached.
//
//   script.Step("begins").IfUserSays("make it").Once().RunsBash("touch made");
//   Play(script);
//   SpawnClaude("a", "make it");                     // under belay; or RunClaude, without
//   AwaitStatus("a", 1, AgentStatus::kTerminated);
//   EXPECT_TRUE(Model().WasSent("..."));
//
// Nothing here waits for a time; see GuardSandbox. What the agents started is ended with the test.

#ifndef BELAY_TESTS_AGENTS_CLAUDE_WORLD_H_
#define BELAY_TESTS_AGENTS_CLAUDE_WORLD_H_

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "agents/agent_program.h"
#include "agents/model_process.h"
#include "agents/script_writer.h"
#include "agents/transcript.h"
#include "guard_sandbox.h"

namespace belay {

struct ClaudeEnd {
  ExitStatus status;
  std::string out;     // what it printed: one JSON line for each event
  std::string errors;  // what it printed on its standard error
};

class ClaudeWorld : public GuardSandbox {
 protected:
  ClaudeWorld();
  void SetUp() override;
  void TearDown() override;

  // The model begins to play it. Again: a new model with a new log, for agents that start then.
  void Play(const ModelScript& script);
  ModelLog& Model() { return model_->log(); }

  std::string Project(std::string_view name) const {
    return folder_ / ("repo/" + std::string(name));
  }
  std::string ConfigFolder() const { return folder_ / "config"; }

  // Every event of that name is written down, to be read by HookInputs.
  void RecordHooks(const std::vector<std::string>& events);
  std::vector<Json> HookInputs(const std::string& event);

  // Without belay, in print mode, with an empty standard input.
  Process& StartClaude(const std::vector<std::string>& arguments);
  ClaudeEnd Finish(Process& claude);
  ClaudeEnd RunClaude(const std::vector<std::string>& arguments);

  // Under belay, in print mode, on a terminal.
  void SpawnClaude(const std::string& name, const std::string& prompt,
                   const std::vector<std::string>& options = {});
  // By the number that `belay agents` shows.
  void KillClaude(const std::string& name);

  bool AwaitStep(const std::string& step) {
    return Await([&] { return !Model().AnsweredBy(step).empty(); });
  }
  bool AwaitAnswered(const std::string& step, const std::string& end) {
    return Await([&] { return Model().Answered(step, end); });
  }
  // A file in the project that a tool made, with a whole line in it.
  bool AwaitFile(const std::string& name);

  // Those of the transcripts.
  std::vector<std::string> AlsoWatched() override;
  // In the transcript: the agent may begin to do a thing before it has written it down.
  bool AwaitWritten(const std::string& text);

  // The transcript that was written to last.
  Transcript LastTranscript() const;
  std::string LastSession() const;

  // How it is started, with these words behind.
  std::vector<std::string> Command(const std::vector<std::string>& arguments) const;

 private:
  void EndWhatIsLeft();

  std::unique_ptr<ModelProcess> model_;
  std::list<Process> claudes_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace belay

#endif  // BELAY_TESTS_AGENTS_CLAUDE_WORLD_H_

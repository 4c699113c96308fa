// Writes scripts for the scripted model (agents/model/script.h) the way a test tells them:
//
//   ModelScript script;
//   script.Step("begins").IfUserSays("make two files").Once().RunsBash("echo 1 > one.txt");
//   script.Step("ends").Says("All done.");
//
// Steps are for requests that offer tools, as those of the agent's own work do, unless they say
// otherwise: older versions also ask for titles and summaries, which the default answers. "Warmup"
// calls, which do offer tools, are left to it too.

#ifndef BELAY_TESTS_AGENTS_SCRIPT_WRITER_H_
#define BELAY_TESTS_AGENTS_SCRIPT_WRITER_H_

#include <cstdint>
#include <list>
#include <string>
#include <string_view>

#include "codec/json.h"

namespace belay {

class ScriptStep {
 public:
  explicit ScriptStep(std::string_view name);

  // Which requests: all that is said must hold.
  ScriptStep& IfUserSays(std::string_view text) { return Match("last_user_has", text); }
  ScriptStep& UnlessUserSays(std::string_view text) { return Match("last_user_lacks", text); }
  ScriptStep& IfAnywhere(std::string_view text) { return Match("body_has", text); }
  ScriptStep& UnlessAnywhere(std::string_view text) { return Match("body_lacks", text); }
  ScriptStep& IfSystemSays(std::string_view text) { return Match("system_has", text); }
  ScriptStep& WithoutTools();
  ScriptStep& WithOrWithoutTools();
  ScriptStep& Times(std::int64_t most);
  ScriptStep& Once() { return Times(1); }

  // What is answered.
  ScriptStep& Says(std::string_view text);
  ScriptStep& Uses(std::string_view tool, Json input);
  ScriptStep& RunsBash(std::string_view command);
  ScriptStep& Writes(std::string_view path, std::string_view content);
  ScriptStep& WithInputTokens(std::int64_t count);
  ScriptStep& Stalls() { return Set("stall", true); }
  ScriptStep& StallsAfter(std::int64_t events) { return Set("stall_after", events); }
  ScriptStep& IsCutAfter(std::int64_t events) { return Set("cut_after", events); }
  ScriptStep& WaitsMilliseconds(std::int64_t count) { return Set("delay_ms", count); }
  ScriptStep& Fails(int status, std::string_view message);
  ScriptStep& WithHeader(std::string_view name, std::string_view value);

  const Json& json() const { return step_; }

 private:
  ScriptStep& Match(std::string_view key, std::string_view text);
  ScriptStep& Set(std::string_view key, Json value);
  Json& At(std::string_view part, std::string_view key, Json empty);

  Json step_;
};

class ModelScript {
 public:
  // Stays where it is when more are added.
  ScriptStep& Step(std::string_view name) { return steps_.emplace_back(name); }
  std::string Text() const;

 private:
  std::list<ScriptStep> steps_;
};

}  // namespace belay

#endif  // BELAY_TESTS_AGENTS_SCRIPT_WRITER_H_

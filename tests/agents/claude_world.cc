#include "agents/claude_world.h"

#include <filesystem>

#include "agents/results/results.h"
#include "os/process_tree.h"

namespace belay {

ClaudeWorld::ClaudeWorld() {
  for (const char* name : {"home", "config", "tmp"}) folder_.MakeFolder(name);
  environment_ = {{"HOME", folder_ / "home"},
                  {"TMPDIR", folder_ / "tmp"},
                  {"CLAUDE_CODE_TMPDIR", folder_ / "tmp"},
                  {"CLAUDE_CONFIG_DIR", ConfigFolder()},
                  {"ANTHROPIC_API_KEY", "dummy"},
                  {"DISABLE_TELEMETRY", "1"},
                  {"DISABLE_ERROR_REPORTING", "1"},
                  {"DISABLE_AUTOUPDATER", "1"},
                  {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"},
                  {"IS_SANDBOX", "1"}};
}

void ClaudeWorld::SetUp() {
  const std::optional<std::string> reason = WhyNoScenario();
  if (reason) GTEST_SKIP() << *reason;
}

void ClaudeWorld::TearDown() {
  GuardSandbox::TearDown();
  EndWhatIsLeft();
  if (HasFailure() && model_) ADD_FAILURE() << "the model was asked:\n" << Model().Summary();
  if (WhyNoScenario()) return;
  const auto took = std::chrono::steady_clock::now() - begin_;
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  RecordResult(
      {.program = "Claude Code",
       .version = ClaudeVersion(),
       .scenario = ScenarioWords(test->test_suite_name(), test->name()),
       .result = HasFailure()  ? "FAILED"
                 : IsSkipped() ? "doesn't apply"
                               : "passed",
       .milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(took).count()});
}

// A tool's shell outlives an agent that is killed without belay.
void ClaudeWorld::EndWhatIsLeft() {
  for (Process& process : ProcessesStartedWith({"CLAUDE_CONFIG_DIR=" + ConfigFolder()})) {
    (void)process.Signal(SIGKILL);
    EXPECT_TRUE(EndsWithin(process, std::chrono::seconds(10))) << process.pid();
  }
  for (Process& claude : claudes_) (void)claude.Wait();
}

void ClaudeWorld::Play(const ModelScript& script) {
  model_.reset();
  model_ = ModelProcess::Start(folder_.path(), script.Text());
  environment_["ANTHROPIC_BASE_URL"] = fmt::format("http://127.0.0.1:{}", model_->port());
}

void ClaudeWorld::RecordHooks(const std::vector<std::string>& events) {
  Json hooks = Json::EmptyObject();
  for (const std::string& event : events) {
    // The input is one line, without a line end. One process, since some hooks aren't waited for.
    const std::string path = folder_ / ("hook-" + event + ".jsonl");
    const std::string command =
        fmt::format("IFS= read -r input; printf '%s\\n' \"$input\" >> '{}'", path);
    const Json hook = MakeObject({{"type", "command"}, {"command", command}});
    hooks.Set(event, Json::Array{MakeObject({{"hooks", Json::Array{hook}}})});
  }
  folder_.Write("config/settings.json", WriteJson(MakeObject({{"hooks", hooks}})));
}

std::vector<Json> ClaudeWorld::HookInputs(const std::string& event) {
  return ReadTranscript(folder_ / ("hook-" + event + ".jsonl")).lines;
}

std::vector<std::string> ClaudeWorld::Command(const std::vector<std::string>& arguments) const {
  std::vector<std::string> command = {ClaudeProgram(),   "-p",
                                      "--output-format", "stream-json",
                                      "--verbose",       "--dangerously-skip-permissions"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

Process& ClaudeWorld::StartClaude(const std::vector<std::string>& arguments) {
  const auto open_new = [&](const char* name) {
    return UniqueFd(open((folder_ / name).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  };
  const UniqueFd out = open_new("claude.out");
  const UniqueFd errors = open_new("claude.err");
  Environment::Variables variables(environment_.begin(), environment_.end());
  variables["PATH"] = getenv("PATH");
  auto claude = Process::Spawn({.command = Command(arguments),
                                .folder = project_.Root(),
                                .environment = std::move(variables),
                                .output = out.get(),
                                .errors = errors.get()});
  EXPECT_TRUE(claude.has_value());
  return *claudes_.emplace(claudes_.end(), *std::move(claude));
}

ClaudeEnd ClaudeWorld::Finish(Process& claude) {
  EXPECT_TRUE(EndsWithin(claude, kBound)) << "it never ended";
  if (!claude.TryWait()) (void)claude.Signal(SIGKILL);
  const ExitStatus status = claude.Wait();
  return {status, folder_.Read("claude.out"), folder_.Read("claude.err")};
}

ClaudeEnd ClaudeWorld::RunClaude(const std::vector<std::string>& arguments) {
  return Finish(StartClaude(arguments));
}

void ClaudeWorld::SpawnClaude(const std::string& name, const std::string& prompt,
                              const std::vector<std::string>& options) {
  std::vector<std::string> words = {"--prompt", prompt};
  words.insert(words.end(), options.begin(), options.end());
  Spawn(name, Command({}), words);
}

void ClaudeWorld::KillClaude(const std::string& name) {
  const Json agents = Agents();
  for (const Json& agent : *agents.AsArray()) {
    if (Text(agent, "name") != name) continue;
    const Result<Process> process = Process::Open(static_cast<pid_t>(Pid(agent)));
    ASSERT_TRUE(process.ok());
    ASSERT_TRUE(process->Signal(SIGKILL).ok());
    return;
  }
  FAIL() << "no agent " << name;
}

bool ClaudeWorld::AwaitFile(const std::string& name) {
  return Await([&] { return folder_.Read("repo/" + name).ends_with("\n"); });
}

std::vector<std::string> ClaudeWorld::AlsoWatched() {
  std::vector<std::string> folders = TranscriptFolders(ConfigFolder());
  folders.push_back(ConfigFolder());
  folders.push_back(ConfigFolder() + "/projects");
  return folders;
}

// Await watches the folders that exist when it begins: so first those of the transcripts must.
bool ClaudeWorld::AwaitWritten(const std::string& text) {
  const auto written = [&] {
    const std::vector<std::string> paths = TranscriptPaths(ConfigFolder());
    return !paths.empty() && ReadProcFile(paths.back()).find(text) != std::string::npos;
  };
  return Await([&] { return std::filesystem::exists(ConfigFolder() + "/projects"); }) &&
         Await([&] { return !TranscriptFolders(ConfigFolder()).empty(); }) && Await(written);
}

Transcript ClaudeWorld::LastTranscript() const {
  const std::vector<std::string> paths = TranscriptPaths(ConfigFolder());
  return paths.empty() ? Transcript{} : ReadTranscript(paths.back());
}

std::string ClaudeWorld::LastSession() const {
  const std::vector<std::string> paths = TranscriptPaths(ConfigFolder());
  return paths.empty() ? "(none)" : SessionOf(paths.back());
}

}  // namespace belay

#include "adapters/claude/adapter.h"

#include <fmt/core.h>

#include "adapters/claude/command.h"
#include "adapters/claude/hooks.h"
#include "adapters/claude/sessions.h"
#include "adapters/claude/transcript.h"

namespace belay {
namespace {

// The kernel refuses arguments of 128 KiB.
constexpr std::size_t kMostArgumentBytes = 100'000;

std::string JoinedPrompt(const std::string& prompt, const std::string& text) {
  if (prompt.empty() || text.empty()) return prompt + text;
  std::string both = prompt + "\n\n" + text;
  return both.size() <= kMostArgumentBytes ? both : text;
}

// As the hooks reported it; missing parts are looked up in Claude Code's own files.
Conversation LastConversation(const FileSystem& files, const ContinueRequest& request,
                              const std::string& config) {
  Conversation last = request.last;
  if (config.empty()) return last;
  if (last.id.empty() && request.process.pid > 0) {
    last = {ClaudeSessionOf(files, config, request.process.pid, request.process.start), {}};
  }
  if (last.transcript.empty() && IsClaudeSessionId(last.id)) {
    last.transcript = FindClaudeTranscript(files, config, last.id);
  }
  return last;
}

std::string WhyNotSame(const FileSystem& files, const Conversation& last,
                       const std::string& config) {
  if (last.id.empty()) return "it never reported its conversation";
  if (!IsClaudeSessionId(last.id)) return "it reported an invalid conversation id";
  if (config.empty()) return "Claude Code's configuration folder is unknown";
  if (auto why = WhyNotTranscriptOf(files, config, last.id, last.transcript); !why.empty()) {
    return why;
  }
  const Result<ConversationEnd> end = ReadClaudeTranscript(files, last.transcript);
  if (!end) return "the transcript can't be read";
  if (!end->has_messages) return "the transcript has no complete message";
  if (!end->session.empty() && end->session != last.id) {
    return "the transcript belongs to another conversation";
  }
  if (end->failure == ApiFailure::kPromptTooLong) return "its context window was full";
  // Checked last, to leave the least time for a change.
  return WhoIsInClaudeSession(files, config, last.id);
}

// The continued conversation already holds the prompt of the earlier command.
std::string PromptToGoOn(const ClaudeCommand& command, const ContinueRequest& request) {
  const bool is_new = command.prompt() != ClaudeCommand(request.command_before).prompt();
  if (is_new || request.text.empty()) return JoinedPrompt(command.prompt(), request.text);
  return request.text;
}

void KeepWhatBeginsANewOne(const FileSystem& files, const Conversation& last,
                           const std::string& config, ClaudeCommand& command) {
  const bool forks = command.Chooses("--fork-session");
  command.TakeOut([&](const ClaudeCommand::Choice& choice) {
    if (choice.option == "--session-id" || choice.option == "--continue") return true;
    if (choice.option != "--resume") return false;
    const std::string id(choice.value);
    if (!IsClaudeSessionId(id) || id == last.id) return true;
    return !forks && (config.empty() || !WhoIsInClaudeSession(files, config, id).empty());
  });
  if (command.Chooses("--resume")) return;
  // These say how to resume.
  command.TakeOut([](const ClaudeCommand::Choice& choice) {
    return choice.option == "--fork-session" || choice.option.starts_with("--resume-") ||
           choice.option == "--reply-on-resume";
  });
}

class Claude final : public AgentAdapter {
 public:
  std::string_view title() const override { return "Claude Code"; }
  bool IsProgram(std::string_view word) const override { return IsClaudeProgram(word); }
  bool TextIsArgument(bool) const override { return true; }
  bool TakesAnyText() const override { return true; }

  std::vector<std::string> StartCommand(const StartRequest& request) const override {
    ClaudeCommand command(request.command);
    if (!command.understood()) return request.command;
    if (request.text.empty() && request.settings.empty()) return request.command;
    if (!request.settings.empty()) command.UseSettings(request.settings);
    return command.WithPrompt(JoinedPrompt(command.prompt(), request.text));
  }

  bool TakesSettings(const std::vector<std::string>& command) const override {
    const ClaudeCommand parsed(command);
    return parsed.understood() && !parsed.HasSettings();
  }

  bool TakesText(const std::vector<std::string>& command) const override {
    return ClaudeCommand(command).TakesPrompt();
  }

  bool EndsWithItsTurn(const std::vector<std::string>& command) const override {
    return ClaudeCommand(command).PrintsAndEnds();
  }

  bool TakesArguments(const std::vector<std::string>& command) const override {
    return ClaudeCommand(command).understood();
  }

  Continuation Continue(const FileSystem& files, const ContinueRequest& request) const override {
    ClaudeCommand command(request.command);
    if (!command.understood()) {
      return {false, "its command doesn't start Claude Code directly, so belay adds no arguments",
              request.command};
    }
    if (!request.settings.empty()) command.UseSettings(request.settings);
    const std::string config = ClaudeConfigFolder(request.environment, request.folder);
    const Conversation last = LastConversation(files, request, config);
    if (const std::string why = WhyNotSame(files, last, config); !why.empty()) {
      KeepWhatBeginsANewOne(files, last, config, command);
      return {false, why, command.WithPrompt(JoinedPrompt(command.prompt(), request.text))};
    }
    command.TakeOut([](const ClaudeCommand::Choice&) { return true; });
    command.Resume(last.id);
    return {true, fmt::format("conversation {} is intact, and no other process uses it", last.id),
            command.WithPrompt(PromptToGoOn(command, request)), last.id};
  }

  std::optional<ConversationEnd> ReadEnd(const FileSystem& files,
                                         const std::string& transcript) const override {
    Result<ConversationEnd> end = ReadClaudeTranscript(files, transcript);
    if (!end) return std::nullopt;
    return *std::move(end);
  }

  TextTrace FindText(const FileSystem& files, const std::string& transcript,
                     std::string_view word) const override {
    return FindInClaudeTranscript(files, transcript, word);
  }

  std::vector<std::string> LastWords(const FileSystem& files, const std::string& transcript,
                                     std::size_t most) const override {
    return LastWordsInClaudeTranscript(files, transcript, most);
  }

  std::string SessionOf(const FileSystem& files, const AgentPlace& place,
                        const AgentProcess& process) const override {
    const std::string config = ClaudeConfigFolder(place.environment, place.folder);
    if (config.empty()) return {};
    return ClaudeSessionOf(files, config, process.pid, process.start);
  }

  std::string TranscriptOf(const FileSystem& files, const AgentPlace& place,
                           const std::string& session) const override {
    const std::string config = ClaudeConfigFolder(place.environment, place.folder);
    if (config.empty() || !IsClaudeSessionId(session)) return {};
    return FindClaudeTranscript(files, config, session);
  }

  const AgentHooks* hooks() const override { return &ClaudeHooks(); }
};

}  // namespace

const AgentAdapter& ClaudeAdapter() {
  static const Claude adapter;
  return adapter;
}

}  // namespace belay

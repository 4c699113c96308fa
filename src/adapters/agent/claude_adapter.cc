#include "adapters/agent/claude_adapter.h"

#include <fmt/core.h>

#include "adapters/agent/claude_command.h"
#include "adapters/agent/claude_sessions.h"
#include "adapters/agent/claude_transcript.h"

namespace belay {
namespace {

// The kernel takes no argument of 128 KiB.
constexpr std::size_t kMostArgumentBytes = 100'000;

std::string Joined(const std::string& prompt, const std::string& text) {
  if (prompt.empty() || text.empty()) return prompt + text;
  std::string both = prompt + "\n\n" + text;
  return both.size() <= kMostArgumentBytes ? both : text;
}

// At the end is where most programs would look for it.
std::vector<std::string> Appended(std::vector<std::string> command, const std::string& text) {
  if (!text.empty()) command.push_back(text.starts_with('-') ? " " + text : text);
  return command;
}

std::string WhyNotSame(const FileSystem& files, const ContinueRequest& request,
                       const std::string& config) {
  const Conversation& last = request.last;
  if (last.id.empty()) return "it never said which conversation it was in";
  if (!IsClaudeSessionId(last.id)) return "what it said about its conversation is no id";
  if (config.empty()) return "it isn't known where Claude Code keeps its conversations";
  if (auto why = WhyNotTranscriptOf(files, config, last.id, last.transcript); !why.empty()) {
    return why;
  }
  const Result<ConversationEnd> end = ReadClaudeTranscript(files, last.transcript);
  if (!end) return "the transcript can't be read";
  if (!end->has_messages) return "the transcript has no whole message";
  if (!end->session.empty() && end->session != last.id) {
    return "the transcript holds another conversation";
  }
  if (end->failure == ApiFailure::kPromptTooLong) return "its context was full";
  // As late as can be.
  return WhoIsInClaudeSession(files, config, last.id);
}

void KeepWhatBeginsANewOne(const FileSystem& files, const ContinueRequest& request,
                           const std::string& config, ClaudeCommand& command) {
  const bool forks = command.Chooses("--fork-session");
  command.TakeOut([&](const ClaudeCommand::Choice& choice) {
    if (choice.option == "--session-id" || choice.option == "--continue") return true;
    if (choice.option != "--resume") return false;
    const std::string id(choice.value);
    if (!IsClaudeSessionId(id) || id == request.last.id) return true;
    return !forks && (config.empty() || !WhoIsInClaudeSession(files, config, id).empty());
  });
  if (command.Chooses("--resume")) return;
  command.TakeOut(
      [](const ClaudeCommand::Choice& choice) { return choice.option == "--fork-session"; });
}

class Claude final : public AgentAdapter {
 public:
  std::string_view name() const override { return "claude"; }
  TextVia text_via() const override { return TextVia::kArgument; }

  std::vector<std::string> StartCommand(const StartRequest& request) const override {
    ClaudeCommand command(request.command);
    if (!command.understood()) return Appended(request.command, request.text);
    if (request.text.empty() && request.settings.empty()) return request.command;
    if (!request.settings.empty()) command.UseSettings(request.settings);
    return command.WithPrompt(Joined(command.prompt(), request.text));
  }

  bool TakesSettings(const std::vector<std::string>& command) const override {
    const ClaudeCommand parsed(command);
    return parsed.understood() && !parsed.HasSettings();
  }

  Continuation Continue(const FileSystem& files, const ContinueRequest& request) const override {
    ClaudeCommand command(request.command);
    if (!command.understood()) {
      return {false, "the command doesn't show where Claude Code's own options go",
              Appended(request.command, request.text)};
    }
    if (!request.settings.empty()) command.UseSettings(request.settings);
    const std::string config = ClaudeConfigFolder(request.environment, request.folder);
    if (const std::string why = WhyNotSame(files, request, config); !why.empty()) {
      KeepWhatBeginsANewOne(files, request, config, command);
      return {false, why, command.WithPrompt(Joined(command.prompt(), request.text))};
    }
    command.TakeOut([](const ClaudeCommand::Choice&) { return true; });
    command.Resume(request.last.id);
    // The person's prompt is in the conversation already.
    const std::string& prompt = request.text.empty() ? command.prompt() : request.text;
    return {true,
            fmt::format("conversation {} is whole, and nobody else is in it", request.last.id),
            command.WithPrompt(prompt)};
  }

  std::optional<ConversationEnd> ReadEnd(const FileSystem& files,
                                         const std::string& transcript) const override {
    Result<ConversationEnd> end = ReadClaudeTranscript(files, transcript);
    if (!end) return std::nullopt;
    return *std::move(end);
  }
};

}  // namespace

const AgentAdapter& ClaudeAdapter() {
  static const Claude adapter;
  return adapter;
}

}  // namespace belay

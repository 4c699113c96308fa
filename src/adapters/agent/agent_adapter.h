// The differences between agent programs, behind one interface: how to recognise a command that
// starts one, how to pass it a text at its start, how a successor continues the conversation, how
// the conversation ended, how full the context window is; and its hooks (agent_hooks.h).
//
// Pure except for reading files; adapters have no state.

#ifndef BELAY_ADAPTERS_AGENT_AGENT_ADAPTER_H_
#define BELAY_ADAPTERS_AGENT_AGENT_ADAPTER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "os/environment.h"
#include "os/file_system.h"

namespace belay {

class AgentHooks;

// Tokens of the main conversation, as of the model's last answer.
struct ContextUse {
  std::uint64_t tokens = 0;
  std::string model = {};       // empty: unknown
  std::string message_id = {};  // the same on all lines of one answer

  bool operator==(const ContextUse&) const = default;
};

// The API failure that ended a conversation.
enum class ApiFailure {
  kNone,
  kRateLimit,      // waiting helps
  kAuth,           // key, login or credit: the user must act
  kServer,         // the service failed or couldn't be reached
  kPromptTooLong,  // the same conversation will fail again
  kOther,
};

// Where a conversation stands, by its last message.
enum class ConversationState {
  kEmpty,        // no message
  kWithinTurn,   // a prompt, a tool call or its result: the model has not finished
  kInterrupted,  // the user interrupted the turn
  kTurnEnded,    // the model finished, the API failed, or a command without a model ran
};

struct ConversationEnd {
  bool has_messages = false;  // of the main conversation, since it was last compacted
  std::optional<ContextUse> context = {};
  std::string session = {};  // as recorded in the last message; empty: not recorded
  // Of the last message, which may be older than the process's end: it explains an agent that
  // exited by itself, not one that a signal killed.
  ApiFailure failure = ApiFailure::kNone;
  ConversationState state = ConversationState::kEmpty;
  WallTime state_at = {};  // time of that message; zero: it has none

  bool operator==(const ConversationEnd&) const = default;
};

// What a conversation shows about a text that was sent to its model; the text is found by a word in
// it.
enum class TextTrace {
  kUnreadable,  // there is no transcript to read
  kAbsent,
  kWritten,   // it is in the transcript, and the model has not answered since
  kAnswered,  // the model has answered since
};

// The agent's conversation, as its hooks reported it. Untrusted: checked before it is used.
struct Conversation {
  std::string id = {};  // empty: never reported
  std::string transcript = {};
};

// A process, identified within one boot.
struct AgentProcess {
  std::int64_t pid = 0;     // 0: not known
  std::uint64_t start = 0;  // in clock ticks since boot
};

// Where an agent program runs; its own files are found from there.
struct AgentPlace {
  Environment::Variables environment = {};
  std::string folder = {};  // absolute
};

struct StartRequest {
  std::vector<std::string> command = {};  // as the user gave it to `belay spawn`
  std::string text = {};                  // the text for the agent; empty: none
  std::string settings = {};              // an additional settings file with hooks; empty: none
};

struct ContinueRequest {
  Conversation last = {};
  std::vector<std::string> command = {};  // as the user gave it to `belay spawn`
  // The command of the agent that ended. If the prompt in `command` differs, it is new to the
  // conversation.
  std::vector<std::string> command_before = {};
  std::string text = {};                    // the instructions for the successor
  std::string folder = {};                  // its working folder; absolute
  Environment::Variables environment = {};  // its environment
  std::string settings = {};                // as in StartRequest
  AgentProcess process = {};                // the process that ended, to look up what `last` lacks
};

struct Continuation {
  bool same_conversation = false;
  std::string why = {};  // "the transcript is gone"; for `belay why`
  std::vector<std::string> command = {};
  std::string session = {};  // the id of the continued conversation; empty: a new one
};

// One per kind of agent (adapters/agents.h). The defaults fit any command: it reads its text from
// the file named by $BELAY_RESUME_FILE, and gets it as last argument if the settings ask for that;
// a successor runs the same command again; only the screen and the exit status show its state.
class AgentAdapter {
 public:
  virtual ~AgentAdapter() = default;

  virtual std::string_view title() const = 0;  // for people: "Claude Code"
  // Whether the whole word names its program: a path or a package.
  virtual bool IsProgram(std::string_view word) const;

  // Whether a text is added to the command unless the settings decide. `given`: the user named the
  // kind with --agent, and so vouches for the command.
  virtual bool TextIsArgument(bool given) const;
  // Whether a text that starts with a dash is safe: not taken for an option.
  virtual bool TakesAnyText() const;
  // The command of a first start, with text and settings in their places.
  virtual std::vector<std::string> StartCommand(const StartRequest& request) const;
  // Whether the command accepts an additional settings file.
  virtual bool TakesSettings(const std::vector<std::string>& command) const;
  // Whether the command is the program itself, so that it takes the program's arguments. A wrapper
  // around it does not.
  virtual bool TakesArguments(const std::vector<std::string>& command) const;
  // Whether a text can be added to the command. Otherwise it has to reach the agent in another way.
  virtual bool TakesText(const std::vector<std::string>& command) const;
  // Whether the command exits as soon as its turn has ended: then an exit within a turn means that
  // it hasn't finished. False when uncertain.
  virtual bool EndsWithItsTurn(const std::vector<std::string>& command) const;
  // The command of a successor: in the same conversation where that is safe, else in a new one. The
  // agent that held the conversation has ended.
  virtual Continuation Continue(const FileSystem& files, const ContinueRequest& request) const;

  // The state of the conversation, or how it ended; nullopt when there is nothing to read.
  virtual std::optional<ConversationEnd> ReadEnd(const FileSystem& files,
                                                 const std::string& transcript) const;
  // What the transcript shows about a text with this word: one that was sent to the model, not one
  // that the model only read somewhere.
  virtual TextTrace FindText(const FileSystem& files, const std::string& transcript,
                             std::string_view word) const;
  // What the model said last in the main conversation, latest first: at most `most` texts, each on
  // one line and cut. For people and for a successor, as data.
  virtual std::vector<std::string> LastWords(const FileSystem& files, const std::string& transcript,
                                             std::size_t most) const;
  // The conversation of a process, from the program's own files; empty: unknown.
  virtual std::string SessionOf(const FileSystem& files, const AgentPlace& place,
                                const AgentProcess& process) const;
  // The transcript of a conversation, by its id; empty: unknown.
  virtual std::string TranscriptOf(const FileSystem& files, const AgentPlace& place,
                                   const std::string& session) const;

  // Null when belay has no hooks for it.
  virtual const AgentHooks* hooks() const;

  std::optional<ContextUse> ReadContext(const FileSystem& files,
                                        const std::string& transcript) const {
    const std::optional<ConversationEnd> end = ReadEnd(files, transcript);
    return end ? end->context : std::nullopt;
  }
};

}  // namespace belay

#endif  // BELAY_ADAPTERS_AGENT_AGENT_ADAPTER_H_

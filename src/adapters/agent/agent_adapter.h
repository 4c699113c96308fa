// What differs between agent programs, behind one interface: by what words a command starts one,
// how a text reaches it at its start, how the conversation of one that ended is taken up by its
// successor, how its conversation ended, how full its context is; and its hooks (agent_hooks.h).
//
// Pure but for reading files; adapters have no state.

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

// Of the main conversation, in tokens, as the last answer of the model said.
struct ContextUse {
  std::uint64_t tokens = 0;
  std::string model = {};       // empty: unknown
  std::string message_id = {};  // the same for lines of the same answer

  bool operator==(const ContextUse&) const = default;
};

// What the API said at the end of a conversation.
enum class ApiFailure {
  kNone,
  kRateLimit,      // it helps to wait
  kAuth,           // key, login or credit: it takes a person
  kServer,         // the service failed or couldn't be reached
  kPromptTooLong,  // the same conversation will fail again
  kOther,
};

// Where a conversation stands, by its last message.
enum class ConversationState {
  kEmpty,        // no message
  kWithinTurn,   // a prompt, a tool call or its result: the model has not had its last word
  kInterrupted,  // the person interrupted the turn
  kTurnEnded,    // the model's last word, a failure of the API, or a command without a model
};

struct ConversationEnd {
  bool has_messages = false;  // of the main conversation, since it was last compacted
  std::optional<ContextUse> context = {};
  std::string session = {};  // that the last message says it belongs to; empty: none says
  // Of the last message. It may be older than the end of the process: it explains one that ended by
  // itself, not one that a signal ended.
  ApiFailure failure = ApiFailure::kNone;
  ConversationState state = ConversationState::kEmpty;
  WallTime state_at = {};  // of the message that says so; zero: it has no time

  bool operator==(const ConversationEnd&) const = default;
};

// What a conversation says about a text that its model was given, found by a word in it.
enum class TextTrace {
  kUnreadable,  // there is no conversation to read
  kAbsent,
  kWritten,   // it is there, and the model has not answered since
  kAnswered,  // the model has answered since
};

// Which conversation an agent was in, as its hooks said. It is data: checked before it is used.
struct Conversation {
  std::string id = {};  // empty: it never said
  std::string transcript = {};
};

// A process, as it is named in one boot.
struct AgentProcess {
  std::int64_t pid = 0;     // 0: not known
  std::uint64_t start = 0;  // in clock ticks since boot
};

// Where an agent program runs, which decides where its own files are.
struct AgentPlace {
  Environment::Variables environment = {};
  std::string folder = {};  // absolute
};

struct StartRequest {
  std::vector<std::string> command = {};  // as the person gave it to `belay spawn`
  std::string text = {};                  // that it is told; empty: nothing
  std::string settings = {};              // a file with hooks that it is to use, too; empty: none
};

struct ContinueRequest {
  Conversation last = {};
  std::vector<std::string> command = {};  // as the person gave it to `belay spawn`
  // Of the agent that ended. Another prompt in `command` is new: the conversation doesn't have it.
  std::vector<std::string> command_before = {};
  std::string text = {};                    // that the successor is to go on by
  std::string folder = {};                  // where it works; absolute
  Environment::Variables environment = {};  // that it will have
  std::string settings = {};                // as of StartRequest
  AgentProcess process = {};                // of the one that ended, to find out what `last` lacks
};

struct Continuation {
  bool same_conversation = false;
  std::string why = {};  // "the transcript is gone"; for `belay why`
  std::vector<std::string> command = {};
  std::string session = {};  // the id of the same conversation; empty: a new one
};

// One for each kind of agent (adapters/agents.h). What an adapter doesn't override is what holds
// for any command: it finds its text in the file that $BELAY_RESUME_FILE names, and as its last
// argument if the settings want that; its successor is the same command again; only its screen and
// its exit status say how it is.
class AgentAdapter {
 public:
  virtual ~AgentAdapter() = default;

  virtual std::string_view title() const = 0;  // for people: "Claude Code"
  // Whether a word of a command line names its program, as a whole: a path, a package.
  virtual bool IsProgram(std::string_view word) const;

  // Whether a text goes into the command unless the settings say otherwise. `given`: a person named
  // the kind with --agent, and so vouches for the command.
  virtual bool TextIsArgument(bool given) const;
  // Whether it takes a text that begins with a dash for a text, and not for an option.
  virtual bool TakesAnyText() const;
  // The command of a first start, with the text and the settings where they belong.
  virtual std::vector<std::string> StartCommand(const StartRequest& request) const;
  // Whether it will use a file of settings that it is given.
  virtual bool TakesSettings(const std::vector<std::string>& command) const;
  // Whether the command is the program's own, so that it takes the program's arguments. A wrapper
  // around it does not.
  virtual bool TakesArguments(const std::vector<std::string>& command) const;
  // Whether a text can be put into the command. Where it can't, it has to reach the agent in
  // another way.
  virtual bool TakesText(const std::vector<std::string>& command) const;
  // Whether the command ends by itself as soon as its turn has ended: then one that ends within a
  // turn hasn't finished. False when that isn't certain.
  virtual bool EndsWithItsTurn(const std::vector<std::string>& command) const;
  // The command of a successor: in the same conversation where that is safe, else in a new one.
  // The agent that was in it has ended.
  virtual Continuation Continue(const FileSystem& files, const ContinueRequest& request) const;

  // How its conversation stands, or ended; nothing when there is nothing to read.
  virtual std::optional<ConversationEnd> ReadEnd(const FileSystem& files,
                                                 const std::string& transcript) const;
  // Where a text with this word stands in a conversation: one that the model was given, not one
  // that it only came across.
  virtual TextTrace FindText(const FileSystem& files, const std::string& transcript,
                             std::string_view word) const;
  // Which conversation a process is in, by the program's own files; empty: not known.
  virtual std::string SessionOf(const FileSystem& files, const AgentPlace& place,
                                const AgentProcess& process) const;
  // The transcript of a conversation, by its id; empty: not known.
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

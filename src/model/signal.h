// Signals between agents, guardian and user, and who may send which: one table, in code and in
// docs/signals.md.

#ifndef BELAY_MODEL_SIGNAL_H_
#define BELAY_MODEL_SIGNAL_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "codec/json.h"

namespace belay {

// One row for each of SES-14, in its order.
enum class SignalType {
  kAgentRegistered,
  kAgentCrashed,
  kAgentTerminated,
  kHookUpdated,
  kMergeReady,
  kMergeConflict,
  kMergeComplete,
  kMergeFailed,
  kContextWarning,
  kHandoffRequested,
  kHandoffComplete,
  kHandoffTimeout,
  kOrchestratorStuck,
  kOrchestratorCrashed,  // read as kAgentCrashed
  kNeedsReview,
  kNeedsInput,
  kNodeComplete,
  kValidationPassed,
  kValidationFailed,
  kGuidance,
  kInputResponse,
  kKillOrchestrator,
  kEscalate,
  kTaskSuspended,
};

// The sender or recipient of a signal. Without proof of another party, it counts as an agent.
enum class Party : std::uint8_t {
  kAgent = 1,
  kRunner = 2,
  kGuardian = 4,
  kPerson = 8,
  kCommand = 16
};

struct SignalRule {
  SignalType type;
  std::string_view name;     // "AGENT_CRASHED"
  std::uint8_t senders;      // Party bits
  std::uint8_t recipients;   // Party bits
  std::string_view payload;  // required members, separated by spaces; may be ""
  std::string_view meaning;  // one line
};
std::span<const SignalRule> SignalRules();
// AGENT_REGISTERED and AGENT_TERMINATED, which need no answer.
bool IsNews(SignalType type);
const SignalRule& RuleOf(SignalType type);
// By name; kUsage with the nearest one as hint. ORCHESTRATOR_CRASHED gives kAgentCrashed.
Result<SignalType> ParseSignalType(std::string_view name);

// An inbox: "guardian", "person", or an identity name.
class Recipient {
 public:
  static Result<Recipient> Parse(std::string_view text);
  static Recipient Guardian();
  static Recipient Person();
  static Recipient Agent(const IdentityName& name);
  const std::string& text() const { return text_; }
  Party party() const { return party_; }
  bool operator==(const Recipient&) const = default;

 private:
  Recipient(std::string text, Party party) : text_(std::move(text)), party_(party) {}
  std::string text_;
  Party party_;
};

struct Signal {
  std::string id = {};  // of the inbox; empty until it is delivered
  SignalType type;
  std::string from;  // an agent id ("orchestrator-login#3"), "guardian", "person", "command"
  std::string to;    // a recipient
  WallTime at = {};
  Json payload = Json::EmptyObject();

  bool operator==(const Signal&) const = default;
};
// "orchestrator-login#3: it crashed too often": the content, as one line for the user.
std::string SignalText(const Signal& signal);
Json ToJson(const Signal& signal);  // {"id"?, "type", "from", "to", "at", "payload"}
Result<Signal> SignalFromJson(const Json& record);

// kRefused unless `sender` may send this to that recipient; kUsage unless the payload has its
// required members, with these as hint.
Result<void> CheckSignal(const Signal& signal, Party sender, const Recipient& to);

}  // namespace belay

#endif  // BELAY_MODEL_SIGNAL_H_

#include "guardian/review.h"

#include "engine/events/hearing.h"
#include "engine/events/whose_event.h"
#include "engine/messages/reading.h"
#include "guardian/agent_adapters.h"
#include "guardian/agent_kind.h"
#include "ledger/event_log.h"

namespace belay {
namespace {

class Reviewer {
 public:
  Reviewer(const SessionDoors& doors, const Identity& identity)
      : doors_(doors), identity_(identity), log_(LastEvents(doors.files, doors.project, Name())) {
    if (identity.process) hearing_.owner = identity.process->pid;
    for (const AgentEvent& event : log_) {
      if (WhoseEvent(event, identity) == EventOwner::kItself) Hear(hearing_, event);
    }
  }

  Reading Judge(const Delivery& given) const {
    const bool present = given.agent == identity_.id;
    const bool runs = present && IsRunning(identity_.status);
    const std::vector<AgentEvent> events = EventsOf(given.agent);
    ReadingEvidence evidence{
        .event = EventsShowReading(given, events), .ended = !runs, .hooks = !events.empty()};
    evidence.clean = present && identity_.exit && identity_.exit->code == 0;
    const std::string& transcript =
        given.transcript.empty() && present ? hearing_.transcript : given.transcript;
    AddTranscript(given, transcript, evidence);
    return JudgeReading(given, evidence);
  }

 private:
  const IdentityName& Name() const { return identity_.id.identity(); }

  std::vector<AgentEvent> EventsOf(const AgentId& agent) const {
    std::vector<AgentEvent> events;
    for (const AgentEvent& event : log_) {
      const EventOwner owner = WhoseEvent(event, identity_);
      const bool its = agent == identity_.id
                           ? owner == EventOwner::kItself
                           : owner == EventOwner::kFormer && event.agent == agent.text();
      if (its) events.push_back(event);
    }
    return events;
  }

  void AddTranscript(const Delivery& given, const std::string& transcript,
                     ReadingEvidence& evidence) const {
    if (transcript.empty()) return;
    const AgentKind kind =
        KindWithSession(identity_, given.session.empty() ? hearing_.session : given.session);
    const TextTrace trace =
        AdapterFor(kind).FindText(doors_.files, transcript, MessageMark(given.id));
    evidence.readable = trace != TextTrace::kUnreadable;
    evidence.answered = trace == TextTrace::kAnswered;
    evidence.written = evidence.answered || trace == TextTrace::kWritten;
    evidence.last = transcript == hearing_.transcript;
  }

  const SessionDoors& doors_;
  const Identity& identity_;
  std::vector<AgentEvent> log_;
  Hearing hearing_;
};

}  // namespace

Result<std::vector<Delivery>> ReviewMessages(const SessionDoors& doors, Dispatcher& dispatcher,
                                             const Identity& identity) {
  std::optional<Reviewer> reviewer;
  return dispatcher.Review(identity, [&](const Delivery& given) {
    if (!reviewer) reviewer.emplace(doors, identity);
    return reviewer->Judge(given);
  });
}

}  // namespace belay

#include "engine/messages/message_text.h"

#include "codec/json_member.h"
#include "engine/messages/landing_problem.h"
#include "model/delivery.h"

namespace belay {
namespace {

constexpr std::size_t kMost = 200'000;  // code points: of a file, not of an answer

struct Place {
  std::size_t number;
  std::size_t of;
  CommandWord mark;
};

CommandWord MarkOf(const Signal& signal) {
  const auto mark = CommandWord::From(MessageMark(signal));
  return mark ? *mark : *CommandWord::From("unmarked");
}

void SayUsers(const Signal& signal, const Place& place, PromptBuilder& text) {
  if (signal.type == SignalType::kInputResponse) {
    text.Say("Message {} of {} ({}), sent at {}. The user answers your question:", place.number,
             place.of, place.mark, signal.at);
  } else {
    text.Say("Message {} of {} ({}), sent at {}. The user says:", place.number, place.of,
             place.mark, signal.at);
  }
  text.Quote({Speaker::kUser, ForeignText(TextIn(signal.payload, "text"))});
}

void SayBelays(const Signal& signal, const Place& place, PromptBuilder& text) {
  text.Say("Message {} of {} ({}), sent at {}. belay, which supervises you, says:", place.number,
           place.of, place.mark, signal.at);
  text.Quote({Speaker::kBelay, ForeignText(TextIn(signal.payload, "text"))});
  const ForeignText data(TextIn(signal.payload, "data"));
  if (data.empty()) return;
  text.Show(
      {.label = "data of the message", .text = data, .shown_by = OwnWords("belay log"), .rank = 1});
}

void SayOthers(const Signal& signal, const Place& place, PromptBuilder& text) {
  text.Say("Message {} of {} ({}), sent at {}.", place.number, place.of, place.mark, signal.at);
  text.Show({.label = "message of another process",
             .text = ForeignText(TextIn(signal.payload, "text")),
             .shown_by = OwnWords("belay log"),
             .rank = 2});
}

void SayOne(const Signal& signal, const Place& place, PromptBuilder& text) {
  const bool landing =
      signal.type == SignalType::kMergeConflict || signal.type == SignalType::kMergeFailed;
  if (landing && signal.from == "guardian") {
    text.Say("Message {} of {} ({}), sent at {}. The merge queue reports:", place.number, place.of,
             place.mark, signal.at);
    SayLandingProblem(signal.payload, text);
  } else if (signal.from == "person") {
    SayUsers(signal, place, text);
  } else if (signal.from == "guardian") {
    SayBelays(signal, place, text);
  } else {
    SayOthers(signal, place, text);
  }
}

}  // namespace

void SayMessages(std::span<const Signal> messages, PromptBuilder& text) {
  text.Say("belay delivers messages to you: {}, oldest first. Each is delivered once.",
           messages.size());
  for (std::size_t i = 0; i < messages.size(); ++i) {
    SayOne(messages[i], {i + 1, messages.size(), MarkOf(messages[i])}, text);
  }
  text.Say("Act on them, then go on with your work.");
}

std::string MessageText(std::span<const Signal> messages, Random& random) {
  PromptBuilder text(kMost);
  SayMessages(messages, text);
  return text.Build(random);
}

std::string PointToText(std::span<const Signal> messages, const std::string& path, Random& random) {
  PromptBuilder text(kMost);
  text.Say(
      "belay delivers messages to you: {}, of the user or of the merge queue. They are too long\n"
      "for this place. Read all of the file that is named here now, and act on it.",
      messages.size());
  text.Show(
      {.label = "file", .text = ForeignText(path), .shown_by = OwnWords("belay log"), .rank = 1});
  return text.Build(random);
}

}  // namespace belay

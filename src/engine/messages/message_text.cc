#include "engine/messages/message_text.h"

#include <algorithm>

#include "base/utf8.h"
#include "codec/json_member.h"
#include "engine/messages/landing_problem.h"
#include "model/delivery.h"

namespace belay {
namespace {

constexpr std::size_t kLongestPart = 8'000;  // code points of the user's words in one answer

struct Place {
  std::size_t number;
  std::size_t of;
  CommandWord mark;
};

bool IsOfUser(const Signal& signal) { return signal.from == "person"; }

std::string WordsOf(const Signal& signal) {
  return ForeignText(TextIn(signal.payload, "text")).text();
}

// Only the user's words stand in full; all else is cut to what fits.
std::uint64_t PartsOf(const Signal& signal) {
  if (!IsOfUser(signal)) return 1;
  const std::size_t length = CountCodePoints(WordsOf(signal));
  return length <= kLongestPart ? 1 : (length + kLongestPart - 1) / kLongestPart;
}

std::string PartOf(const Signal& signal, std::uint64_t part) {
  const std::string words = WordsOf(signal);
  std::string_view rest = words;
  for (std::uint64_t i = 0; i < part; ++i) {
    rest.remove_prefix(CutCodePoints(rest, kLongestPart).size());
  }
  return std::string(CutCodePoints(rest, kLongestPart));
}

CommandWord MarkOf(const Signal& signal) {
  const auto mark = CommandWord::From(MessageMark(signal.id));
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
  } else if (IsOfUser(signal)) {
    SayUsers(signal, place, text);
  } else if (signal.from == "guardian") {
    SayBelays(signal, place, text);
  } else {
    SayOthers(signal, place, text);
  }
}

std::string TextOf(std::span<const Signal> messages, Random& random) {
  PromptBuilder text(kLongestAnswer);
  SayMessages(messages, text);
  return text.Build(random);
}

std::string PartText(const Signal& signal, std::uint64_t part, std::uint64_t parts,
                     Random& random) {
  PromptBuilder text(kLongestAnswer);
  text.Say(
      "belay delivers a long message of the user to you ({}), sent at {}. This is part {} of {}:",
      MarkOf(signal), signal.at, part + 1, parts);
  text.Quote({Speaker::kUser, ForeignText(PartOf(signal, part))});
  if (part + 1 < parts) {
    text.Say(
        "The next part comes with your next tool call, or when you end your turn. Act on the\n"
        "message when you have all of it.");
  } else {
    text.Say("That was the last part. Act on the message, then go on with your work.");
  }
  return text.Build(random);
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

MessageAnswer AnswerWithMessages(std::span<const Signal> messages, std::uint64_t part,
                                 Random& random) {
  const Signal& first = messages.front();
  const std::uint64_t parts = PartsOf(first);
  if (parts > 1) {
    const std::uint64_t now = std::min(part, parts - 1);
    const bool last = now + 1 == parts;
    return {PartText(first, now, parts, random), last ? std::size_t{1} : 0, last ? 0 : now + 1};
  }
  MessageAnswer answer{TextOf(messages.first(1), random), 1};
  while (answer.given < messages.size() && PartsOf(messages[answer.given]) == 1) {
    std::string longer = TextOf(messages.first(answer.given + 1), random);
    if (CountCodePoints(longer) > kLongestAnswer) break;
    answer.text = std::move(longer);
    ++answer.given;
  }
  return answer;
}

}  // namespace belay

#include "sessions/note_tally.h"

#include <fmt/core.h>

#include <sstream>

namespace belay {

std::string NoteTally::Text(std::size_t writer, std::uint64_t number) {
  const std::string padding(number * 37 % 300, 'x');
  return fmt::format("{} {} {} {}", writer, number, padding, number);
}

void NoteTally::Follow(const Json& record) {
  const Json* hook = record.Find("hook");
  const Json* notes = hook == nullptr ? nullptr : hook->Find("notes");
  if (notes == nullptr || notes->AsArray() == nullptr) return;
  for (const Json& note : *notes->AsArray()) {
    const Json* text = note.Find("text");
    if (text != nullptr && text->AsString() != nullptr) FollowNote(*text->AsString());
  }
}

void NoteTally::FollowNote(const std::string& text) {
  std::istringstream words(text);
  Key key;
  words >> key.first >> key.second;
  if (!words || text != Text(key.first, key.second)) {
    problems_.push_back({Problem::Kind::kTorn, fmt::format("a note says \"{}\"", text)});
    return;
  }
  if (!recorded_.insert(key).second) return;
  std::uint64_t& latest = latest_[key.first];
  if (key.second <= latest) {
    problems_.push_back({Problem::Kind::kWrong, fmt::format("note {} of writer {} comes after {}",
                                                            key.second, key.first, latest)});
  }
  latest = key.second;
}

Problems NoteTally::Judge() const {
  Problems problems = problems_;
  for (const Key& key : acknowledged_) {
    if (recorded_.contains(key)) continue;
    problems.push_back(
        {Problem::Kind::kLost, fmt::format("note {} of writer {} is gone", key.second, key.first)});
  }
  return problems;
}

}  // namespace belay

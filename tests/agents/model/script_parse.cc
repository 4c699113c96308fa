#include <fmt/core.h>

#include <functional>
#include <utility>

#include "agents/model/script.h"

namespace belay {
namespace {

Error Wrong(std::string_view key, std::string_view wanted) {
  return {ErrorCode::kUsage, fmt::format("\"{}\" must be {}", key, wanted)};
}

// One function for each key that an object may have.
using KeyReader = std::function<Result<void>(const Json& value)>;
using KeyReaders = std::map<std::string_view, KeyReader>;

Result<void> ReadObject(const Json& value, std::string_view what, const KeyReaders& readers) {
  const Json::Object* members = value.AsObject();
  if (members == nullptr) return Wrong(what, "an object");
  for (const JsonMember& member : *members) {
    const auto reader = readers.find(member.key);
    if (reader == readers.end()) {
      return Error{ErrorCode::kUsage, fmt::format("\"{}\" has no key \"{}\"", what, member.key)};
    }
    Result<void> read = reader->second(member.value);
    if (!read) return std::move(read).error().In(member.key);
  }
  return {};
}

KeyReader Into(std::string& target) {
  return [&target](const Json& value) -> Result<void> {
    if (value.AsString() == nullptr) return Wrong("it", "a text");
    target = *value.AsString();
    return {};
  };
}

KeyReader Into(Json& target) {
  return [&target](const Json& value) -> Result<void> {
    target = value;
    return {};
  };
}

template <class Assign>
KeyReader Integer(Assign assign) {
  return [assign](const Json& value) -> Result<void> {
    if (value.AsInteger() == nullptr || *value.AsInteger() < 0) return Wrong("it", "a number");
    assign(*value.AsInteger());
    return {};
  };
}

template <class Assign>
KeyReader Bool(Assign assign) {
  return [assign](const Json& value) -> Result<void> {
    if (value.AsBool() == nullptr) return Wrong("it", "true or false");
    assign(*value.AsBool());
    return {};
  };
}

template <class ReadItem>
Result<void> ReadList(const Json& value, const ReadItem& read_item) {
  if (value.AsArray() == nullptr) return Wrong("it", "a list");
  for (const Json& item : *value.AsArray()) BELAY_TRY(read_item(item));
  return {};
}

KeyReader Into(std::vector<std::string>& target) {
  return [&target](const Json& value) {
    return ReadList(value, [&](const Json& item) { return Into(target.emplace_back())(item); });
  };
}

KeyReader Into(std::map<std::string, std::string>& target) {
  return [&target](const Json& value) -> Result<void> {
    if (value.AsObject() == nullptr) return Wrong("it", "an object");
    for (const JsonMember& member : *value.AsObject()) {
      BELAY_TRY(Into(target[member.key])(member.value));
    }
    return {};
  };
}

Result<void> ReadMatch(const Json& value, Match& match) {
  return ReadObject(value, "match",
                    {{"last_user_has", Into(match.last_user.has)},
                     {"last_user_lacks", Into(match.last_user.lacks)},
                     {"system_has", Into(match.system.has)},
                     {"system_lacks", Into(match.system.lacks)},
                     {"body_has", Into(match.body.has)},
                     {"body_lacks", Into(match.body.lacks)},
                     {"tools", Bool([&](bool wanted) { match.tools = wanted; })},
                     {"times", Integer([&](std::int64_t most) { match.times = most; })}});
}

Result<void> ReadBlock(const Json& value, ReplyBlock& block) {
  BELAY_TRY(ReadObject(
      value, "content",
      {{"text", Into(block.text)}, {"tool", Into(block.tool)}, {"input", Into(block.input)}}));
  const bool tool = !block.tool.empty();
  if (tool != (block.input.AsObject() != nullptr)) return Wrong("input", "an object, of a tool");
  if (tool != block.text.empty()) return Wrong("content", "a text or a tool");
  return {};
}

Result<void> ReadUsage(const Json& value, TokenUsage& usage) {
  const auto into = [](std::int64_t& target) {
    return Integer([&target](std::int64_t count) { target = count; });
  };
  return ReadObject(value, "usage",
                    {{"input_tokens", into(usage.input)},
                     {"output_tokens", into(usage.output)},
                     {"cache_creation_input_tokens", into(usage.cache_creation)},
                     {"cache_read_input_tokens", into(usage.cache_read)}});
}

Result<void> ReadReply(const Json& value, Reply& reply) {
  const auto count = [](std::optional<std::size_t>& target) {
    return Integer([&target](std::int64_t events) { target = static_cast<std::size_t>(events); });
  };
  return ReadObject(
      value, "reply",
      {{"content",
        [&](const Json& list) {
          return ReadList(list, [&](const Json& block) {
            return ReadBlock(block, reply.content.emplace_back());
          });
        }},
       {"stop_reason", Into(reply.stop_reason)},
       {"usage", [&](const Json& usage) { return ReadUsage(usage, reply.usage); }},
       {"delay_ms",
        Integer([&](std::int64_t wait) { reply.delay = std::chrono::milliseconds(wait); })},
       {"stall", Bool([&](bool stall) { reply.stall = stall; })},
       {"cut_after", count(reply.cut_after)},
       {"stall_after", count(reply.stall_after)},
       {"status", Integer([&](std::int64_t status) { reply.status = static_cast<int>(status); })},
       {"error_type", Into(reply.error_type)},
       {"message", Into(reply.message)},
       {"headers", Into(reply.headers)}});
}

Result<Step> ReadStep(const Json& value, std::size_t number) {
  Step step{.name = fmt::format("{}", number)};
  Result<void> read =
      ReadObject(value, "step",
                 {{"name", Into(step.name)},
                  {"match", [&](const Json& match) { return ReadMatch(match, step.match); }},
                  {"reply", [&](const Json& reply) { return ReadReply(reply, step.reply); }}});
  if (!read) return std::move(read).error().In(fmt::format("step {}", step.name));
  return step;
}

}  // namespace

Result<std::vector<Step>> ParseScript(std::string_view text) {
  BELAY_TRY_ASSIGN(const Json list, ParseJson(text));
  if (list.AsArray() == nullptr) return Wrong("script", "a list of steps");
  std::vector<Step> steps;
  for (const Json& value : *list.AsArray()) {
    BELAY_TRY_ASSIGN(Step step, ReadStep(value, steps.size() + 1));
    steps.push_back(std::move(step));
  }
  return steps;
}

}  // namespace belay

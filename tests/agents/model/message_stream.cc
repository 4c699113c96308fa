#include "agents/model/message_stream.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "codec/json.h"

namespace belay {
namespace {

// Small, so that a stream can be broken off within a word.
constexpr std::size_t kBytesADelta = 16;

std::string StopReason(const Reply& reply) {
  if (!reply.stop_reason.empty()) return reply.stop_reason;
  const bool tool = std::any_of(reply.content.begin(), reply.content.end(),
                                [](const ReplyBlock& block) { return !block.tool.empty(); });
  return tool ? "tool_use" : "end_turn";
}

Json UsageOf(const TokenUsage& usage, std::int64_t output) {
  return MakeObject({{"input_tokens", usage.input},
                     {"cache_creation_input_tokens", usage.cache_creation},
                     {"cache_read_input_tokens", usage.cache_read},
                     {"output_tokens", output}});
}

Json Message(const Reply& reply, const ModelRequest& request, std::int64_t number) {
  return MakeObject({{"id", fmt::format("msg_script_{:06}", number)},
                     {"type", "message"},
                     {"role", "assistant"},
                     {"model", request.model},
                     {"content", Json::EmptyArray()},
                     {"stop_reason", nullptr},
                     {"stop_sequence", nullptr},
                     {"usage", UsageOf(reply.usage, 1)}});
}

Json ToolBlock(const ReplyBlock& block, std::int64_t number, std::size_t index, Json input) {
  return MakeObject({{"type", "tool_use"},
                     {"id", fmt::format("toolu_script_{:06}_{}", number, index)},
                     {"name", block.tool},
                     {"input", std::move(input)}});
}

Json TextBlock(std::string_view text) { return MakeObject({{"type", "text"}, {"text", text}}); }

std::string Event(const Json& data) {
  return fmt::format("event: {}\ndata: {}\n\n", TextIn(data, "type"), WriteJson(data));
}

// Never within a character.
std::vector<std::string_view> Pieces(std::string_view text) {
  std::vector<std::string_view> pieces;
  while (!text.empty()) {
    std::size_t length = std::min(kBytesADelta, text.size());
    while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xc0U) == 0x80U) {
      ++length;
    }
    pieces.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return pieces;
}

void AddBlock(const ReplyBlock& block, std::int64_t number, std::size_t index,
              std::vector<std::string>& events) {
  const bool tool = !block.tool.empty();
  Json start = tool ? ToolBlock(block, number, index, Json::EmptyObject()) : TextBlock("");
  events.push_back(Event(MakeObject(
      {{"type", "content_block_start"}, {"index", index}, {"content_block", std::move(start)}})));
  const std::string all = tool ? WriteJson(block.input) : block.text;
  for (const std::string_view piece : Pieces(all)) {
    Json delta = tool ? MakeObject({{"type", "input_json_delta"}, {"partial_json", piece}})
                      : MakeObject({{"type", "text_delta"}, {"text", piece}});
    events.push_back(Event(MakeObject(
        {{"type", "content_block_delta"}, {"index", index}, {"delta", std::move(delta)}})));
  }
  events.push_back(Event(MakeObject({{"type", "content_block_stop"}, {"index", index}})));
}

}  // namespace

Json WholeMessage(const Reply& reply, const ModelRequest& request, std::int64_t number) {
  Json message = Message(reply, request, number);
  for (const ReplyBlock& block : reply.content) {
    Json* content = message.Find("content");
    const std::size_t index = content->AsArray()->size();
    content->Append(block.tool.empty() ? TextBlock(block.text)
                                       : ToolBlock(block, number, index, block.input));
  }
  message.Set("stop_reason", StopReason(reply));
  message.Set("usage", UsageOf(reply.usage, reply.usage.output));
  return message;
}

std::vector<std::string> StreamEvents(const Reply& reply, const ModelRequest& request,
                                      std::int64_t number) {
  std::vector<std::string> events = {
      Event(MakeObject({{"type", "message_start"}, {"message", Message(reply, request, number)}}))};
  for (std::size_t i = 0; i < reply.content.size(); ++i) {
    AddBlock(reply.content[i], number, i, events);
  }
  Json delta = MakeObject({{"stop_reason", StopReason(reply)}, {"stop_sequence", nullptr}});
  events.push_back(Event(MakeObject({{"type", "message_delta"},
                                     {"delta", std::move(delta)},
                                     {"usage", UsageOf(reply.usage, reply.usage.output)}})));
  events.push_back(Event(MakeObject({{"type", "message_stop"}})));
  return events;
}

}  // namespace belay

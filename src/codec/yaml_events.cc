#include "codec/yaml_events.h"

#include <algorithm>

#include "codec/yaml_source.h"

namespace belay::yaml {
namespace {

constexpr std::size_t kReasonCodePoints = 200;

void PrintNothing(fy_diag*, void*, const char*, std::size_t) {}

Diag MakeDiag() {
  fy_diag_cfg config;
  fy_diag_cfg_default(&config);
  config.fp = nullptr;  // the default is stderr
  config.output_fn = PrintNothing;
  config.colorize = false;
  Diag diag(fy_diag_create(&config));
  if (diag != nullptr) fy_diag_set_collect_errors(diag.get(), true);
  return diag;
}

}  // namespace

EventStream::EventStream(std::string_view text, bool loose_flow) : diag_(MakeDiag()) {
  if (diag_ == nullptr) return;
  fy_parse_cfg config{};
  unsigned flags = FYPCF_QUIET | FYPCF_JSON_NONE | FYPCF_DEFAULT_VERSION_1_2;
  if (loose_flow) flags |= FYPCF_SLOPPY_FLOW_INDENTATION;
  config.flags = static_cast<fy_parse_cfg_flags>(flags);
  config.diag = diag_.get();
  parser_.reset(fy_parser_create(&config));
  if (parser_ == nullptr) return;
  if (fy_parser_set_string(parser_.get(), text.data(), text.size()) != 0) parser_.reset();
}

Event EventStream::Next() {
  fy_event* event = parser_ == nullptr ? nullptr : fy_parser_parse(parser_.get());
  return {event, FreeEvent{parser_.get()}};
}

std::optional<Error> EventStream::Problem(TextPosition end) const {
  void* iterator = nullptr;
  const fy_diag_error* first =
      diag_ == nullptr ? nullptr : fy_diag_errors_iterate(diag_.get(), &iterator);
  if (first == nullptr) return std::nullopt;
  TextPosition at{static_cast<std::size_t>(std::max(first->line, 1)),
                  static_cast<std::size_t>(std::max(first->column, 1))};
  // libfyaml reports what is missing at the end on a line that doesn't exist.
  if (IsBefore(end, at)) at = end;
  return ErrorAt(at, OneLine(first->msg == nullptr ? "" : first->msg, kReasonCodePoints));
}

bool EventStream::failed() const {
  return parser_ == nullptr || fy_parser_get_stream_error(parser_.get()) ||
         fy_diag_got_error(diag_.get());
}

std::size_t StartOf(fy_token* token, std::size_t otherwise) {
  const fy_mark* mark = token == nullptr ? nullptr : fy_token_start_mark(token);
  return mark == nullptr ? otherwise : mark->input_pos;
}

std::size_t EndOf(fy_token* token, std::size_t otherwise) {
  const fy_mark* mark = token == nullptr ? nullptr : fy_token_end_mark(token);
  return mark == nullptr ? otherwise : mark->input_pos;
}

}  // namespace belay::yaml

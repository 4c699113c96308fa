// libfyaml's events for one text; its diagnostics are kept instead of printed. Only the YAML reader
// includes this: libfyaml.h is heavy.

#ifndef BELAY_CODEC_YAML_EVENTS_H_
#define BELAY_CODEC_YAML_EVENTS_H_

#include <libfyaml.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "base/utf8.h"

namespace belay::yaml {

struct DestroyDiag {
  void operator()(fy_diag* diag) const { fy_diag_destroy(diag); }
};
struct DestroyParser {
  void operator()(fy_parser* parser) const { fy_parser_destroy(parser); }
};
struct FreeEvent {
  fy_parser* parser;
  void operator()(fy_event* event) const { fy_parser_event_free(parser, event); }
};
using Diag = std::unique_ptr<fy_diag, DestroyDiag>;
using Event = std::unique_ptr<fy_event, FreeEvent>;

// The events of one text, which must outlive it.
class EventStream {
 public:
  // `loose_flow`: the lines of a bracket may be as deep as its key.
  EventStream(std::string_view text, bool loose_flow);

  // Null at the end, and on an error.
  Event Next();

  // The first problem that libfyaml found; `end` is the end of the text. Warnings count, because
  // libfyaml warns about text that it drops.
  std::optional<Error> Problem(TextPosition end) const;

  // Whether libfyaml gave up, with or without a diagnostic.
  bool failed() const;

 private:
  Diag diag_;
  std::unique_ptr<fy_parser, DestroyParser> parser_;
};

// Offsets of a token in the text; `otherwise` when there is no token or it has no mark.
std::size_t StartOf(fy_token* token, std::size_t otherwise);
std::size_t EndOf(fy_token* token, std::size_t otherwise);

}  // namespace belay::yaml

#endif  // BELAY_CODEC_YAML_EVENTS_H_

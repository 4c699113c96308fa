// Builds our tree from libfyaml's events.

#ifndef BELAY_CODEC_YAML_TREE_H_
#define BELAY_CODEC_YAML_TREE_H_

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "codec/yaml.h"
#include "codec/yaml_events.h"
#include "codec/yaml_source.h"

namespace belay::yaml {

class TreeBuilder {
 public:
  TreeBuilder(std::string_view text, const Places& places, const YamlLimits& limits)
      : text_(text), places_(places), limits_(limits) {}

  Result<void> Take(const fy_event& event);

  // Whether the stream ended properly; a parse that failed half-way never does.
  bool complete() const { return ended_ && open_.empty(); }
  YamlNode Root() &&;

 private:
  // A map or list whose end hasn't been read yet.
  struct Open {
    YamlNode node;
    std::set<std::string, std::less<>> keys;
    std::optional<YamlEntry> entry;  // its value is still to come
    bool flow = false;               // in brackets, or inside brackets
  };

  // A scalar in the text, from its quote or header on, and its value.
  struct Scalar {
    std::size_t start;
    std::size_t end;
    std::string text;
  };

  Result<void> StartDocument(const fy_event_document_start_data& start);
  Result<void> StartCollection(YamlNode::Kind kind, fy_token* token);
  void EndCollection(fy_token* token);
  Result<void> TakeScalar(fy_token* token);
  Result<void> TakeKey(YamlNode key);
  void Attach(YamlNode node);

  Result<void> CheckProperties(fy_token* anchor, fy_token* tag) const;
  Result<void> CheckKey(const YamlNode& key) const;
  Result<void> CheckIndent(const YamlNode& value) const;
  Result<Scalar> ReadSource(fy_token* token) const;
  Result<Scalar> ReadBlock(std::size_t end) const;
  Result<YamlNode> ReadScalar(fy_token* token);
  YamlNode AbsentScalar();

  bool AwaitsKey() const {
    return !open_.empty() && open_.back().node.kind == YamlNode::Kind::kMap && !open_.back().entry;
  }

  char CharAt(std::size_t offset) const { return offset < text_.size() ? text_[offset] : '\0'; }
  void PassTo(std::size_t offset) { passed_ = std::max(passed_, offset); }
  std::size_t SkipBlanks(std::size_t from) const;
  std::optional<std::size_t> FindIndicator(std::string_view wanted) const;

  std::string_view text_;
  const Places& places_;
  const YamlLimits& limits_;
  std::vector<Open> open_;
  std::optional<YamlNode> root_;
  // Everything before this offset belongs to an event that was read. Tokens without a mark are
  // searched from here: only blanks, comments and indicators lie in between.
  std::size_t passed_ = 0;
  int documents_ = 0;
  bool ended_ = false;
};

}  // namespace belay::yaml

#endif  // BELAY_CODEC_YAML_TREE_H_

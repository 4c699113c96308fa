#include "prompt/own_words.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/utf8.h"

namespace belay {
namespace {

constexpr std::size_t kNonceDigits = 16;
constexpr std::string_view kPrefix = "| ";

// Walks through a text and counts the size of its beginning, including the end of an open line.
class Measure {
 public:
  void Add(char c) {
    if (!open_) size_ += kPrefix.size() + 1;
    open_ = c != '\n';
    if (open_) ++size_;
  }
  std::size_t size() const { return size_; }

 private:
  std::size_t size_ = 0;
  bool open_ = false;
};

}  // namespace

std::optional<CommandWord> CommandWord::From(std::string_view name) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789./_-";
  const bool plain = !name.empty() && name.size() <= kLongest && name.front() != '-' &&
                     name.find_first_not_of(kPlain) == std::string_view::npos;
  return plain ? std::optional(CommandWord(name)) : std::nullopt;
}

std::string Spelling::Of(const OwnWords& words) { return words.text(); }

std::string OwnWords::Fill(std::string_view words, std::initializer_list<std::string> values) {
  std::string text;
  for (const std::string& value : values) {
    const std::size_t hole = words.find("{}");
    text += words.substr(0, hole);
    text += value;
    words.remove_prefix(hole + 2);
  }
  text += words;
  return text;
}

std::string DrawNonce(Random& random, std::span<const std::string_view> texts) {
  std::string nonce = random.Hex(kNonceDigits);
  const auto holds_nonce = [&](std::string_view text) { return text.find(nonce) != text.npos; };
  while (std::any_of(texts.begin(), texts.end(), holds_nonce)) {
    nonce = random.Hex(nonce.size() + kNonceDigits);
  }
  return nonce;
}

std::string RenderBlock(Label label, std::string_view nonce, const ForeignText& foreign,
                        std::size_t kept) {
  std::string block = fmt::format("<<<DATA {} {}>>>\n", nonce, label.text());
  std::string_view rest = CutCodePoints(foreign.text(), kept);
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    block += kPrefix;
    block += line;
    block += '\n';
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  }
  return block + fmt::format("<<<END {}>>>\n", nonce);
}

std::size_t BodySize(const ForeignText& foreign, std::size_t kept) {
  Measure measure;
  for (std::string_view rest = CutCodePoints(foreign.text(), kept); !rest.empty();) {
    measure.Add(rest[0]);
    rest.remove_prefix(DecodeUtf8(rest).bytes);
  }
  return measure.size();
}

std::size_t KeptWithin(const ForeignText& foreign, std::size_t room) {
  Measure measure;
  std::size_t kept = 0;
  for (std::string_view rest = foreign.text(); !rest.empty(); ++kept) {
    measure.Add(rest[0]);
    if (measure.size() > room) break;
    rest.remove_prefix(DecodeUtf8(rest).bytes);
  }
  return kept;
}

}  // namespace belay

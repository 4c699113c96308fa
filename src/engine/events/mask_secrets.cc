#include "engine/events/mask_secrets.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/text.h"
#include "engine/events/secret_names.h"

namespace belay {
namespace {

constexpr std::string_view kMask = "***";
constexpr std::size_t kNone = std::string_view::npos;

bool IsWordByte(char c) {
  return c == '_' || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}
bool IsNameByte(char c) { return IsWordByte(c) || c == '-' || c == '.'; }
bool IsQuote(char c) { return c == '"' || c == '\''; }
bool IsLineEnd(char c) { return c == '\n' || c == '\r'; }

// Goes through the text once. Each rule looks at the current position, and either writes the text
// there without its secret and moves past it, or does nothing.
class Masker {
 public:
  explicit Masker(std::string_view text) : text_(text) { masked_.reserve(text.size()); }

  std::string Mask() {
    while (at_ < text_.size()) {
      const bool masked = MaskToken() || MaskAddress() || MaskOption() || MaskName();
      if (!masked) Step();
    }
    return std::move(masked_);
  }

 private:
  char Before() const { return at_ == 0 ? ' ' : text_[at_ - 1]; }
  char Peek(std::size_t at) const { return at < text_.size() ? text_[at] : '\0'; }

  // Copies the text unchanged, keeping track of quotes and commands.
  void Step() {
    const char c = text_[at_];
    if (c == '\\' && quote_ != '\'' && at_ + 1 < text_.size()) return KeepTo(at_ + 2);
    if (IsQuote(c) && (quote_ == 0 || quote_ == c)) {
      quote_ = quote_ == 0 ? c : '\0';
      opened_ = at_;
    }
    const bool ends_command = IsLineEnd(c) || c == ';' || c == '|' || (c == '&' && Before() != '>');
    if (quote_ == 0 && ends_command) programs_.clear();
    KeepTo(at_ + 1);
  }

  void KeepTo(std::size_t end) {
    masked_.append(text_.substr(at_, end - at_));
    at_ = end;
  }
  bool MaskTo(std::size_t end) {
    masked_.append(kMask);
    at_ = end;
    return true;
  }

  // The word at `start`, searched for once for all rules.
  struct Word {
    std::size_t start = 0;
    std::size_t end = 0;
    std::size_t at_sign = kNone;  // the last
  };
  const Word& WordAt(std::size_t start) {
    Word& word = words_[quote_ == 0 ? 0 : quote_ == '"' ? 1 : 2];
    if (start >= word.start && start < word.end) return word;
    word = {start, EndOfWord(text_, start, quote_), kNone};
    const std::size_t sign = text_.substr(start, word.end - start).rfind('@');
    if (sign != kNone) word.at_sign = start + sign;
    return word;
  }
  std::size_t EndAt(std::size_t start) { return WordAt(start).end; }

  bool MaskToken() {
    if (IsWordByte(Before())) return false;
    const std::size_t length = LengthOfToken(text_.substr(at_));
    return length != 0 && MaskTo(at_ + length);
  }

  // The part before the @ in an address, from "://" on.
  bool MaskAddress() {
    if (!text_.substr(at_).starts_with("://")) return false;
    const std::size_t start = at_ + 3;
    const std::size_t at_sign = EndOfUser(start);
    if (at_sign == kNone) return false;
    const bool web = EndsWithWord(masked_, "HTTP") || EndsWithWord(masked_, "HTTPS");
    const std::size_t colon = text_.substr(0, at_sign).find(':', start);
    if (colon == kNone && !web) return false;
    KeepTo(start);
    MaskPair(at_sign, colon);
    return true;
  }

  std::size_t EndOfUser(std::size_t start) {
    const Word& whole = WordAt(start);
    const std::string_view word = text_.substr(start, whole.end - start);
    const std::string_view authority = word.substr(0, word.find_first_of("/?#"));
    const std::size_t at_sign = authority.rfind('@');
    // An unescaped password: the text after the colon is no port.
    const std::size_t colon = authority.find(':');
    const bool port = authority.find_first_not_of("0123456789", colon + 1) == kNone;
    if (at_sign != kNone) return start + at_sign;
    const bool later = whole.at_sign != kNone && whole.at_sign > start;
    return later && colon != kNone && !port ? whole.at_sign : kNone;
  }

  // user:password; a user alone is the secret.
  void MaskPair(std::size_t end, std::size_t colon) {
    if (colon >= end) {
      MaskTo(end);
      return;
    }
    const std::string_view password = text_.substr(colon + 1, end - colon - 1);
    const bool only_user = password.empty() || password == "x-oauth-basic";
    if (only_user || LengthOfToken(text_.substr(at_)) != 0) MaskTo(colon);
    KeepTo(colon + 1);
    if (!password.empty()) MaskTo(end);
  }

  // For known programs: curl -u user:password.
  bool MaskOption() {
    const char before = Before();
    if (programs_.empty() || text_[at_] != '-') return false;
    if (!IsBlank(before) && !IsQuote(before) && !IsLineEnd(before)) return false;
    const std::string_view rest = text_.substr(at_);
    const SecretOption* option = FindSecretOption(programs_, rest);
    if (option == nullptr) return false;
    const std::size_t behind = at_ + LengthOfOption(*option, rest);
    const std::size_t value = option->attached ? behind : SkipBlanks(text_, behind);
    const std::size_t end = EndAt(value);
    if (value >= end || !IsSecretOf(*option, text_.substr(value, end - value))) return false;
    KeepTo(value);
    if (!option->pair) return MaskTo(end);
    const bool quoted = IsQuote(text_[value]) && text_[end - 1] == text_[value];
    MaskPair(quoted ? end - 1 : end, text_.find(':', value));
    KeepTo(end);
    return true;
  }

  static bool IsSecretOf(const SecretOption& option, std::string_view value) {
    const bool colon = value.find(':') != kNone;
    // docker run --name mysql -p3306:3306
    const bool ports = colon && value.find_first_not_of("0123456789:") == kNone;
    return option.pair ? colon : !ports;
  }

  // A name, its separator, and its value.
  bool MaskName() {
    if (!IsNameByte(text_[at_]) || IsNameByte(Before())) return false;
    std::size_t end = at_;
    while (end < text_.size() && IsNameByte(text_[end])) ++end;
    const std::string_view name = text_.substr(at_, end - at_);
    NoteProgram(name, Peek(end));
    if (IsSameWord(name, "BEARER")) return MaskNextWord(end);
    if (!NamesSecret(name)) return false;
    const std::size_t value = ValueOf(name, end);
    if (value == kNone) return false;
    // {"NAME": "x"}: the name's own quotes have ended.
    const bool ended = quote_ != 0 && Peek(end) == quote_;
    const char quote = ended ? std::exchange(quote_, '\0') : quote_;
    const bool masked = MaskValue(name, value);
    if (!masked) quote_ = quote;
    return masked;
  }

  void NoteProgram(std::string_view name, char next) {
    const bool word = IsBlank(next) || IsLineEnd(next);
    if (word && HasSecretOptions(name) && !IsIn(programs_, name)) programs_.push_back(name);
  }

  bool MaskNextWord(std::size_t end) {
    const std::size_t value = SkipBlanks(text_, end);
    const std::size_t stop = EndAt(value);
    if (value == end || value >= stop) return false;
    KeepTo(value);
    return MaskTo(stop);
  }

  // Where the value of the name that ends at `end` begins, if it has one.
  std::size_t ValueOf(std::string_view name, std::size_t end) const {
    std::size_t at = end + OpeningQuote(text_, end).size();
    const bool quoted = at != end;
    if (quoted && Peek(at) == ']') ++at;
    const std::size_t separator = SkipBlanks(text_, at);
    const bool option = name.starts_with('-');
    const bool another = text_.substr(separator).starts_with("--");
    if (option && !quoted && separator != at) return another ? kNone : separator;
    if (option && quoted && Peek(separator) == ',') return SkipBlanks(text_, separator + 1);
    return BehindSeparator(name, separator, separator != at, quoted);
  }

  std::size_t BehindSeparator(std::string_view name, std::size_t at, bool spaced,
                              bool quoted) const {
    const std::string_view rest = text_.substr(at);
    if (rest.starts_with("==") || rest.starts_with("::") || rest.starts_with("://")) return kNone;
    if (rest.starts_with(":=") || rest.starts_with("=>")) return SkipBlanks(text_, at + 2);
    if (rest.starts_with("+=")) return at + 2;
    // "KEY= x" is an empty value and a command.
    if (rest.starts_with('=')) return spaced ? SkipBlanks(text_, at + 1) : at + 1;
    if (!rest.starts_with(':')) return kNone;
    const std::size_t value = SkipBlanks(text_, at + 1);
    const bool everyday =
        IsEverydayName(name) && !quoted && (value == at + 1 || IsSameWord(name, "AUTH"));
    return everyday ? kNone : value;
  }

  bool MaskValue(std::string_view name, std::size_t value) {
    if (text_.substr(value).starts_with("$(") || Peek(value) == '`') return false;
    if (const std::string_view opening = OpeningQuote(text_, value); !opening.empty()) {
      return MaskQuoted(value, opening);
    }
    const std::size_t end = EndOfValue(name, value);
    if (end == value) return false;
    const std::size_t first = EndAt(value);
    const std::size_t next = SkipBlanks(text_, first);
    const bool scheme = IsSchemeOf(name, text_.substr(value, first - value), end > first);
    const std::size_t credential = scheme && next != first ? EndOfWord(text_, next, quote_) : next;
    if (credential == next) {
      KeepTo(value);
      return MaskTo(end);
    }
    KeepTo(next);
    return MaskTo(std::max(end, credential));
  }

  static bool IsSchemeOf(std::string_view name, std::string_view word, bool whole) {
    if (name.starts_with('-')) return false;
    const bool letters = std::all_of(
        word.begin(), word.end(), [](char c) { return IsNameByte(c) && !(c >= '0' && c <= '9'); });
    return IsScheme(word) || (whole && letters && IsSecretHeader(name));
  }

  bool MaskQuoted(std::size_t value, std::string_view opening) {
    // It may be the end of the enclosing quotes.
    constexpr std::string_view kBreaks(" \t\r\n;|&()<>\0", 12);
    const bool closes =
        opening == std::string_view(&quote_, 1) && kBreaks.find(Peek(value + 1)) != kNone;
    const std::size_t close = closes ? value : ClosingQuote(text_, value, opening);
    if (closes || close == value + opening.size()) return false;
    const std::size_t behind = std::min(close + opening.size(), text_.size());
    const std::size_t end = EndOfWord(text_, behind, quote_);
    KeepTo(value);
    const bool alone = end == behind || opening.size() > 1 || Peek(behind) == ',' ||
                       Peek(behind) == '}' || Peek(behind) == ']';
    if (!alone) return MaskTo(end);
    KeepTo(value + opening.size());
    MaskTo(close);
    KeepTo(behind);
    return true;
  }

  // For a value without quotes of its own.
  std::size_t EndOfValue(std::string_view name, std::size_t value) {
    const std::size_t word = EndAt(value);
    const bool query = Before() == '?' || (Before() == '&' && at_ > 1 && text_[at_ - 2] != '&');
    if (query) return std::min(text_.substr(0, word).find_first_of("&#", value), word);
    if (quote_ == 0) return word;
    const bool assigns = at_ == opened_ + 1 && text_[value - 1] == '=' && !IsScript();
    if (!assigns && !IsSecretHeader(name)) return word;
    return assigns ? ClosingQuote(text_, value - 1, {&quote_, 1}) : EndOfHeader(value);
  }

  std::size_t EndOfHeader(std::size_t at) const {
    while (at < text_.size() && text_[at] != quote_ && !IsLineEnd(text_[at])) {
      at += text_[at] == '\\' ? 2 : 1;
    }
    return std::min(at, text_.size());
  }

  // Whether the quotes hold a command line: sh -c "TOKEN=x make".
  bool IsScript() const {
    std::size_t end = opened_;
    while (end > 0 && IsBlank(text_[end - 1])) --end;
    constexpr std::size_t kLongest = 4;
    std::size_t start = end;
    while (start > 0 && end - start < kLongest && !IsBlank(text_[start - 1])) --start;
    return start < end && text_[start] == '-' && text_[end - 1] == 'c';
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string masked_;
  char quote_ = 0;                          // around the current position
  std::size_t opened_ = kNone;              // where it began
  std::vector<std::string_view> programs_;  // programs with secret options in this command
  std::array<Word, 3> words_ = {};          // the last ones, by enclosing quote
};

}  // namespace

std::string MaskSecrets(std::string_view text) { return Masker(text).Mask(); }

namespace {

constexpr std::string_view kOperators = ";|&()<>";

bool IsQuoteMark(char c) { return c == '"' || c == '\''; }

bool EndsWord(char c, char enclosing) {
  if (IsBlank(c) || c == '\n' || c == '\r') return true;
  return enclosing != 0 ? c == enclosing : kOperators.find(c) != std::string_view::npos;
}

// The end of the quoted part of a word. Inside other quotes an apostrophe may be a plain character.
std::size_t EndOfPart(std::string_view text, std::size_t at, char enclosing) {
  const std::size_t close = ClosingQuote(text, at, text.substr(at, 1));
  if (enclosing == 0) return std::min(close + 1, text.size());
  const bool inside =
      close < text.size() && text.substr(at, close - at).find(enclosing) == std::string_view::npos;
  return inside ? close + 1 : at + 1;
}

}  // namespace

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

std::size_t SkipBlanks(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    if (IsBlank(text[at])) {
      ++at;
    } else if (text.substr(at).starts_with("\\\n")) {
      at += 2;
    } else {
      break;
    }
  }
  return at;
}

std::string_view OpeningQuote(std::string_view text, std::size_t at) {
  std::size_t quote = at;
  while (quote < text.size() && text[quote] == '\\') ++quote;
  if (quote >= text.size() || !IsQuoteMark(text[quote])) return {};
  return text.substr(at, quote + 1 - at);
}

std::size_t ClosingQuote(std::string_view text, std::size_t at, std::string_view opening) {
  const char quote = opening.back();
  const std::size_t marks = opening.size() - 1;  // backslashes
  std::size_t backslashes = 0;
  for (std::size_t i = at + opening.size(); i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++backslashes;
      continue;
    }
    const bool closes = backslashes <= marks || (marks == 0 && backslashes % 2 == 0);
    if (text[i] == quote && closes) return i - std::min(backslashes, marks);
    backslashes = 0;
  }
  return text.size();
}

std::size_t EndOfWord(std::string_view text, std::size_t at, char enclosing) {
  while (at < text.size() && !EndsWord(text[at], enclosing)) {
    if (text[at] == '\\') {
      at += 2;
    } else {
      at = IsQuoteMark(text[at]) ? EndOfPart(text, at, enclosing) : at + 1;
    }
  }
  return std::min(at, text.size());
}

namespace {

constexpr std::size_t kShortestSecret = 3;  // shorter ones would mask half of the line

// The value that begins at `at` in words[i], or is the next word.
std::string ValueAt(std::span<const std::string> words, std::size_t i, std::size_t at) {
  if (at < words[i].size()) return words[i].substr(at);
  return i + 1 < words.size() ? words[i + 1] : "";
}

// --password x, --password=x, and the options of known programs.
std::string SecretArgument(std::span<const std::string_view> programs,
                           std::span<const std::string> words, std::size_t i) {
  const std::string& word = words[i];
  if (!word.starts_with('-')) return {};
  if (const SecretOption* option = FindSecretOption(programs, word)) {
    const std::size_t length = LengthOfOption(*option, word);
    const bool missing = option->attached && length >= word.size();
    std::string value = missing ? "" : ValueAt(words, i, length);
    const std::size_t colon = value.find(':');
    if (!option->pair) return value;
    return colon == std::string::npos ? "" : value.substr(colon + 1);
  }
  const std::size_t equals = std::min(word.find('='), word.size());
  if (!word.starts_with("--") || !NamesSecret(std::string_view(word).substr(0, equals))) return {};
  const std::string value = ValueAt(words, i, equals + 1);
  return value.starts_with("--") ? "" : value;
}

// Whether the program takes a secret from its standard input.
bool ReadsSecret(std::span<const std::string> words) {
  constexpr std::string_view kFlags[] = {"--password-stdin", "--with-token", "--stdin",
                                         "--api-key-stdin", "--token-stdin"};
  constexpr std::string_view kPrograms[] = {"chpasswd", "passwd"};
  const std::string_view program = words.front();
  const std::string_view name = program.substr(program.rfind('/') + 1);
  if (IsIn(kPrograms, name)) return true;
  return std::ranges::any_of(words, [&](const std::string& word) {
    return IsIn(kFlags, word) || (name == "sudo" && word == "-S");
  });
}

void AddSecret(std::string secret, std::vector<std::string>& secrets) {
  while (secret.ends_with('\n')) secret.pop_back();
  const bool known = secret.find(kAnyText) == std::string::npos;
  if (known && secret.size() >= kShortestSecret) secrets.push_back(std::move(secret));
}

}  // namespace

std::vector<std::string> SecretsOf(std::span<const ShellEffect> effects) {
  std::vector<std::string> secrets;
  for (const ShellEffect& effect : effects) {
    if (effect.kind != EffectKind::kRun || effect.words.empty()) continue;
    std::vector<std::string_view> programs;
    for (const std::string& word : effect.words) {
      const std::string_view name = std::string_view(word).substr(word.rfind('/') + 1);
      if (HasSecretOptions(name)) programs.push_back(name);
    }
    for (std::size_t i = 1; i < effect.words.size(); ++i) {
      AddSecret(SecretArgument(programs, effect.words, i), secrets);
    }
    if (!effect.input.empty() && ReadsSecret(effect.words)) AddSecret(effect.input, secrets);
  }
  return secrets;
}

std::string WithoutSecrets(std::string text, std::span<const std::string> secrets) {
  for (const std::string& secret : secrets) {
    for (std::size_t at = 0; (at = text.find(secret, at)) != std::string::npos;) {
      text.replace(at, secret.size(), kMask);
      at += kMask.size();
    }
  }
  return text;
}

}  // namespace belay

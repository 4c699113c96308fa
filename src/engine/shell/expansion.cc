// Words: variables, substitutions, braces and patterns.

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/path.h"
#include "base/text.h"
#include "engine/shell/runner.h"
#include "engine/shell/words.h"

namespace belay {
namespace {

using PartKind = ShellPart::Kind;
using Parts = std::vector<ShellPart>;

constexpr std::size_t kMostBraced = 64;    // words out of one
constexpr std::size_t kMostMatches = 200;  // files for one pattern
constexpr std::size_t kMostNames = 10'000;
constexpr const char* kUsualSeparators = " \t\n";

const std::string& Anything() {
  static const std::string any(1, kAnyText);
  return any;
}

bool IsBrace(const ShellPart& part, std::string_view text) {
  return part.kind == PartKind::kBrace && part.text == text;
}

// The brace that closes the one at `open`; the size if there is none.
std::size_t ClosingBrace(const Parts& parts, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < parts.size(); ++i) {
    if (IsBrace(parts[i], "{")) ++depth;
    if (IsBrace(parts[i], "}") && --depth == 0) return i;
  }
  return parts.size();
}

std::vector<std::string> LetterSequence(char first, char last) {
  std::vector<std::string> all;
  const int step = first <= last ? 1 : -1;
  for (int c = static_cast<unsigned char>(first); all.size() < kMostBraced; c += step) {
    all.emplace_back(1, static_cast<char>(c));
    if (static_cast<char>(c) == last) break;
  }
  return all;
}

bool IsWholeNumber(std::string_view text, long& number) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc() && read.ptr == text.data() + text.size();
}

// {1..5} and {a..e}, with a step; empty if it is neither.
std::vector<std::string> SequenceOf(std::string_view text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos || dots == 0) return {};
  const std::string_view first = text.substr(0, dots);
  std::string_view last = text.substr(dots + 2);
  last = last.substr(0, last.find(".."));
  if (first.size() == 1 && last.size() == 1 && (first[0] < '0' || first[0] > '9')) {
    return LetterSequence(first[0], last[0]);
  }
  const auto padded = [](std::string_view one) {
    if (one.starts_with('-')) one.remove_prefix(1);
    return one.size() > 1 && one.starts_with('0');
  };
  if (padded(first) || padded(last)) return {std::string(1, kAnyText)};
  long from = 0;
  long to = 0;
  if (!IsWholeNumber(first, from) || !IsWholeNumber(last, to)) return {};
  std::vector<std::string> all;
  for (long n = from; all.size() < kMostBraced; n += from <= to ? 1 : -1) {
    all.push_back(std::to_string(n));
    if (n == to) break;
  }
  return all;
}

// What stands between two braces, at the commas of this level.
std::vector<Parts> Alternatives(const Parts& parts, std::size_t open, std::size_t close) {
  std::vector<Parts> all(1);
  int depth = 0;
  for (std::size_t i = open + 1; i < close; ++i) {
    if (IsBrace(parts[i], "{")) ++depth;
    if (IsBrace(parts[i], "}")) --depth;
    if (depth == 0 && IsBrace(parts[i], ",")) {
      all.emplace_back();
    } else {
      all.back().push_back(parts[i]);
    }
  }
  if (all.size() > 1) return all;
  const bool text = all[0].size() == 1 && all[0][0].kind == PartKind::kText;
  std::vector<Parts> sequence;
  for (std::string& one : text ? SequenceOf(all[0][0].text) : std::vector<std::string>()) {
    sequence.push_back({MakeShellPart(PartKind::kText, std::move(one))});
  }
  return sequence;
}

// The subscript of ${NAME[*]}.
bool IsStar(const ShellWord& subscript) {
  return subscript.parts.size() == 1 && subscript.parts[0].text == "*";
}

// What ${NAME OP operand} gives for a value that is known.
std::optional<std::vector<std::string>> Substituted(std::string_view op,
                                                    const std::vector<std::string>& value,
                                                    bool empty, const std::string& operand) {
  using Words = std::vector<std::string>;
  if (op == "-" || op == "=") return empty ? Words{operand} : value;
  if (op == "?") return value;
  if (op == "+") return empty ? Words{} : Words{operand};
  return std::nullopt;
}

// Whether a name matches a pattern, in which kAnyName stands for what isn't known of it.
bool NameMatches(std::string_view pattern, std::string_view name) {
  if (name.starts_with('.') && !pattern.starts_with('.')) return false;
  return CanBe(pattern, name);
}

}  // namespace

// The words that one word becomes.
struct ShellRunner::Fields {
  Words done = {};
  std::string current = {};
  bool begun = false;  // `current` counts even if it is empty

  void Add(std::string_view text) {
    current += text;
    begun = true;
  }
  void Break() {
    if (begun) done.push_back(std::exchange(current, {}));
    begun = false;
  }
  // Each a word of its own, or joined; what has separators is split at them.
  void AddAll(const Words& values, const std::optional<std::string>& joint,
              const std::optional<std::string>& separators) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i > 0 && joint) Add(*joint);
      if (i > 0 && !joint) Break();
      if (separators) {
        AddSplit(values[i], *separators);
      } else {
        Add(values[i]);
      }
    }
  }
  // A value that isn't quoted; it may be a pattern.
  void AddSplit(std::string_view text, std::string_view separators) {
    for (std::size_t at = 0; at < text.size();) {
      if (separators.find(text[at]) != std::string_view::npos) {
        Break();
        ++at;
        continue;
      }
      const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
      AddPattern(text.substr(at, end - at));
      at = end;
    }
  }
  void AddPattern(std::string_view text) {
    const bool closed = text.find(']') != std::string_view::npos;
    for (const char c : text) {
      const bool pattern = c == '*' || c == '?' || (c == '[' && closed);
      current += pattern ? kAnyName : c;
    }
    begun = true;
  }
};

void ShellRunner::Expand(const ShellWord& word, const Context& context, Words& out) {
  if (!Spend(1)) return;
  if (const std::optional<std::string_view> text = word.Literal()) {
    out.emplace_back(*text);
    return;
  }
  std::vector<Parts> braced;
  const bool braces = ExpandBraces(word.parts, braced);
  if (!braces) return ExpandBraced(word, word.parts, context, out);
  for (const Parts& parts : braced) ExpandBraced(word, parts, context, out);
}

// `parts`: of the word, after its braces are gone.
void ShellRunner::ExpandBraced(const ShellWord& word, std::span<const ShellPart> parts,
                               const Context& context, Words& out) {
  Fields fields;
  fields.begun = word.quoted;
  // "$@" without arguments is no word at all.
  const bool list = parts.size() == 1 && parts[0].kind == PartKind::kVariable &&
                    (parts[0].text == "@" || parts[0].words.size() == 2);
  if (list) fields.begun = false;
  ExpandParts(parts, true, context, fields);
  fields.Break();
  for (const std::string& field : fields.done) ExpandGlob(field, out);
}

std::string ShellRunner::ExpandToOne(const ShellWord& word, const Context& context) {
  if (const std::optional<std::string_view> text = word.Literal()) return std::string(*text);
  Fields fields;
  ExpandParts(word.parts, false, context, fields);
  fields.Break();
  std::string all;
  for (const std::string& field : fields.done) all += (all.empty() ? "" : " ") + field;
  return all;
}

void ShellRunner::ExpandParts(std::span<const ShellPart> parts, bool split, const Context& context,
                              Fields& fields) {
  for (const ShellPart& part : parts) ExpandPart(part, split, context, fields);
}

void ShellRunner::ExpandPart(const ShellPart& part, bool split, const Context& context,
                             Fields& fields) {
  switch (part.kind) {
    case PartKind::kText:
    case PartKind::kBrace:
      return fields.Add(part.text);
    case PartKind::kVariable:
      return ExpandVariable(part, split, context, fields);
    case PartKind::kCommand: {
      const std::optional<std::string> text = ExpandCommand(part.scripts[0], context);
      if (!text) return fields.Add(Anything());
      if (split && !part.quoted) return fields.AddSplit(*text, FieldSeparators());
      return fields.Add(*text);
    }
    case PartKind::kProcess: {
      constexpr const char* kPath = "/dev/fd/63";
      written_.erase(kPath);
      const std::optional<std::string> text = ExpandCommand(part.scripts[0], context);
      if (text && part.op == "<") NoteWritten(kPath, *text, false, true);
      return fields.Add(kPath);
    }
    case PartKind::kArithmetic:
      RunArithmetic(part.words[0], context);
      return fields.Add(Anything());
    case PartKind::kGlob:
      return fields.Add(std::string(1, state_.dot_globs ? kAnyPath : kAnyName));
    case PartKind::kTilde: {
      std::optional<Words> home = part.text.empty() ? Lookup("HOME") : std::nullopt;
      if (part.text == "+") home = Lookup("PWD");
      return fields.Add(home && !home->empty() ? home->front() : Anything());
    }
  }
}

// Long values that are repeated are work too.
bool ShellRunner::SpendOn(const Words& value) {
  constexpr std::size_t kBytes = 64;  // for one unit of work
  std::size_t size = 0;
  for (const std::string& one : value) size += one.size();
  return Spend(size / kBytes);
}

std::string ShellRunner::FieldSeparators() const {
  const auto found = state_.variables.find("IFS");
  if (found == state_.variables.end()) return kUsualSeparators;
  return found->second && !found->second->empty() ? found->second->front() : "";
}

void ShellRunner::ExpandVariable(const ShellPart& part, bool split, const Context& context,
                                 Fields& fields) {
  const std::optional<Words> value = ValueOf(part, context);
  if (!value || !SpendOn(*value)) return fields.Add(Anything());
  const bool several = part.text == "@" || part.text == "*" || part.words.size() == 2;
  const bool star = part.text == "*" || (part.words.size() == 2 && IsStar(part.words[1]));
  const bool joined = !several || !split || (part.quoted && star);
  // Separators that aren't known may break it anywhere.
  const auto ifs = state_.variables.find("IFS");
  const bool odd = ifs != state_.variables.end() && !ifs->second;
  if (odd && (!part.quoted || star)) return fields.Add(Anything());
  const std::string separator = star ? FieldSeparators().substr(0, 1) : " ";
  const bool splits = split && !part.quoted;
  fields.AddAll(*value, joined ? std::optional(separator) : std::nullopt,
                splits ? std::optional(FieldSeparators()) : std::nullopt);
}

std::optional<ShellRunner::Words> ShellRunner::Lookup(std::string_view name) const {
  if (name == "@" || name == "*") return state_.arguments;
  if (name.size() == 1 && name[0] >= '1' && name[0] <= '9') {
    const auto at = static_cast<std::size_t>(name[0] - '1');
    // One with unknown parts may be several, or none.
    const std::span before(state_.arguments.data(), std::min(at, state_.arguments.size()));
    if (!std::ranges::all_of(before, IsExact)) return std::nullopt;
    return at < state_.arguments.size() ? Words{state_.arguments[at]} : Words{};
  }
  if (name == "PWD" && state_.folders.size() == 1 && !state_.variables.contains(name)) {
    return state_.folders;
  }
  const auto found = state_.variables.find(name);
  if (found != state_.variables.end()) return found->second;
  // A shell doesn't take it from its environment.
  if (name == "IFS") return Words{kUsualSeparators};
  if (world_.environment == nullptr || SetByShell(name)) return std::nullopt;
  const std::optional<std::string> value = world_.environment->Get(name);
  return value ? std::optional(Words{*value}) : std::nullopt;
}

std::optional<ShellRunner::Words> ShellRunner::ValueOf(const ShellPart& part,
                                                       const Context& context) {
  std::optional<Words> value = Lookup(part.text);
  if (part.words.size() == 2) {
    RunArithmetic(part.words[1], context);
    const std::string index = ExpandToOne(part.words[1], context);
    const bool all = index == "@" || index == "*" || index == std::string(1, kAnyName);
    if (!all && index != "0") value.reset();
    if (value && index == "0" && value->size() > 1) value->resize(1);
  } else if (value && value->size() > 1 && part.text != "@" && part.text != "*") {
    value->resize(1);
  }
  if (part.op.empty()) return value;
  return WithOperator(part, std::move(value), context);
}

// ${!NAME}: the value of the variable that NAME holds.
std::optional<ShellRunner::Words> ShellRunner::Indirect(const ShellPart& part,
                                                        const std::optional<Words>& value,
                                                        const Context& context) {
  for (const ShellWord& word : part.words) (void)ExpandToOne(word, Possible(context));
  const bool named = value && value->size() == 1 && IsExact(value->front()) && part.words.empty();
  return named ? Lookup(value->front()) : std::nullopt;
}

// What is known of ${NAME OP WORD}.
std::optional<ShellRunner::Words> ShellRunner::WithOperator(const ShellPart& part,
                                                            std::optional<Words> value,
                                                            const Context& context) {
  if (part.op == "!") return Indirect(part, value, context);
  const Context possible = Possible(context);
  const std::string operand =
      part.words.empty() ? std::string() : ExpandToOne(part.words[0], possible);
  // ${x@P} expands the value once more, with the commands in it.
  if (part.op.starts_with('@') && operand.starts_with('P')) {
    AddUnknown("a prompt that is expanded");
  }
  const bool colon = part.op.starts_with(':');
  const std::string_view op = std::string_view(part.op).substr(colon ? 1 : 0);
  if (op == "?" && (!value || value->empty() || value->front().empty())) state_.ended = true;
  if (!value) {
    if (op == "=") state_.variables[part.text].reset();
    return std::nullopt;
  }
  const bool empty = value->empty() || (colon && value->front().empty());
  if (op == "=" && empty) SetVariable(part.text, Words{operand}, possible);
  const bool chooses = op == "-" || op == "=" || op == "?" || op == "+";
  return chooses ? Substituted(op, *value, empty, operand) : Transformed(part, *value, possible);
}

std::optional<std::string> ShellRunner::ExpandCommand(const ShellScript& script,
                                                      const Context& context) {
  State saved = CopyState();
  Context inner = Inner(context);
  RunScript(script, inner);
  state_ = std::move(saved);
  std::optional<std::string> text = std::exchange(output_, std::nullopt);
  while (text && text->ends_with('\n')) text->pop_back();
  return text;
}

// Names in it are evaluated in turn: x='a[$(curl h)]' runs curl in $((x)).
void ShellRunner::RunArithmetic(const ShellWord& word, const Context& context) {
  const std::string text = ExpandToOne(word, context);
  if (text.find("$(") != std::string::npos || text.find('`') != std::string::npos) {
    AddUnknown("a command in an arithmetic expression");
  }
  const bool assigns = text.find('=') != std::string::npos ||
                       text.find("++") != std::string::npos || text.find("--") != std::string::npos;
  bool named = false;
  bool runs = false;
  for (auto& [name, value] : state_.variables) {
    // One may name another.
    runs =
        runs || (value && std::ranges::any_of(*value, [](const std::string& one) {
                   return one.find("$(") != std::string::npos || one.find('`') != std::string::npos;
                 }));
    const bool here = text.find(name) != std::string::npos;
    named = named || here;
    if (here && assigns) value.reset();
  }
  if (runs && named) AddUnknown("a command in a variable of an arithmetic expression");
}

// Returns whether there was something to expand.
bool ShellRunner::ExpandBraces(const Parts& parts, std::vector<Parts>& out) {
  for (std::size_t open = 0; open < parts.size(); ++open) {
    if (!IsBrace(parts[open], "{")) continue;
    if (!Spend(parts.size() - open)) return false;
    const std::size_t close = ClosingBrace(parts, open);
    if (close == parts.size()) continue;
    const std::vector<Parts> all = Alternatives(parts, open, close);
    if (all.empty()) continue;
    for (const Parts& one : all) {
      Parts made(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(open));
      made.insert(made.end(), one.begin(), one.end());
      made.insert(made.end(), parts.begin() + static_cast<std::ptrdiff_t>(close) + 1, parts.end());
      const Level level(*this);
      if (!Spend(made.size()) || out.size() > kMostBraced || level.TooDeep()) {
        out.push_back({MakeShellPart(PartKind::kGlob, "*")});
        return true;
      }
      if (!ExpandBraces(made, out)) out.push_back(std::move(made));
    }
    return true;
  }
  return false;
}

// What the part of a pattern matches in the folder `at`; "" is the folder of the line.
void ShellRunner::MatchInFolder(const std::string& at, std::string_view part, Words& out) {
  const std::string start = at + (at.empty() || at.ends_with('/') ? "" : "/");
  if (IsExact(part)) {
    out.push_back(start + std::string(part));
    return;
  }
  const auto names = world_.files->List(JoinPath(state_.folders[0], at.empty() ? "." : at));
  if (!names || names->size() > kMostNames || !Spend(names->size())) return;
  for (const std::string& name : *names) {
    if (NameMatches(part, name) && out.size() <= kMostMatches) out.push_back(start + name);
  }
}

// With files: the paths that match, or the pattern if none does.
void ShellRunner::ExpandGlob(const std::string& pattern, Words& out) {
  const bool resolvable =
      world_.files != nullptr && pattern.find(kAnyName) != std::string::npos &&
      pattern.find_first_of(std::string{kAnyText, kAnyPath, kAnyFolders}) == std::string::npos &&
      state_.folders.size() == 1 && IsExact(state_.folders[0]);
  if (!resolvable) {  // **/ is kAnyPath twice
    const std::string folders = std::string(2, kAnyPath) + "/";
    out.push_back(Replaced(pattern, folders, std::string(1, kAnyFolders)));
    return;
  }
  Words found = {pattern.starts_with('/') ? "/" : ""};
  for (const std::string_view part : Split(pattern, '/')) {
    if (part.empty()) continue;
    Words next;
    for (const std::string& at : found) MatchInFolder(at, part, next);
    found = std::move(next);
  }
  if (found.empty() || found.size() > kMostMatches) found = {pattern};
  out.insert(out.end(), found.begin(), found.end());
}

}  // namespace belay

#include "engine/shell/programs.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "base/text.h"
#include "engine/shell/program_table.h"

namespace belay {
namespace {

constexpr std::string_view kShellPrograms[] = {"sh",  "bash", "dash", "zsh",   "ksh",
                                               "ash", "mksh", "fish", "rbash", "busybox-sh",
                                               "csh", "tcsh", "nu",   "elvish"};

constexpr std::string_view kCommandVariables[] = {"EDITOR",
                                                  "VISUAL",
                                                  "PAGER",
                                                  "GIT_SSH_COMMAND",
                                                  "GIT_SSH",
                                                  "GIT_PAGER",
                                                  "GIT_EDITOR",
                                                  "GIT_ASKPASS",
                                                  "GIT_EXTERNAL_DIFF",
                                                  "GIT_SEQUENCE_EDITOR",
                                                  "MANPAGER",
                                                  "SSH_ASKPASS",
                                                  "GIT_PROXY_COMMAND",
                                                  "LESSOPEN",
                                                  "LESSCLOSE",
                                                  "RSYNC_RSH",
                                                  "CVS_RSH",
                                                  "TAR_OPTIONS",
                                                  "BROWSER",
                                                  "FCEDIT",
                                                  "SUDO_ASKPASS",
                                                  "SUDO_EDITOR",
                                                  "SYSTEMD_PAGER",
                                                  "RUSTC_WRAPPER"};
constexpr std::string_view kChangingVariables[] = {"BASH_ENV",
                                                   "ENV",
                                                   "LD_PRELOAD",
                                                   "LD_LIBRARY_PATH",
                                                   "PS4",
                                                   "PS0",
                                                   "PROMPT_COMMAND",
                                                   "PERL5OPT",
                                                   "PERL5LIB",
                                                   "RUBYOPT",
                                                   "NODE_OPTIONS",
                                                   "PYTHONSTARTUP",
                                                   "PYTHONPATH",
                                                   "LD_AUDIT",
                                                   "SHELLOPTS",
                                                   "BASHOPTS",
                                                   "MAKEFLAGS",
                                                   "GIT_EXEC_PATH",
                                                   "GIT_CONFIG_COUNT",
                                                   "GIT_CONFIG_GLOBAL",
                                                   "GIT_CONFIG_SYSTEM",
                                                   "GIT_CONFIG_PARAMETERS",
                                                   "GIT_TEMPLATE_DIR",
                                                   "GIT_DIR",
                                                   "BASH_ALIASES",
                                                   "BASH_CMDS",
                                                   "BASH_LOADABLES_PATH",
                                                   "PYTHONHOME",
                                                   "RUBYLIB",
                                                   "NODE_PATH",
                                                   "GOFLAGS",
                                                   "JAVA_TOOL_OPTIONS",
                                                   "RIPGREP_CONFIG_PATH",
                                                   "VIMINIT",
                                                   "EXINIT"};
constexpr std::string_view kShellVariables[] = {"_",
                                                "RANDOM",
                                                "SRANDOM",
                                                "SECONDS",
                                                "LINENO",
                                                "BASHPID",
                                                "BASH_ARGV0",
                                                "BASH_ARGC",
                                                "BASH_ARGV",
                                                "BASH_COMMAND",
                                                "BASH_SUBSHELL",
                                                "PIPESTATUS",
                                                "EPOCHSECONDS",
                                                "EPOCHREALTIME",
                                                "FUNCNAME",
                                                "DIRSTACK",
                                                "GROUPS",
                                                "UID",
                                                "EUID",
                                                "PPID",
                                                "PWD",
                                                "OLDPWD",
                                                "OPTIND",
                                                "COLUMNS",
                                                "LINES",
                                                "HISTCMD"};

// The names of all rows in a hash table, so that finding one takes no time. It is made by the
// compiler: sorting them would exceed what clang does at compile time.
struct NamedRow {
  std::string_view name;
  const ProgramRow* row = nullptr;  // null: the slot is free
};

constexpr char SeparatorOf(const ProgramRow& row) {
  const bool verb = row.names.starts_with("git ") || row.names.starts_with("-m ");
  return verb || row.names.find('|') != std::string_view::npos ? '|' : ' ';
}

constexpr std::size_t kIndexSlots = 2048;
constexpr std::size_t SlotOf(std::string_view name) {
  std::uint32_t hash = 2166136261U;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash % kIndexSlots;
}

struct ProgramIndex {
  std::array<NamedRow, kIndexSlots> slots = {};
  bool twice = false;

  constexpr void Add(std::string_view name, const ProgramRow& row) {
    std::size_t slot = SlotOf(name);
    for (; slots[slot].row != nullptr; slot = (slot + 1) % kIndexSlots) {
      twice = twice || slots[slot].name == name;
    }
    slots[slot] = {name, &row};
  }
};

constexpr ProgramIndex kIndex = [] {
  ProgramIndex index;
  for (const ProgramRow& row : kPrograms) {
    for (std::size_t at = 0; at <= row.names.size();) {
      const std::size_t end = std::min(row.names.find(SeparatorOf(row), at), row.names.size());
      index.Add(row.names.substr(at, end - at), row);
      at = end + 1;
    }
  }
  return index;
}();
static_assert(!kIndex.twice, "a program has two rows");

const ProgramRow* FindRow(std::string_view name) {
  std::size_t slot = SlotOf(name);
  while (kIndex.slots[slot].row != nullptr && kIndex.slots[slot].name != name) {
    slot = (slot + 1) % kIndexSlots;
  }
  return kIndex.slots[slot].row;
}

}  // namespace

const ProgramRow* FindProgram(std::string_view name) {
  const bool python =
      name.starts_with("python") && name.find_first_not_of("0123456789.", 6) == name.npos;
  return FindRow(python ? "python" : name);
}

const ProgramRow* FindVerb(std::string_view name, std::string_view verb) {
  return FindRow(std::string(name) + " " + std::string(verb));
}

OptionUse FindOption(const ProgramRow& row, std::string_view option) {
  const std::string_view list = row.options;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(' ', at), list.size());
    const std::string_view one = list.substr(at, end - at);
    at = end + 1;
    if (!one.starts_with(option)) continue;
    const std::string_view rest = one.substr(option.size());
    if (rest.empty()) return {.listed = true};
    if (rest == "!") return {.listed = true, .role = '!'};
    if (rest[0] != '=' && rest[0] != '?') continue;
    return {.listed = true, .value = rest[0] == '=', .role = rest.size() > 1 ? rest[1] : '-'};
  }
  return {};
}

bool IsShellProgram(std::string_view name) {
  return (name.ends_with("sh") || name == "nu") && IsIn(kShellPrograms, name);
}
bool NamesCommand(std::string_view variable) { return IsIn(kCommandVariables, variable); }
bool ChangesPrograms(std::string_view variable) {
  return IsIn(kChangingVariables, variable) || variable.starts_with("BASH_FUNC_");
}
bool SetByShell(std::string_view variable) { return IsIn(kShellVariables, variable); }

}  // namespace belay

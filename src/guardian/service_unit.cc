#include "guardian/service_unit.h"

#include <fmt/core.h>

#include "app/settings.h"
#include "base/path.h"
#include "base/utf8.h"
#include "codec/hash.h"

namespace belay {
namespace {

constexpr std::size_t kDigestDigits = 8;

bool IsWordCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// A word of a command in a unit: quoted, with everything escaped that systemd would expand.
Result<std::string> UnitWord(const std::string& path) {
  std::string word = "\"";
  for (const char c : path) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      return Error{ErrorCode::kUsage,
                   fmt::format("a systemd unit can't contain the path {}", Quote(path)),
                   "move the project to a path without control characters"};
    }
    if (c == '"' || c == '\\') word += '\\';
    if (c == '%' || c == '$') word += c;
    word += c;
  }
  return word + "\"";
}

// Plain text in a unit, in which systemd expands only specifiers.
std::string UnitText(std::string_view text) {
  std::string literal;
  for (const char c : text) literal.append(c == '%' ? 2 : 1, c);
  return literal;
}

std::string UnitName(const std::string& root) {
  std::string name(FileName(root));
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !IsWordCharacter(c); }, '-');
  return fmt::format("belay-{}-{}.service", name, Sha256Hex(root).substr(0, kDigestDigits));
}

}  // namespace

Result<ServiceUnit> MakeServiceUnit(const std::string& program, const std::string& root) {
  BELAY_TRY_ASSIGN(const std::string program_word, UnitWord(program));
  BELAY_TRY_ASSIGN(const std::string root_word, UnitWord(root));
  // KillMode=process: agents must outlive their guardian.
  return ServiceUnit{UnitName(root),
                     fmt::format(R"([Unit]
Description=belay's guardian of {}

[Service]
Type=notify
NotifyAccess=main
ExecStart={} guard --quiet --root {}
Restart=always
RestartSec=1
WatchdogSec=180
KillMode=process
OOMPolicy=continue

[Install]
WantedBy=default.target
)",
                                 UnitText(FileName(root)), program_word, root_word)};
}

Result<ServiceUnit> ServiceUnitHere(const Env& env) {
  BELAY_TRY_ASSIGN(const Layout project, LocateProject(env));
  BELAY_TRY_ASSIGN(const std::string program, env.files.Resolve("/proc/self/exe"));
  return MakeServiceUnit(program, project.Root());
}

}  // namespace belay

#include "adapters/git/git.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "base/utf8.h"

namespace belay {
namespace {

constexpr std::size_t kMostOutput = std::size_t{1} << 30U;

struct Override {
  std::string_view key;
  std::string_view value;
};

// Settings that would let a user's configuration change what a call does or prints.
constexpr Override kOverrides[] = {
    {"core.hooksPath", "/dev/null"},
    {"core.fsmonitor", "false"},  // it may name a program with arbitrary answers
    {"core.fsync", "all"},
    {"core.fsyncMethod", "fsync"},
    {"core.logAllRefUpdates", "false"},
    {"core.warnAmbiguousRefs", "false"},
    {"core.filesRefLockTimeout", "100"},  // milliseconds; a user may have set: forever
    {"core.packedRefsTimeout", "1000"},
    {"core.askPass", ""},
    {"credential.helper", ""},
    {"gc.auto", "0"},
    {"maintenance.auto", "false"},
    {"color.ui", "never"},
    {"diff.noprefix", "false"},
    {"diff.mnemonicPrefix", "false"},
    {"diff.orderFile", "/dev/null"},
    {"diff.submodule", "short"},
    {"log.showSignature", "false"},  // runs gpg.program
    {"i18n.logOutputEncoding", "UTF-8"},
    {"submodule.recurse", "false"},
    {"pack.packSizeLimit", "0"},
    {"fastimport.unpackLimit", "0"},  // one pack, however few objects
};

constexpr Override kVariables[] = {
    {"LC_ALL", "C"},
    {"GIT_TERMINAL_PROMPT", "0"},
    {"GIT_OPTIONAL_LOCKS", "0"},
    {"GIT_LITERAL_PATHSPECS", "1"},
    {"GIT_NO_REPLACE_OBJECTS", "1"},
    {"GIT_GRAFT_FILE", "/dev/null/none"},  // an existing one makes git print advice
    {"GIT_PAGER", "cat"},
    // Missing objects of a partial clone would be fetched by programs that its configuration names.
    {"GIT_ALLOW_PROTOCOL", "none"},
};

// Where the user's configuration is: it decides what is ignored, and which folders are trusted.
bool IsKept(std::string_view name) {
  if (name == "LANGUAGE" || name == "SSH_ASKPASS") return false;
  return !name.starts_with("GIT_") || name == "GIT_CONFIG_GLOBAL" || name == "GIT_CONFIG_SYSTEM" ||
         name == "GIT_CONFIG_NOSYSTEM";
}

Environment::Variables GitEnvironment(const Environment::Variables& ours) {
  Environment::Variables variables;
  for (const auto& [name, value] : ours) {
    if (IsKept(name)) variables.emplace(name, value);
  }
  for (const Override& variable : kVariables) {
    variables.insert_or_assign(std::string(variable.key), std::string(variable.value));
  }
  std::size_t count = 0;
  for (const Override& setting : kOverrides) {
    variables[fmt::format("GIT_CONFIG_KEY_{}", count)] = setting.key;
    variables[fmt::format("GIT_CONFIG_VALUE_{}", count)] = setting.value;
    ++count;
  }
  variables["GIT_CONFIG_COUNT"] = std::to_string(count);
  return variables;
}

// The line with the reason, out of many.
std::string_view Complaint(std::string_view errors) {
  std::string_view last;
  for (std::string_view line : Split(errors, '\n')) {
    for (const std::string_view start : {"fatal: ", "error: "}) {
      if (line.starts_with(start)) return line.substr(start.size());
    }
    if (!line.empty()) last = line;
  }
  return last;
}

bool SaysFull(std::string_view why) {
  for (const std::string_view full : {"No space left", "Out of diskspace", "Disk quota exceeded"}) {
    if (why.find(full) != std::string_view::npos) return true;
  }
  return false;
}

Error Failure(const GitCall& call, const ProgramResult& result) {
  const std::string_view why = Complaint(result.err);
  Error error{ErrorCode::kFailed,
              why.empty() ? fmt::format("git {}: exit code {}", call.arguments[0], result.exit_code)
                          : fmt::format("git {}: {}", call.arguments[0], ReplaceInvalidUtf8(why))};
  if (why.find(".lock': File exists") != std::string_view::npos) {
    error.code = ErrorCode::kBusy;
    error.hint =
        "another git process is running there, or was killed: if none is running, remove that file";
  } else if (why.find("dubious ownership") != std::string_view::npos) {
    error.hint = "git config --global --add safe.directory FOLDER, if you trust it";
  } else if (SaysFull(why)) {
    error.hint = "free some disk space, then try again";
  }
  return error;
}

}  // namespace

Git::Git(Programs& programs, const Environment& environment, std::string folder)
    : programs_(&programs),
      environment_(GitEnvironment(environment.variables())),
      folder_(std::move(folder)) {}

Git Git::In(std::string folder) const {
  Git other = *this;
  other.folder_ = std::move(folder);
  return other;
}

std::string Git::Variable(std::string_view name) const {
  const auto found = environment_.find(name);
  return found == environment_.end() ? std::string() : found->second;
}

Result<GitAnswer> Git::Run(const GitCall& call) const {
  ProgramRequest request{.command = {"git"},
                         .limit = call.limit,
                         .folder = folder_,
                         .environment = environment_,
                         .input = call.input,
                         .converses = call.converses,
                         .output = call.output,
                         .most_output = kMostOutput};
  for (const std::string& setting : call.settings) {
    request.command.insert(request.command.end(), {"-c", setting});
  }
  request.command.insert(request.command.end(), call.arguments.begin(), call.arguments.end());
  for (const auto& [name, value] : call.environment) {
    request.environment->insert_or_assign(name, value);
  }
  BELAY_TRY_ASSIGN(ProgramResult result, programs_->Run(request));
  if (std::find(call.good_exits.begin(), call.good_exits.end(), result.exit_code) ==
      call.good_exits.end()) {
    return Failure(call, result);
  }
  if (result.cut) {
    return Error{ErrorCode::kFailed,
                 fmt::format("git {}: the output is too long", call.arguments[0])};
  }
  return GitAnswer{result.exit_code, std::move(result.out), std::move(result.err)};
}

Result<std::string> Git::Ask(std::vector<std::string> arguments) const {
  BELAY_TRY_ASSIGN(GitAnswer answer, Run({.arguments = std::move(arguments)}));
  return std::move(answer.out);
}

Result<ObjectId> ObjectId::Parse(std::string_view text) {
  const bool length = text.size() == 40 || text.size() == 64;
  if (!length || text.find_first_not_of("0123456789abcdef") != std::string_view::npos) {
    return Error{ErrorCode::kDamaged, fmt::format("{} is not the id of a git object", Quote(text))};
  }
  ObjectId id;
  if (text.find_first_not_of('0') != std::string_view::npos) id.text_ = text;
  return id;
}

}  // namespace belay

// belay init: everything is looked at first and nothing is changed unless all of it can be done.
// The steps are in an order that a crash between any two leaves a state the next run completes: git
// is told to leave belay's folders alone before there are any.

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/path.h"
#include "cli/commands/commands.h"
#include "cli/exclude_block.h"
#include "cli/settings.h"
#include "store/durable_file.h"

namespace belay {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20U;
constexpr std::uint32_t kSharedFolder = 0755;
constexpr std::uint32_t kSharedFile = 0644;

constexpr std::string_view kTemplate =
    R"(# Settings of belay for this project. Every key has a default;
# `belay config show` prints the values in force, `belay config check` finds mistakes.
#
# merge:
#   target: main
#   strategy: rebase          # rebase | squash | merge
#   slots: 2
#   gates:
#     - name: test
#       run: "make test"
#       timeout: 10m
#       retries: 1
)";

struct Change {
  std::string path;
  std::string what;  // "created", "removed", "kept", "unchanged"
  std::string why = {};
};

class Initialiser {
 public:
  Initialiser(FileSystem& files, const Layout& project, bool dry_run)
      : files_(files), project_(project), dry_run_(dry_run) {}

  const std::vector<Change>& changes() const { return changes_; }

  Result<void> SetUp() {
    BELAY_TRY(CheckFolder(project_.ClaudeFolder()));
    BELAY_TRY(CheckFolder(project_.StateRoot()));
    BELAY_TRY(CheckFolder(project_.Vault()));
    BELAY_TRY_ASSIGN(const std::optional<std::string> exclude, ExcludeAfter(true));
    BELAY_TRY(WriteExclude(exclude));
    BELAY_TRY(MakeFolder(project_.ClaudeFolder(), kSharedFolder, "configuration and state"));
    BELAY_TRY(MakeFolder(project_.Vault(), kPrivateFolder, "belay's memory"));
    BELAY_TRY(MakeFolder(project_.StateRoot(), kPrivateFolder, "what belay shows"));
    return WriteTemplate();
  }

  Result<void> Remove() {
    BELAY_TRY_ASSIGN(const std::optional<std::string> exclude, ExcludeAfter(false));
    BELAY_TRY(RemoveFolder(project_.StateRoot(), "it holds state"));
    BELAY_TRY(RemoveFolder(project_.Vault(), "it holds belay's memory of this project"));
    BELAY_TRY(RemoveTemplate());
    BELAY_TRY(RemoveFolder(project_.ClaudeFolder(), "others use it too"));
    if (OwnFoldersRemain()) {
      if (exclude) Note(*project_.ExcludeFile(), "kept", "folders it names are still there");
      return {};
    }
    return WriteExclude(exclude);
  }

 private:
  void Note(const std::string& path, std::string what, std::string why = {}) {
    changes_.push_back(
        {std::string(RelativeTo(project_.Root(), path)), std::move(what), std::move(why)});
  }

  // In a dry run nothing goes, but what would have gone counts as gone.
  bool Exists(const std::string& path) const {
    return !gone_.contains(path) && files_.Inspect(path).ok();
  }

  bool IsEmptyFolder(const std::string& path) const {
    const Result<FileInfo> info = files_.Inspect(path);
    if (!info || info->kind != FileKind::kFolder) return false;
    const Result<std::vector<std::string>> names = files_.List(path);
    return names && std::none_of(names->begin(), names->end(), [&](const std::string& name) {
             return Exists(JoinPath(path, name));
           });
  }

  Result<void> CheckFolder(const std::string& path) const {
    const Result<FileInfo> info = files_.Inspect(path);
    if (!info && info.error().code == ErrorCode::kNotFound) return {};
    if (!info) return info.error();
    if (info->kind == FileKind::kFolder) return {};
    return Error{ErrorCode::kRefused,
                 fmt::format("{} is {}, and belay needs a folder there", path,
                             info->kind == FileKind::kLink ? "a link" : "no folder"),
                 "move it away, then run belay init again"};
  }

  // The exclude file with or without our block; nothing when it needs no change.
  Result<std::optional<std::string>> ExcludeAfter(bool with_block) const {
    const std::optional<std::string> path = project_.ExcludeFile();
    if (!path) return std::optional<std::string>();
    Result<std::string> old = files_.Read(*path, kMostBytes);
    if (!old && old.error().code != ErrorCode::kNotFound) return std::move(old).error();
    const std::string text = old ? *old : std::string();
    Result<std::string> next =
        with_block ? WithExcludeBlock(text, Layout::OwnPatterns()) : WithoutExcludeBlock(text);
    if (!next) return std::move(next).error().In(*path);
    if (*next == text) return std::optional<std::string>();
    return std::optional<std::string>(*std::move(next));
  }

  Result<void> WriteExclude(const std::optional<std::string>& text) {
    const std::optional<std::string> path = project_.ExcludeFile();
    if (!path) return {};
    if (!text) {
      Note(*path, "unchanged");
      return {};
    }
    Note(*path, "changed", "what git leaves alone");
    if (dry_run_) return {};
    BELAY_TRY(EnsureFolder(files_, std::string(ParentPath(*path)), kSharedFolder));
    return ReplaceFile(files_, *path, *text, kSharedFile);
  }

  Result<void> MakeFolder(const std::string& path, std::uint32_t mode, std::string why) {
    Note(path, Exists(path) ? "unchanged" : "created", std::move(why));
    return dry_run_ ? Result<void>() : EnsureFolder(files_, path, mode);
  }

  Result<void> WriteTemplate() {
    if (Exists(project_.ConfigFile())) {
      Note(project_.ConfigFile(), "unchanged", "settings");
      return {};
    }
    Note(project_.ConfigFile(), "created", "settings, all at their defaults");
    if (dry_run_) return {};
    return ReplaceFile(files_, project_.ConfigFile(), kTemplate, kSharedFile);
  }

  Result<void> RemoveFolder(const std::string& path, std::string why_kept) {
    if (!Exists(path)) return {};
    if (!IsEmptyFolder(path)) {
      Note(path, "kept", std::move(why_kept));
      return {};
    }
    Note(path, "removed");
    gone_.insert(path);
    return dry_run_ ? Result<void>() : files_.RemoveEmptyFolder(path);
  }

  Result<void> RemoveTemplate() {
    if (!Exists(project_.ConfigFile())) return {};
    const Result<std::string> text = files_.Read(project_.ConfigFile(), kMostBytes);
    if (!text || *text != kTemplate) {
      Note(project_.ConfigFile(), "kept", "it was changed since init wrote it");
      return {};
    }
    Note(project_.ConfigFile(), "removed");
    gone_.insert(project_.ConfigFile());
    return dry_run_ ? Result<void>() : files_.RemoveFile(project_.ConfigFile());
  }

  bool OwnFoldersRemain() const {
    for (const std::string& pattern : Layout::OwnPatterns()) {
      const std::string path = JoinPath(project_.Root(), pattern.substr(1, pattern.size() - 2));
      if (Exists(path)) return true;
    }
    return false;
  }

  FileSystem& files_;
  const Layout& project_;
  bool dry_run_;
  std::vector<Change> changes_;
  std::set<std::string> gone_;
};

Tone ToneOf(std::string_view what) {
  if (what == "created" || what == "changed") return Tone::kGood;
  if (what == "removed") return Tone::kWarning;
  return Tone::kDim;
}

std::string Describe(const Layout& project, const std::vector<Change>& changes, bool dry_run,
                     bool remove, const Screen& screen) {
  Table table{.columns = {{.title = dry_run ? "would be" : "now"},
                          {.title = "path"},
                          {.title = "what it is", .fit = Fit::kCut, .drop_order = 1}}};
  for (const Change& change : changes) {
    table.rows.push_back(
        {{change.what, ToneOf(change.what)}, {change.path}, {change.why, Tone::kDim}});
  }
  std::string text = fmt::format("project {}\n\n", project.Root());
  text += Render(table, {screen.columns, screen.style});
  if (changes.empty()) text += "nothing of belay's is here\n";
  if (!dry_run && !remove) text += "\nbelay doctor checks the rest of what belay needs.\n";
  return text;
}

Json Record(const Layout& project, const std::vector<Change>& changes, bool dry_run) {
  Json list = Json::EmptyArray();
  for (const Change& change : changes) {
    list.Append(MakeObject({{"path", change.path}, {"change", change.what}, {"why", change.why}}));
  }
  return MakeObject({{"root", project.Root()},
                     {"state_root", project.StateRoot()},
                     {"vault", project.Vault()},
                     {"dry_run", dry_run},
                     {"changes", std::move(list)}});
}

}  // namespace

Result<int> RunInit(const Invocation& invocation, Services& services) {
  const std::string agent = invocation.Value("--agent").value_or("generic");
  if (agent != "generic") {
    return Error{ErrorCode::kRefused, fmt::format("this version can't install hooks for {}", agent),
                 "belay init without --agent sets up everything else"};
  }
  BELAY_TRY_ASSIGN(const Layout project, LocateProject(invocation, services));
  const bool dry_run = invocation.Has("--dry-run");
  const bool remove = invocation.Has("--remove");
  Initialiser initialiser(services.files, project, dry_run);
  BELAY_TRY(remove ? initialiser.Remove() : initialiser.SetUp());
  const std::vector<Change>& changes = initialiser.changes();
  services.io.Show(Record(project, changes, dry_run),
                   Describe(project, changes, dry_run, remove, services.io.screen));
  return 0;
}

}  // namespace belay

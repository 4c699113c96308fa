// Sets belay up in a project, or takes it out again.
//
// Setting up looks at everything first and changes nothing when it sees that a part can't be done;
// what nobody can see beforehand, like a disk that fills up, stops it halfway. Its steps are in an
// order that the next run completes, wherever it was stopped. Everything but the vault's folder is
// made under the project's lock. Git is told to leave belay's folders alone before there are any.
// Taking out removes only what is as it was made and holds nothing.
//
// A dry run does all the looking and says what would be done.

#ifndef BELAY_CLI_INITIALISER_H_
#define BELAY_CLI_INITIALISER_H_

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ledger/project_ledger.h"
#include "os/clock.h"
#include "os/file_system.h"
#include "store/layout.h"

namespace belay {

struct InitChange {
  std::string path;        // as seen from the project
  std::string what;        // "created", "changed", "removed", "kept" or "unchanged"
  std::string about = {};  // what it is, or why it was kept
};

class Initialiser {
 public:
  Initialiser(FileSystem& files, const Clock& clock, const Layout& project, bool dry_run)
      : files_(files), clock_(clock), project_(project), dry_run_(dry_run) {}

  Result<void> SetUp();
  Result<void> Remove();

  const std::vector<InitChange>& changes() const { return changes_; }
  // What a person should know beyond that.
  const std::vector<std::string>& remarks() const { return remarks_; }

 private:
  // Looking.
  Result<void> CheckConfigFile() const;
  Result<std::optional<std::string>> ExcludeAfter(bool with_block) const;
  Result<bool> VaultHoldsNothing() const;

  // Making.
  Result<void> MakeFolder(const std::string& path, std::uint32_t mode, std::string_view about);
  Result<void> MakeFile(const std::string& path, std::string_view bytes, std::uint32_t mode,
                        std::string_view about);
  Result<void> MakeExclude();
  Result<void> WriteExclude(const std::string& text);
  Result<bool> RecordSetUp(const std::optional<StateLock>& lock);
  Result<void> ShowState(const std::optional<StateLock>& lock, bool news);

  // Taking out.
  Result<void> RemoveState();
  Result<void> RemoveVault();
  Result<void> RemoveExclude(const std::string& text);
  Result<void> RemoveFolder(const std::string& path, std::string_view why_kept);
  Result<void> RemoveFile(const std::string& path, bool noted);
  Result<void> RemoveFileIfAsMade(const std::string& path, std::string_view bytes);

  bool Exists(const std::string& path) const;
  bool IsEmptyFolder(const std::string& path) const;
  bool OwnFoldersRemain() const;
  void Note(const std::string& path, std::string what, std::string_view about = {});

  FileSystem& files_;
  const Clock& clock_;
  const Layout& project_;
  bool dry_run_;
  ProjectLedger ledger_{files_, clock_, project_};
  std::vector<InitChange> changes_;
  std::vector<std::string> remarks_;
  std::set<std::string> gone_;
};

}  // namespace belay

#endif  // BELAY_CLI_INITIALISER_H_

// The one way a file is replaced: a temporary file in the same folder, written and synced, renamed
// over the old one, and the folder synced. At every moment, also after a crash, the path holds
// either all of the old content or all of the new; once this returns, the new.

#ifndef BELAY_STORE_DURABLE_FILE_H_
#define BELAY_STORE_DURABLE_FILE_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/file_system.h"

namespace belay {

constexpr std::uint32_t kPrivateFile = 0600;
constexpr std::uint32_t kPrivateFolder = 0700;
constexpr std::uint32_t kSharedFolder = 0755;  // of folders that other programs use too

// A path that is a link or a folder is refused (kRefused) and left alone. An existing file keeps
// its mode; a new one gets `mode`.
Result<void> ReplaceFile(FileSystem& files, const std::string& path, std::string_view bytes,
                         std::uint32_t mode = kPrivateFile);

struct FileContent {
  std::string path;
  std::string_view bytes;
};

// The same for several in one folder, with one sync of the folder; a crash leaves each of them old
// or new.
Result<void> ReplaceFiles(FileSystem& files, const std::vector<FileContent>& contents);

// The same for what can be made anew: whole at every moment, but a power cut may bring back what
// was there before.
Result<void> ReplaceFileLazily(FileSystem& files, const std::string& path, std::string_view bytes,
                               std::uint32_t mode = kPrivateFile);

// ReplaceFile, with the content that was there before kept as `path`.prev, as durable as the new
// one.
Result<void> ReplaceFileKeepingPrevious(FileSystem& files, const std::string& path,
                                        std::string_view bytes, std::uint32_t mode = kPrivateFile);

// Removes the temporary files that a crash left in a folder. Nobody may be replacing a file there:
// the caller holds the lock of whatever lives in it.
Result<void> RemoveLeftovers(FileSystem& files, const std::string& folder);
// The same for somebody who has listed it already.
Result<void> RemoveLeftovers(FileSystem& files, const std::string& folder,
                             const std::vector<std::string>& names);

// What a crash of ReplaceFile left on `path`, or on a file named after it (`path`.prev,
// `path`.damaged-1, `path`-1); for a folder that others write to as well. The caller holds the lock
// of that file. A folder that isn't there holds none.
Result<std::vector<std::string>> LeftoversOf(const FileSystem& files, const std::string& path);
Result<void> RemoveLeftoversOf(FileSystem& files, const std::string& path);

// Makes the folder unless it is there, and makes its name durable. What is there and is no folder
// is refused. Others may be making or removing it at the same time.
Result<void> EnsureFolder(FileSystem& files, const std::string& path,
                          std::uint32_t mode = kPrivateFolder);

// `stem`-1, or the first number that is free. Whoever asks holds the lock under which such names
// are made.
Result<std::string> FreeName(const FileSystem& files, const std::string& stem);

}  // namespace belay

#endif  // BELAY_STORE_DURABLE_FILE_H_

// The seam for what a cluster of machines will hold together one day: identities, signals, the
// queue. LocalBackend (store/local_backend.h) keeps it in files of this machine; one over etcd
// follows the same contract, so nothing is promised here that etcd couldn't keep.
//
// Keys are printable ASCII without spaces, at most kLongestBackendKey bytes; values are JSON
// objects of at most kLargestBackendValue bytes. Anything else is kRefused.
//
// Every change gets a number, its revision; they only grow, and none that was acknowledged is used
// twice, whatever happens to processes and machines in between. The version of a key is the
// revision that wrote it.
//
// Writes. Every write names the version that must be there, 0 for a key that must not exist. Of
// several who name the same version one gets through; the others are told what is there instead.
// When a write returns without error, what it says is on the disk. After an error it may or may not
// have happened. Then write the same again: it is done once at most, and who finds its own value
// there had got through the first time. Put something of your own into values that others could
// write alike.
//
// Leases. A key put under a lease goes when the lease ends: when it isn't kept alive in time or is
// revoked, and that of a local backend when the machine starts anew. An ended lease never comes
// back; whoever uses it gets kNotFound and must not go on as if nothing had happened.
//
// Watching. List first, then Watch what has changed since that listing. What is told is always the
// way from what the watcher knew to what is there now: several changes of one key may be told as
// one, none is left out in the end, and no key goes without a word.
//
// Reads and watchers may see a write before it is on the disk. Whatever is written with a version
// they gave is never safer than that write, so inside a Backend the order always holds.
//
// Errors: kBusy when others hold it too long, kDamaged when what is there can't be trusted or was
// written by a newer belay, kFailed for the rest.

#ifndef BELAY_STORE_BACKEND_H_
#define BELAY_STORE_BACKEND_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "codec/json.h"
#include "os/event_loop.h"

namespace belay {

using Revision = std::uint64_t;
enum class LeaseId : std::uint64_t {};
enum class BackendWatchId : std::uint64_t {};

inline constexpr std::size_t kLongestBackendKey = 512;
inline constexpr std::size_t kLargestBackendValue = std::size_t{1} << 20U;  // etcd takes 1.5 MiB
inline constexpr Duration kLongestLease = std::chrono::hours(24 * 365);

struct BackendEntry {
  std::string key;
  Json value;
  Revision version;
  std::optional<LeaseId> lease;

  bool operator==(const BackendEntry&) const = default;
};

struct BackendListing {
  std::string prefix;
  Revision revision = 0;                   // everything up to here is in it, and nothing later
  std::vector<BackendEntry> entries = {};  // sorted by key
};

// What became of a write that did not fail.
struct WriteOutcome {
  bool written;                     // false: another version was there, and nothing was changed
  std::optional<BackendEntry> now;  // what is there now; nothing when the key isn't
};

struct BackendChanges {
  Revision revision;              // where the watcher stands now
  std::vector<BackendEntry> put;  // new, or with a new version; sorted by key
  std::vector<std::string> gone;  // sorted
};

// Used by one thread, which is also that of the loops it watches with.
class Backend {
 public:
  // An error ends the watch: list and watch anew. May call the backend, and Unwatch itself.
  using WatchCallback = std::function<void(const Result<BackendChanges>&)>;

  virtual ~Backend() = default;

  virtual Result<std::optional<BackendEntry>> Get(const std::string& key) = 0;
  // All keys that begin with `prefix`, which may be empty.
  virtual Result<BackendListing> List(const std::string& prefix) = 0;

  // The key belongs to `lease` from then on, or to none, whatever it was before.
  virtual Result<WriteOutcome> Put(const std::string& key, const Json& value, Revision expected,
                                   std::optional<LeaseId> lease) = 0;
  // `version` is never 0, or the program stops.
  virtual Result<WriteOutcome> Remove(const std::string& key, Revision version) = 0;

  // Lives for `ttl` from now, which is more than nothing and at most kLongestLease (kRefused).
  virtual Result<LeaseId> Grant(Duration ttl) = 0;
  // Lives for its whole time from now on again.
  virtual Result<void> KeepAlive(LeaseId lease) = 0;
  virtual Result<void> Revoke(LeaseId lease) = 0;

  // Calls back from the loop, never from inside a call of the backend, whenever something under
  // `since.prefix` is other than the watcher knows: at first than `since`, which may be
  // {.prefix = p} for somebody who knows nothing. Own writes count as everybody's.
  virtual Result<BackendWatchId> Watch(EventLoop& loop, const BackendListing& since,
                                       WatchCallback callback) = 0;
  // Nothing is called back afterwards. Nothing happens when it has ended already.
  virtual void Unwatch(BackendWatchId id) = 0;
};

}  // namespace belay

#endif  // BELAY_STORE_BACKEND_H_

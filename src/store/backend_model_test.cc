// Several processes on one disk against a plain map: random operations, among them expiry, reboots,
// power cuts and compactions. After each, everybody must see what the map says; and a watcher that
// is woken now and then must end with the same, having only been told of changes.

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <ostream>

#include "store/local_backend.h"
#include "testing/fake_clock.h"
#include "testing/simulated_disk.h"
#include "testing/simulated_event_loop.h"

namespace belay {
namespace {

using std::chrono::seconds;

constexpr std::size_t kProcesses = 3;

enum class What {
  kPut,
  kPutLeased,
  kRemove,
  kGrant,
  kKeepAlive,
  kRevoke,
  kWait,
  kWake,
  kRestart,
  kReboot,
  kPowerCut,
};

// Numbers without a meaning of their own: each operation takes from them what it needs.
struct Step {
  What what;
  std::size_t process;
  std::size_t key;
  std::size_t lease;
  std::size_t number;
};

std::ostream& operator<<(std::ostream& out, const Step& step) {
  return out << "{" << static_cast<int>(step.what) << ", process " << step.process << ", key "
             << step.key << ", lease " << step.lease << ", number " << step.number << "}";
}

struct Model {
  struct Lease {
    Duration ttl;
    BootTime expires;
  };
  std::map<std::string, BackendEntry> keys;
  std::map<LeaseId, Lease> leases;  // that live
  std::vector<LeaseId> granted;     // ever
  Revision last = 0;                // the highest number seen

  void End(LeaseId id) {
    leases.erase(id);
    std::erase_if(keys, [&](const auto& item) { return item.second.lease == id; });
  }
  void Expire(BootTime now) {
    for (const LeaseId id : granted) {
      if (leases.contains(id) && leases.at(id).expires <= now) End(id);
    }
  }
  void Reboot() {
    for (const LeaseId id : granted) End(id);
  }
  Revision VersionOf(const std::string& key) const {
    return keys.contains(key) ? keys.at(key).version : 0;
  }
  std::vector<BackendEntry> Entries() const {
    std::vector<BackendEntry> entries;
    for (const auto& [key, entry] : keys) entries.push_back(entry);
    return entries;
  }
};

class World {
 public:
  World() : disk_(std::make_unique<SimulatedDisk>()) {
    RC_ASSERT(disk_->MakeFolder("/v", 0700) == 0);
    disk_->SyncEverything();
    StartAll();
  }

  void Do(const Step& step) {
    Backend& backend = *processes_[step.process];
    switch (step.what) {
      case What::kPut:
        return Put(backend, step, std::nullopt);
      case What::kPutLeased:
        return Put(backend, step, LeaseOf(step));
      case What::kRemove:
        return Remove(backend, step);
      case What::kGrant:
        return Grant(backend, seconds(1 + step.number));
      case What::kKeepAlive:
        return KeepAlive(backend, LeaseOf(step));
      case What::kRevoke:
        return Revoke(backend, LeaseOf(step));
      case What::kWait:
        loop_->RunFor(seconds(step.number));
        return model_.Expire(clock_.Boot());
      case What::kWake:
        return Wake();
      case What::kRestart:
        processes_[step.process] = Start();
        return step.process == 0 ? Watch() : void();
      case What::kReboot:
        return Reboot(std::move(disk_));
      case What::kPowerCut:
        return PowerCut(step.number);
    }
  }

  void Compare() {
    for (const auto& process : processes_) {
      const Result<BackendListing> listing = process->List("");
      RC_ASSERT(listing.ok());
      RC_ASSERT(listing->entries == model_.Entries());
      RC_ASSERT(listing->revision >= model_.last);
    }
  }

  void CompareWatcher() {
    Wake();
    RC_ASSERT(told_.keys == model_.keys);
  }

 private:
  std::unique_ptr<LocalBackend> Start() {
    return std::make_unique<LocalBackend>(
        *files_, clock_, boot_, "/v/b",
        LocalBackend::Options{.lock_limit = Duration(0), .smallest_compaction = 600});
  }
  void StartAll() {
    files_.emplace(*disk_);
    loop_ = std::make_unique<SimulatedEventLoop>(clock_);
    for (auto& process : processes_) process = Start();
    Watch();
  }
  // The first process watches, and goes on from what it was told before it was started anew.
  void Watch() {
    BackendListing since;
    since.entries = told_.Entries();
    const auto watch = processes_[0]->Watch(*loop_, since, [this](const auto& changes) {
      RC_ASSERT(changes.ok());
      for (const BackendEntry& entry : changes->put) told_.keys.insert_or_assign(entry.key, entry);
      for (const std::string& key : changes->gone) RC_ASSERT(told_.keys.erase(key) == 1u);
    });
    RC_ASSERT(watch.ok());
  }
  void Wake() {
    loop_->FireFolder("/v/b", {FolderChange::kWritten, "journal"});
    loop_->RunFor(Duration(0));
  }
  void Reboot(std::unique_ptr<SimulatedDisk> disk) {
    for (auto& process : processes_) process.reset();
    files_.reset();
    disk_ = std::move(disk);
    boot_ += "+";
    model_.Reboot();
    StartAll();
  }
  // Between two operations everything is acknowledged, so all that a crash leaves says the same.
  void PowerCut(std::size_t seed) {
    std::vector<SimulatedDisk> left = disk_->CrashStates(4, seed);
    Reboot(std::make_unique<SimulatedDisk>(std::move(left[seed % left.size()])));
  }

  static std::string KeyOf(const Step& step) { return "key" + std::to_string(step.key); }
  LeaseId LeaseOf(const Step& step) const {
    if (model_.granted.empty()) return LeaseId{999'999};
    return model_.granted[step.lease % model_.granted.size()];
  }
  // Mostly what is there, now and then something else.
  Revision Expectation(const Step& step) const {
    const Revision version = model_.VersionOf(KeyOf(step));
    if (step.number % 4 != 0) return version;
    return version == 0 ? model_.last : version - 1;
  }
  // A number that nobody has seen before.
  Revision New(Revision revision) {
    RC_ASSERT(revision > model_.last);
    return model_.last = revision;
  }

  void Put(Backend& backend, const Step& step, std::optional<LeaseId> lease) {
    const std::string key = KeyOf(step);
    const Json value = MakeObject({{"number", step.number}});
    const Revision expected = Expectation(step);
    const Result<WriteOutcome> put = backend.Put(key, value, expected, lease);
    if (expected != model_.VersionOf(key)) return ExpectLost(put, key);
    if (lease && !model_.leases.contains(*lease)) return ExpectEnded(put);
    RC_ASSERT(put.ok() && put->written && put->now.has_value());
    const BackendEntry entry{key, value, New(put->now->version), lease};
    RC_ASSERT(*put->now == entry);
    model_.keys.insert_or_assign(key, entry);
  }
  void Remove(Backend& backend, const Step& step) {
    const std::string key = KeyOf(step);
    const Revision version = std::max<Revision>(Expectation(step), 1);
    const Result<WriteOutcome> removed = backend.Remove(key, version);
    if (version != model_.VersionOf(key)) return ExpectLost(removed, key);
    RC_ASSERT(removed.ok() && removed->written && !removed->now.has_value());
    model_.keys.erase(key);
  }
  void ExpectLost(const Result<WriteOutcome>& outcome, const std::string& key) {
    RC_ASSERT(outcome.ok() && !outcome->written);
    const auto there = model_.keys.find(key);
    RC_ASSERT(outcome->now.has_value() == (there != model_.keys.end()));
    if (outcome->now) RC_ASSERT(*outcome->now == there->second);
  }
  void Grant(Backend& backend, Duration ttl) {
    const Result<LeaseId> lease = backend.Grant(ttl);
    RC_ASSERT(lease.ok());
    (void)New(static_cast<Revision>(*lease));
    model_.granted.push_back(*lease);
    model_.leases[*lease] = {ttl, clock_.Boot() + ttl};
  }
  void KeepAlive(Backend& backend, LeaseId lease) {
    const Result<void> kept = backend.KeepAlive(lease);
    if (!model_.leases.contains(lease)) return ExpectEnded(kept);
    RC_ASSERT(kept.ok());
    model_.leases[lease].expires = clock_.Boot() + model_.leases[lease].ttl;
  }
  void Revoke(Backend& backend, LeaseId lease) {
    const Result<void> revoked = backend.Revoke(lease);
    if (!model_.leases.contains(lease)) return ExpectEnded(revoked);
    RC_ASSERT(revoked.ok());
    model_.End(lease);
  }
  template <class T>
  static void ExpectEnded(const Result<T>& outcome) {
    RC_ASSERT(!outcome.ok());
    RC_ASSERT(outcome.error().code == ErrorCode::kNotFound);
  }

  FakeClock clock_;
  std::string boot_ = "boot";
  Model model_;
  Model told_;  // what the watcher believes
  std::unique_ptr<SimulatedDisk> disk_;
  std::optional<FileSystem> files_;
  std::unique_ptr<SimulatedEventLoop> loop_;
  std::array<std::unique_ptr<LocalBackend>, kProcesses> processes_;
};

rc::Gen<Step> AnyStep() {
  const auto what = rc::gen::weightedElement<What>({{8, What::kPut},
                                                    {6, What::kPutLeased},
                                                    {3, What::kRemove},
                                                    {3, What::kGrant},
                                                    {2, What::kKeepAlive},
                                                    {1, What::kRevoke},
                                                    {3, What::kWait},
                                                    {2, What::kWake},
                                                    {1, What::kRestart},
                                                    {1, What::kReboot},
                                                    {1, What::kPowerCut}});
  const auto below = [](std::size_t end) { return rc::gen::inRange<std::size_t>(0, end); };
  return rc::gen::build<Step>(
      rc::gen::set(&Step::what, what), rc::gen::set(&Step::process, below(kProcesses)),
      rc::gen::set(&Step::key, below(4)), rc::gen::set(&Step::lease, below(8)),
      rc::gen::set(&Step::number, below(6)));
}

TEST(BackendModel, SeveralProcessesAndAWatcherAgreeWithAPlainMap) {
  EXPECT_TRUE(rc::check([] {
    const auto steps =
        *rc::gen::scale(2.0, rc::gen::container<std::vector<Step>>(AnyStep())).as("steps");
    World world;
    for (const Step& step : steps) {
      world.Do(step);
      world.Compare();
    }
    world.CompareWatcher();
  }));
}

}  // namespace

}  // namespace belay

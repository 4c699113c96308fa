#include "ledger/family_table.h"

#include <gtest/gtest.h>

#include <map>

#include "ledger/test_families.h"
#include "ledger/test_ledgers.h"
#include "store/archive.h"
#include "store/timeline.h"

namespace belay {
namespace {

// A lock of another family doesn't compile.
template <class F, class G>
constexpr bool kTakesLockOf = requires(typename F::LedgerClass& ledger, const FamilyLock<G>& lock) {
  ledger.CompactIfLarge(lock);
  ledger.Render(lock);
};
template <class F, class... All>
constexpr bool TakesOnlyItsOwnLock(FamilyNames<All...>) {
  return ((kTakesLockOf<F, All> == std::is_same_v<F, All>)&&...);
}
template <class... All>
constexpr bool EachTakesOnlyItsOwnLock(FamilyNames<All...> all) {
  return (TakesOnlyItsOwnLock<All>(all) && ...);
}
static_assert(EachTakesOnlyItsOwnLock(FamilyList()));

template <class Lock>
concept RecordsIdentityWith = requires(IdentityLedger& ledger, const Lock& lock,
                                       const IdentityChange& change) {
  ledger.Record(lock, change);
};
static_assert(RecordsIdentityWith<IdentityLock>);
static_assert(!RecordsIdentityWith<HookLock> && !RecordsIdentityWith<StateLock>);

struct UnlistedFamily;
static_assert(!kIsListed<UnlistedFamily> && kIsListed<MergeFamily>);

template <class List>
struct TypesOf;
template <class... F>
struct TypesOf<FamilyNames<F...>> {
  using Types = ::testing::Types<F...>;
};

template <class F>
class EveryFamily : public ::testing::Test {
 protected:
  EveryFamily() { MakeFolders(disk_); }

  void Append(int count) { AppendSamples<F>(files_, clock_, layout_, count); }
  void Render() {
    const auto lock = F::LedgerClass::LockUnchecked(files_, layout_);
    ASSERT_TRUE(lock.ok());
    const Result<void> rendered = ledgers_.template Get<F>().Render(*lock);
    ASSERT_TRUE(rendered.ok()) << rendered.error().message;
  }
  // The content that the files must have.
  std::map<std::string, std::string> Renderings() {
    std::map<std::string, std::string> found;
    Ledgers fresh(files_, clock_, layout_);
    EXPECT_TRUE(fresh.template Get<F>().CatchUp().ok());
    (void)fresh.template Get<F>().EachRendering([&](const Rendering& one) -> Result<void> {
      const Result<std::string> text = files_.Read(one.path, std::size_t{1} << 26U);
      found[one.path] = text ? *text : text.error().message;
      EXPECT_EQ(found[one.path], RenderingText(one.record()));
      return {};
    });
    return found;
  }
  // What a reader knows that starts at the beginning.
  std::vector<Json> Book() {
    Ledgers fresh(files_, clock_, layout_);
    (void)fresh.template Get<F>().CatchUp();
    return fresh.template Get<F>().book().Snapshot(clock_.Wall());
  }
  Result<void> CatchUp() { return ledgers_.template Get<F>().CatchUp(); }

  SimulatedDisk disk_;
  FileSystem files_{disk_};
  FakeClock clock_;
  Layout layout_{"/r", "/r/.git"};
  Ledgers ledgers_{files_, clock_, layout_};
};
TYPED_TEST_SUITE(EveryFamily, TypesOf<FamilyList>::Types);

TYPED_TEST(EveryFamily, RendersAgainWhateverWasWiped) {
  this->Append(3);
  this->Render();
  const auto before = this->Renderings();
  EXPECT_EQ(before.empty(), !HasRenderings<TypeParam>);
  if (before.empty()) return;
  Wipe(this->disk_);
  this->Render();
  EXPECT_EQ(this->Renderings(), before);
}

TYPED_TEST(EveryFamily, RendersNothingWhereNothingWasRecorded) {
  this->Render();
  EXPECT_TRUE(this->Renderings().empty());
  EXPECT_FALSE(this->files_.Inspect(this->layout_.StateRoot()).ok());
}

TYPED_TEST(EveryFamily, OfADamagedJournalWhatIsBeforeIsUsedAndTheOthersAreWhole) {
  AppendSamplesOfAll(FamilyList(), this->files_, this->clock_, this->layout_, 2);
  const std::vector<Json> before = this->Book();
  this->Append(3);
  DamageJournal(this->files_, this->layout_, TypeParam::kJournal, 2);
  EXPECT_EQ(this->Book(), before);
  for (AnyLedger* ledger : this->ledgers_.all()) {
    EXPECT_EQ(ledger->CatchUp().ok(), ledger->journal() != TypeParam::kJournal)
        << ledger->journal();
  }
}

// A book of the latest records forgets older ones as new ones come.
TYPED_TEST(EveryFamily, HasTheSameContentAfterItWasCompacted) {
  int count = 0;
  for (; count == 0 || !this->files_.Inspect(this->layout_.JournalFile(TypeParam::kJournal)) ||
         this->files_.Inspect(this->layout_.JournalFile(TypeParam::kJournal))->bytes <
             TypeParam::kSmallestCompacted;
       count += 2000) {
    this->Append(2000);
  }
  this->Render();
  const auto rendered = this->Renderings();
  const std::vector<Json> before = this->Book();
  const auto lock = TypeParam::LedgerClass::LockUnchecked(this->files_, this->layout_);
  EXPECT_TRUE(*this->ledgers_.template Get<TypeParam>().CompactIfLarge(*lock));
  EXPECT_EQ(this->Book(), before);
  EXPECT_EQ(this->Renderings(), rendered);
  EXPECT_LT(this->files_.Inspect(this->layout_.JournalFile(TypeParam::kJournal))->bytes,
            TypeParam::kSmallestCompacted);

  // For log and why every record is still there, once.
  EXPECT_EQ(ArchivedJournals(this->files_, this->layout_, TypeParam::kJournal)->size(), 1u);
  int count_read = 0;
  Timeline timeline(this->files_, this->layout_, {.journal = TypeParam::kJournal});
  ASSERT_TRUE(timeline
                  .CatchUp([&](const TimelineEntry& entry) -> Result<void> {
                    EXPECT_FALSE(IsRepeated(entry.record));
                    ++count_read;
                    return {};
                  })
                  .ok());
  EXPECT_EQ(count_read, count);
}

TEST(FamiliesTest, TheTableHasEveryLedger) {
  SimulatedDisk disk;
  FileSystem files(disk);
  const FakeClock clock;
  const Layout project("/r", "/r/.git");
  const Ledgers ledgers(files, clock, project);
  ASSERT_EQ(ledgers.all().size(), Families().size());
  for (std::size_t i = 0; i < Families().size(); ++i) {
    EXPECT_EQ(ledgers.all()[i]->journal(), Families()[i].journal);
    EXPECT_EQ(FindFamily(Families()[i].journal), &Families()[i]);
  }
  EXPECT_EQ(FindFamily("no such journal"), nullptr);
}

TEST(FamiliesTest, WhyKnowsWhoseARecordIs) {
  const WallTime at{};
  const auto of = [](const std::optional<RecordText>& text) { return text ? text->identity : "-"; };
  EXPECT_EQ(of(FindFamily("identities")->why_text(SampleRecord<IdentityFamily>(at, 0))),
            "worker-a");
  EXPECT_EQ(of(FindFamily("hooks")->why_text(SampleRecord<HookFamily>(at, 0))), "worker-a");
  EXPECT_EQ(of(FindFamily("taint")->why_text(SampleRecord<TaintFamily>(at, 0))), "worker-a");
  EXPECT_EQ(of(FindFamily("deliveries")->why_text(SampleRecord<DeliveryFamily>(at, 0))),
            "worker-a");
  const auto snapshot = FindFamily("snapshots")->why_text(SampleRecord<SnapshotFamily>(at, 7));
  EXPECT_EQ(of(snapshot), "worker-a");
  EXPECT_EQ(snapshot->what, "snapshot taken");
  EXPECT_EQ(snapshot->why, "agent-worker-a/7: by hand");
  EXPECT_EQ(of(FindFamily("project")->why_text(SampleRecord<ProjectFamily>(at, 0))), "");
  const AgentId agent = *AgentId::Parse(kSampleAgent);
  EXPECT_EQ(of(FindFamily("identities")->why_text(SeenRecord(at, agent, std::nullopt))), "-");
}

}  // namespace
}  // namespace belay

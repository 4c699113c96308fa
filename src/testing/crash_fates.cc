#include "testing/crash_fates.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <variant>

namespace belay {
namespace {

bool IsName(const Change& change) { return std::holds_alternative<NameChange>(change.what); }

// For each change the earlier ones that must have arrived before it. The nearest of each name is
// enough: it needs the ones before.
std::vector<std::vector<std::size_t>> FindNeeds(const std::vector<Change>& pending) {
  std::vector<std::vector<std::size_t>> needs(pending.size());
  std::map<std::pair<InodeNumber, std::string>, std::size_t> latest;
  for (std::size_t i = 0; i < pending.size(); ++i) {
    if (!IsName(pending[i])) continue;
    for (const auto& [name, number] : std::get<NameChange>(pending[i].what).entries) {
      const auto [entry, is_first] = latest.try_emplace({pending[i].inode, name}, i);
      if (!is_first) needs[i].push_back(std::exchange(entry->second, i));
    }
  }
  return needs;
}

class Chooser {
 public:
  Chooser(const std::vector<Change>& pending, std::size_t limit, std::uint64_t seed,
          const MakeState& make)
      : pending_(pending), needs_(FindNeeds(pending)), limit_(limit), random_(seed), make_(make) {}

  void Run() {
    Fates none;
    if (FewDataFates() && FindAllThatBeginWith(none)) {
      for (const Fates& fates : all_) make_(fates);
      return;
    }
    TakeExtremes();
    for (std::size_t tries = 4 * limit_; tries > 0 && !Full(); --tries) Take(Sample());
  }

 private:
  // One change with another fate than in one of the four base cases.
  struct Exception {
    std::size_t base;
    std::size_t change;
    Fate fate;
  };

  bool Full() const { return made_ >= limit_; }

  void Take(const Fates& fates) {
    if (!Full() && make_(fates)) ++made_;
  }

  // Avoids walking through all combinations when the data alone make too many.
  bool FewDataFates() const {
    std::size_t count = 1;
    for (const Change& change : pending_) {
      if (!IsName(change)) count *= FateCount(change);
      if (count > limit_) return false;
    }
    return true;
  }

  // False when there are more than the limit.
  bool FindAllThatBeginWith(Fates& fates) {
    const std::size_t next = fates.size();
    if (next == pending_.size()) {
      if (all_.size() >= limit_) return false;
      all_.push_back(fates);
      return true;
    }
    const std::size_t count = MayArrive(fates, next) ? FateCount(pending_[next]) : 1;
    bool all = true;
    for (std::size_t i = 0; i < count && all; ++i) {
      fates.push_back(FateAt(pending_[next], i));
      all = FindAllThatBeginWith(fates);
      fates.pop_back();
    }
    return all;
  }

  bool MayArrive(const Fates& fates, std::size_t change) const {
    return std::ranges::all_of(needs_[change], [&](std::size_t i) { return fates[i].whole; });
  }

  Fates Base(bool names, bool data) const {
    Fates fates;
    for (const Change& change : pending_) {
      const bool kept = IsName(change) ? names : data;
      fates.push_back(kept ? Kept(change) : Fate{});
    }
    return fates;
  }

  void TakeExtremes() {
    const std::vector<Fates> bases = {Base(false, false), Base(true, true), Base(true, false),
                                      Base(false, true)};
    for (const Fates& base : bases) Take(base);
    std::vector<Exception> exceptions = Exceptions(bases);
    std::ranges::shuffle(exceptions, random_);
    for (const Exception& exception : exceptions) {
      if (Full()) return;
      Take(With(bases[exception.base], exception));
    }
  }

  std::vector<Exception> Exceptions(const std::vector<Fates>& bases) const {
    std::vector<Exception> exceptions;
    for (std::size_t base = 0; base < bases.size(); ++base) {
      for (std::size_t i = 0; i < pending_.size(); ++i) {
        const bool kept = bases[base][i].whole;
        exceptions.push_back({base, i, kept ? Fate{} : Kept(pending_[i])});
        for (const Fate fate : TornFates(pending_[i])) exceptions.push_back({base, i, fate});
      }
    }
    return exceptions;
  }

  static std::vector<Fate> TornFates(const Change& change) {
    const auto* write = std::get_if<WriteChange>(&change.what);
    if (!write) return {};
    std::vector<Fate> fates{{.bytes = 0, .whole = true}};
    const std::size_t size = write->bytes.size();
    for (const std::size_t bytes : {std::size_t{1}, size / 2, size - 1}) {
      if (bytes == 0 || bytes >= size) continue;
      fates.push_back({.bytes = bytes, .whole = false});
      fates.push_back({.bytes = bytes, .whole = true});
    }
    return fates;
  }

  Fates With(Fates fates, const Exception& exception) const {
    fates[exception.change] = exception.fate;
    if (exception.fate.whole) KeepNeeded(fates, exception.change);
    LoseUnready(fates);
    return fates;
  }

  void KeepNeeded(Fates& fates, std::size_t change) const {
    std::set<std::size_t> todo{change};
    while (!todo.empty()) {
      const std::size_t last = *todo.rbegin();
      todo.erase(last);
      if (IsName(pending_[last])) fates[last] = Kept(pending_[last]);
      todo.insert(needs_[last].begin(), needs_[last].end());
    }
  }

  void LoseUnready(Fates& fates) const {
    for (std::size_t i = 0; i < fates.size(); ++i) {
      if (!MayArrive(fates, i)) fates[i] = {};
    }
  }

  Fates Sample() {
    const std::uint64_t names = PickPercent();
    const std::uint64_t data = PickPercent();
    Fates fates;
    for (const Change& change : pending_) {
      const bool kept = random_() % 100 < (IsName(change) ? names : data);
      const bool torn = !IsName(change) && random_() % 4 == 0;
      fates.push_back(kept ? Kept(change) : Fate{});
      if (torn) fates.back() = FateAt(change, random_() % FateCount(change));
    }
    LoseUnready(fates);
    return fates;
  }

  // Nearly nothing, half, or nearly everything: in a long list an even coin finds only the middle.
  std::uint64_t PickPercent() {
    constexpr std::uint64_t kPercents[] = {10, 50, 90};
    return kPercents[random_() % std::size(kPercents)];
  }

  const std::vector<Change>& pending_;
  const std::vector<std::vector<std::size_t>> needs_;
  const std::size_t limit_;
  std::mt19937_64 random_;
  const MakeState& make_;
  std::vector<Fates> all_;  // when they are few
  std::size_t made_ = 0;
};

}  // namespace

void ForEachCrash(const std::vector<Change>& pending, std::size_t limit, std::uint64_t seed,
                  const MakeState& make) {
  Chooser(pending, limit, seed, make).Run();
}

}  // namespace belay

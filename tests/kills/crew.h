// The workers of one round: started, listened to, and killed.

#ifndef BELAY_KILLS_CREW_H_
#define BELAY_KILLS_CREW_H_

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "base/time.h"
#include "kills/ledger.h"
#include "os/clock.h"
#include "os/fd.h"
#include "os/process.h"

namespace belay {

// When a worker dies: so long after its so-many-th report from now on.
struct KillPlan {
  std::size_t slot;
  std::size_t reports = 0;  // 0: at once
  Duration delay{0};
};

class Crew {
 public:
  // `program` is started with --worker, the folder, and the worker's numbers (main.cc). `writers`
  // counts the workers that ever were, so that each has a number of its own.
  Crew(std::string program, std::string folder, std::mt19937_64& chance, std::uint32_t& writers)
      : program_(std::move(program)),
        folder_(std::move(folder)),
        chance_(chance),
        writers_(writers) {}
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  ~Crew() { KillAll(); }

  void Start(std::size_t count);
  // Listens to all until the plan is due, kills that worker and starts its successor.
  void Kill(const KillPlan& plan);
  void KillAll();

  const Ledger& ledger() const { return ledger_; }

 private:
  struct Member {
    std::uint32_t writer;
    Process process;
    UniqueFd reports;
    std::string partial = {};  // the beginning of a report
  };

  Member StartOne(std::size_t slot);
  // Takes in reports until then, or until that worker has given `wanted` of them or has ended.
  void Listen(MonotonicTime until, std::size_t slot, std::size_t wanted);
  std::size_t ReadReports(Member& member);
  void TakeIn(Member& member, std::string_view bytes);
  void Bury(Member& member);

  std::string program_;
  std::string folder_;
  std::mt19937_64& chance_;
  std::uint32_t& writers_;
  SystemClock clock_;
  Ledger ledger_;
  std::vector<Member> members_;  // by slot
};

}  // namespace belay

#endif  // BELAY_KILLS_CREW_H_

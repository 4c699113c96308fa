// Times, measured so that ratios can be trusted on a machine that also does other things: the
// compared jobs alternate, and medians count.

#ifndef BELAY_BENCH_STORE_MEASURE_H_
#define BELAY_BENCH_STORE_MEASURE_H_

#include <functional>
#include <string>
#include <vector>

namespace belay::bench {

// Of the monotonic clock, which all processes share.
double MicrosNow();

double Median(std::vector<double> values);
double Least(const std::vector<double>& values);
double Largest(const std::vector<double>& values);
// Of ours to floor, each measured at about the same time as the other.
double MedianRatio(const std::vector<double>& ours, const std::vector<double>& floor);

// Micros of each call.
struct Samples {
  std::vector<double> ours;
  std::vector<double> floor;

  double Ratio() const { return MedianRatio(ours, floor); }
};

// Alternates between both for that long, after a warm-up.
Samples TakeTurns(double micros, const std::function<void()>& ours,
                  const std::function<void()>& floor);

// A folder inside of `parent` that is removed with everything in it.
class ScratchFolder {
 public:
  explicit ScratchFolder(const std::string& parent);
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();

  const std::string& path() const { return path_; }
  // New, unused paths for files and folders.
  std::string NewPath(const std::string& name);
  std::string NewFolder(const std::string& name);

 private:
  std::string path_;
  int count_ = 0;
};

}  // namespace belay::bench

#endif  // BELAY_BENCH_STORE_MEASURE_H_

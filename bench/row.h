// One line of the table that bench/run prints: what was measured, against what, and the goal.

#ifndef BELAY_BENCH_ROW_H_
#define BELAY_BENCH_ROW_H_

#include <cstdio>
#include <string>

struct Row {
  std::string what;
  std::string measured;
  std::string against;  // the floor or peer of the same run
  std::string ratio;
  std::string must;
  bool reached;
};

// Prints it in the format that bench/run reads; false when the goal was missed.
inline bool Print(const Row& row) {
  (void)std::printf("row|%s|%s|%s|%s|%s|%s\n", row.what.c_str(), row.measured.c_str(),
                    row.against.c_str(), row.ratio.c_str(), row.must.c_str(),
                    row.reached ? "yes" : "NO");
  (void)std::fflush(stdout);
  return row.reached;
}

#endif  // BELAY_BENCH_ROW_H_

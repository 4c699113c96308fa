// The cost of the store, against the minimum that the kernel takes for the same. The folder must be
// on a disk, so it is an argument: store_bench FOLDER.

#include "base/check.h"
#include "store/rows.h"

int main(int argc, char** argv) {
  using namespace belay::bench;
  BELAY_CHECK(argc == 2);
  ScratchFolder scratch(argv[1]);
  bool reached = RecoveryRows(scratch);
  reached &= ReplaceRows(scratch);
  reached &= AppendRows(scratch);
  reached &= ProcessRows(scratch);
  reached &= InboxRows(scratch);
  return reached ? 0 : 1;
}

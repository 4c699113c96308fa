// What the store costs, against the least that the kernel would take for the same. The folder to
// work in is given, since it has to be on a disk: store_bench FOLDER.

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

// Being small: for processes that live long and do little.

#ifndef BELAY_OS_MEMORY_H_
#define BELAY_OS_MEMORY_H_

namespace belay {

// Gives memory that isn't in use back to the kernel: what was freed, and the deep end of the stack.
void ReturnFreeMemory();

}  // namespace belay

#endif  // BELAY_OS_MEMORY_H_

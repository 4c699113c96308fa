// The run functions of all commands, one file each beside this one; several verbs with much to do
// have one each.

#ifndef BELAY_CLI_COMMANDS_COMMANDS_H_
#define BELAY_CLI_COMMANDS_COMMANDS_H_

#include "base/result.h"
#include "cli/invocation.h"
#include "cli/services.h"

namespace belay {

Result<int> RunInit(const Invocation& invocation, Services& services);
Result<int> RunDoctor(const Invocation& invocation, Services& services);
Result<int> RunLog(const Invocation& invocation, Services& services);
Result<int> RunSpawn(const Invocation& invocation, Services& services);
Result<int> RunGuard(const Invocation& invocation, Services& services);
Result<int> RunAgents(const Invocation& invocation, Services& services);
Result<int> RunStop(const Invocation& invocation, Services& services);
Result<int> RunRelease(const Invocation& invocation, Services& services);
Result<int> RunWhy(const Invocation& invocation, Services& services);
Result<int> RunSnapshotTake(const Invocation& invocation, Services& services);
Result<int> RunSnapshotList(const Invocation& invocation, Services& services);
Result<int> RunSnapshotShow(const Invocation& invocation, Services& services);
Result<int> RunSnapshotRestore(const Invocation& invocation, Services& services);
Result<int> RunSnapshotPrune(const Invocation& invocation, Services& services);
Result<int> RunAttach(const Invocation& invocation, Services& services);
Result<int> RunLogs(const Invocation& invocation, Services& services);
Result<int> RunExecCommand(const Invocation& invocation, Services& services);
Result<int> RunEvent(const Invocation& invocation, Services& services);
Result<int> RunStatusline(const Invocation& invocation, Services& services);
Result<int> RunHookShow(const Invocation& invocation, Services& services);
Result<int> RunHookNote(const Invocation& invocation, Services& services);
Result<int> RunHookPhase(const Invocation& invocation, Services& services);
Result<int> RunSignalSend(const Invocation& invocation, Services& services);
Result<int> RunSignalList(const Invocation& invocation, Services& services);
Result<int> RunSend(const Invocation& invocation, Services& services);
Result<int> RunSignalWait(const Invocation& invocation, Services& services);
Result<int> RunMergeQueueAdd(const Invocation& invocation, Services& services);
Result<int> RunMergeQueueList(const Invocation& invocation, Services& services);
Result<int> RunMergeQueueStatus(const Invocation& invocation, Services& services);
Result<int> RunMergeQueueProcess(const Invocation& invocation, Services& services);
Result<int> RunMergeQueueRemove(const Invocation& invocation, Services& services);
Result<int> RunMergeQueueRetry(const Invocation& invocation, Services& services);
Result<int> RunMergeQueuePause(const Invocation& invocation, Services& services);
Result<int> RunMergeQueueUnpause(const Invocation& invocation, Services& services);
Result<int> RunMergeQueueProtect(const Invocation& invocation, Services& services);
Result<int> RunMergeQueueUnprotect(const Invocation& invocation, Services& services);
Result<int> RunRefGuard(const Invocation& invocation, Services& services);
Result<int> RunTaintMark(const Invocation& invocation, Services& services);
Result<int> RunTaintStatus(const Invocation& invocation, Services& services);
Result<int> RunConfigShow(const Invocation& invocation, Services& services);
Result<int> RunConfigCheck(const Invocation& invocation, Services& services);
Result<int> RunCompletion(const Invocation& invocation, Services& services);
Result<int> RunVersion(const Invocation& invocation, Services& services);
Result<int> RunHelp(const Invocation& invocation, Services& services);

}  // namespace belay

#endif  // BELAY_CLI_COMMANDS_COMMANDS_H_

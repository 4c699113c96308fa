#include "agents/model_process.h"

#include <fcntl.h>
#include <unistd.h>

#include <fstream>

#include "base/check.h"
#include "os/real_event_loop.h"
#include "testing/places.h"

namespace belay {
namespace {

std::uint16_t PortIn(const std::string& path) {
  std::ifstream file(path);
  std::uint16_t port = 0;
  file >> port;
  return port;
}

// The port file appears under its name when it is complete.
std::uint16_t AwaitPort(const std::string& folder, const Process& process) {
  const std::string path = folder + "/model.port";
  const auto loop = RealEventLoop::Create();
  BELAY_CHECK(loop.ok());
  const auto look = [&](const FolderEvent&) {
    if (PortIn(path) != 0) (*loop)->Stop();
  };
  BELAY_CHECK((*loop)->WatchFolder(folder, look).ok());
  BELAY_CHECK((*loop)->WatchProcess(process, [&] { (*loop)->Stop(); }).ok());
  look({});
  (*loop)->Run();
  return PortIn(path);
}

}  // namespace

std::unique_ptr<ModelProcess> ModelProcess::Start(const std::string& folder,
                                                  std::string_view script) {
  const std::string script_path = folder + "/model.json";
  const std::string log_path = folder + "/model.log";
  std::ofstream(script_path) << script;
  (void)unlink((folder + "/model.port").c_str());
  (void)unlink(log_path.c_str());
  int ends[2];
  BELAY_CHECK(pipe2(ends, O_CLOEXEC) == 0);
  const UniqueFd theirs(ends[0]);
  UniqueFd ours(ends[1]);
  auto process = Process::Spawn({.command = {BuiltFile("tests/agents/scripted_model"), script_path,
                                             log_path, folder + "/model.port"},
                                 .input = theirs.get(),
                                 .errors = STDERR_FILENO});
  BELAY_CHECK(process.has_value());
  const std::uint16_t port = AwaitPort(folder, *process);
  BELAY_CHECK(port != 0);  // it has said why
  return std::unique_ptr<ModelProcess>(
      new ModelProcess(*std::move(process), std::move(ours), port, log_path));
}

ModelProcess::~ModelProcess() {
  input_.Reset();
  (void)process_.Wait();
}

}  // namespace belay

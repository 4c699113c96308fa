// A model for tests, on 127.0.0.1, that says what a script tells it to (script.h).
//
//   scripted_model SCRIPT LOG PORT-FILE
//
// It chooses a free port and writes its number into PORT-FILE, which is complete as soon as it is
// there. It lives until its standard input ends, so that none outlives the test that started it.

#include <fmt/core.h>

#include "agents/model/scripted_model.h"
#include "os/fd.h"
#include "os/file_system.h"
#include "os/real_event_loop.h"
#include "testing/loopback.h"

namespace belay {
namespace {

constexpr int kInput = 0;
constexpr int kErrors = 2;

Result<void> WritePort(FileSystem& files, const std::string& path, std::uint16_t port) {
  BELAY_TRY_ASSIGN(const std::string made,
                   files.CreateTemporary(path, fmt::format("{}\n", port), 0600));
  return files.Rename(made, path);
}

void StopAtEndOfInput(EventLoop& loop) {
  std::string rest;
  if (ReadSome(kInput, rest) == 0) loop.Stop();
}

Result<void> Serve(FileSystem& files, const std::string& script, const std::string& log_path,
                   const std::string& port_path) {
  BELAY_TRY_ASSIGN(const std::string text, files.Read(script, kLongestHttpBody));
  BELAY_TRY_ASSIGN(std::vector<Step> steps, ParseScript(text));
  BELAY_TRY_ASSIGN(File log, files.OpenForWriting(log_path, 0600));
  ScriptedModel model(std::move(steps),
                      [&log](const Json& line) { (void)log.Write(WriteJson(line) + "\n"); });
  BELAY_TRY_ASSIGN(const std::unique_ptr<RealEventLoop> loop, RealEventLoop::Create());
  BELAY_TRY_ASSIGN(LoopbackListener listener, ListenLoopback());
  const auto handler = [&model](const HttpRequest& request) { return model.Handle(request); };
  BELAY_TRY_ASSIGN(const std::unique_ptr<HttpServer> server,
                   HttpServer::Start(*loop, std::move(listener.socket), handler));
  BELAY_TRY(loop->Watch(kInput, Readiness::kReadable, [&loop] { StopAtEndOfInput(*loop); }));
  BELAY_TRY(WritePort(files, port_path, listener.port));
  loop->Run();
  return {};
}

}  // namespace
}  // namespace belay

int main(int argc, char** argv) {
  if (argc != 4) {
    (void)belay::WriteAll(belay::kErrors, "usage: scripted_model SCRIPT LOG PORT-FILE\n");
    return 2;
  }
  belay::RealFileCalls calls;
  belay::FileSystem files(calls);
  const belay::Result<void> served = belay::Serve(files, argv[1], argv[2], argv[3]);
  if (served) return 0;
  (void)belay::WriteAll(belay::kErrors, "scripted_model: " + served.error().message + "\n");
  return 1;
}

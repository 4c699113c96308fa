// A scripted model that runs as long as this object does: `model.json`, `model.log` and
// `model.port` are its files in the folder.

#ifndef BELAY_TESTS_AGENTS_MODEL_PROCESS_H_
#define BELAY_TESTS_AGENTS_MODEL_PROCESS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "agents/model_log.h"
#include "os/fd.h"
#include "os/process.h"

namespace belay {

class ModelProcess {
 public:
  // Up to the moment at which it listens; one that can't start stops the test program.
  static std::unique_ptr<ModelProcess> Start(const std::string& folder, std::string_view script);
  ModelProcess(const ModelProcess&) = delete;
  ModelProcess& operator=(const ModelProcess&) = delete;
  ~ModelProcess();

  std::uint16_t port() const { return port_; }
  ModelLog& log() { return log_; }

 private:
  ModelProcess(Process process, UniqueFd input, std::uint16_t port, std::string log)
      : process_(std::move(process)), input_(std::move(input)), port_(port), log_(std::move(log)) {}

  Process process_;
  UniqueFd input_;
  std::uint16_t port_;
  ModelLog log_;
};

}  // namespace belay

#endif  // BELAY_TESTS_AGENTS_MODEL_PROCESS_H_

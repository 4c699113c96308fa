#include "app/lease.h"

#include "base/utf8.h"
#include "codec/hash.h"

namespace belay {
namespace {

constexpr std::size_t kMostMachineIdBytes = 4096;

// Not the number itself: it is meant to stay on the machine.
std::string MachineDigest(const FileSystem& files) {
  const Result<std::string> real = files.Resolve("/etc/machine-id");
  const Result<std::string> id = real ? files.Read(*real, kMostMachineIdBytes) : real;
  return id ? Sha256Hex("belay " + *id).substr(0, 16) : "unknown";
}

}  // namespace

Json OurLease(const FileSystem& files, const Layout& project) {
  return MakeObject(
      {{"machine", MachineDigest(files)}, {"vault", ReplaceInvalidUtf8(project.Vault())}});
}

bool IsOurs(const Identity& identity, const Json& our_lease) {
  return identity.lease.is_null() || identity.lease == our_lease;
}

}  // namespace belay

// The files of a resumption document: the document itself as updates read it, and the archive
// beside it.

#ifndef BELAY_APP_RESUMPTION_FILE_H_
#define BELAY_APP_RESUMPTION_FILE_H_

#include <string>
#include <string_view>
#include <vector>

#include "app/resumption.h"
#include "base/result.h"
#include "engine/resumption/document.h"
#include "engine/resumption/triggers.h"
#include "ledger/resumption_ledger.h"
#include "model/resumption_log.h"
#include "store/document.h"

namespace belay {

Document DocumentAt(const std::string& path);

struct DocumentFile {
  ResumptionDocument document;
  std::string stamp;   // of its bytes
  std::string digest;  // SectionDigest
};
Result<DocumentFile> ReadDocumentFile(const DocumentEnv& env);

// Of belay's values. Comments and keys of others may change without belay.
std::string SectionDigest(const Resumption& section);

// Whether the section was changed since the last update, and not by belay.
bool IsHandEdited(const DocumentLog& log, std::string_view digest);

// "ORCHESTRATION.yaml" has its archive in "ORCHESTRATION.archive.jsonl".
std::string ArchiveName(std::string_view document);

// Added before they leave the section. What is in the archive already isn't added again: the update
// may be a repeated one.
Result<void> AppendToArchive(const DocumentEnv& env, const ResumptionLock& lock,
                             const std::vector<ArchivedEntry>& entries);

}  // namespace belay

#endif  // BELAY_APP_RESUMPTION_FILE_H_

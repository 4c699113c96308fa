// An ORCHESTRATION.yaml: reading its resumption section, and writing the section back without
// changing a byte outside of it. Pure.
//
// Inside the section belay's keys come first, in a fixed order; keys of other authors follow, with
// their bytes and comments. Fields and entries whose value didn't change keep their bytes too. Only
// comments on lines that are rewritten are lost.

#ifndef BELAY_ENGINE_RESUMPTION_DOCUMENT_H_
#define BELAY_ENGINE_RESUMPTION_DOCUMENT_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "codec/yaml_outline.h"
#include "engine/resumption/triggers.h"
#include "model/resumption.h"

namespace belay {

struct ResumptionDocument {
  YamlOutline outline;
  YamlNode value = {};      // of the section
  Resumption section = {};  // with everything that it must have (Complete)
  WorkflowFacts facts = {};
  std::vector<std::string> problems = {};    // of hand edits: what was left out or corrected
  std::vector<std::string> unreadable = {};  // as in ResumptionRead

  bool HasSection() const { return outline.section.has_value(); }
  // The bytes of the section; empty without one.
  std::string_view SectionBytes() const;
};

// Why a document is refused (RES-4): the name of a YamlRefusal, or "unknown version".
struct DocumentRefusal {
  std::string reason;
};

// `name` is the document's own file name, the first file to read. kDamaged when it can't be edited.
Result<ResumptionDocument> ReadResumptionDocument(std::string bytes, std::string_view name,
                                                  DocumentRefusal* refusal = nullptr);

struct RenderedDocument {
  std::string bytes;
  std::vector<std::string> lost_comments = {};  // sub-sections in which comments were lost
};

// The document with `section` in place of its own. Parsed again before it is returned: everything
// else is structurally equal, and the section reads back as given; else kDamaged.
Result<RenderedDocument> RenderDocument(const ResumptionDocument& document,
                                        const Resumption& section);

}  // namespace belay

#endif  // BELAY_ENGINE_RESUMPTION_DOCUMENT_H_

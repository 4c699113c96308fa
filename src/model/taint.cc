#include "model/taint.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/utf8.h"
#include "model/json_fields.h"
#include "model/stored_record.h"

namespace belay {
namespace {

Json SourceJson(const TaintSource& source) {
  return MakeObject({{"path", ReplaceInvalidUtf8(source.path)},
                     {"tool", ReplaceInvalidUtf8(source.tool)},
                     {"at", FormatUtcMicros(source.at)},
                     {"session", ReplaceInvalidUtf8(source.session)}});
}

std::optional<TaintSource> SourceFrom(const Json* json) {
  if (json == nullptr) return std::nullopt;
  JsonFields fields(*json, "source");
  TaintSource source{fields.Text("path"), fields.Text("tool"), fields.TimeOrZero("at"),
                     fields.Text("session")};
  return fields.ok() ? std::optional(std::move(source)) : std::nullopt;
}

std::optional<std::vector<TaintSource>> SourcesFrom(const Json* json) {
  std::vector<TaintSource> sources;
  if (json == nullptr || json->AsArray() == nullptr) return std::nullopt;
  for (const Json& one : *json->AsArray()) {
    std::optional<TaintSource> source = SourceFrom(&one);
    if (!source) return std::nullopt;
    sources.push_back(*std::move(source));
  }
  return sources;
}

void AddSource(TaintSource source, Taint& taint) {
  if (!HasSource(taint, source)) taint.sources.push_back(std::move(source));
}

bool Inherit(const Json& record, Taint& taint) {
  std::optional<std::vector<TaintSource>> sources = SourcesFrom(record.Find("sources"));
  taint.state = TaintState::kTainted;  // also when the source is missing
  if (taint.inherited_from.empty()) taint.inherited_from = TextIn(record, "from");
  if (taint.because.empty()) taint.because = TextIn(record, "because");
  if (!sources) return false;
  for (TaintSource& source : *sources) AddSource(std::move(source), taint);
  return true;
}

bool MarkWith(const Json& record, Taint& taint) {
  std::optional<TaintSource> source = SourceFrom(record.Find("source"));
  taint.state = TaintState::kTainted;
  if (!source) return false;
  AddSource(*std::move(source), taint);
  return true;
}

template <class Sessions>
std::map<IdentityName, std::uint32_t> LatestIncarnations(const Sessions& sessions) {
  std::map<IdentityName, std::uint32_t> latest;
  for (const auto& [session, taint] : sessions) {
    const Result<AgentId> agent = AgentId::Parse(session);
    if (!agent) continue;
    std::uint32_t& known = latest[agent->identity()];
    known = std::max(known, agent->incarnation());
  }
  return latest;
}

}  // namespace

std::string_view TaintStateName(TaintState state) {
  return state == TaintState::kClean ? "clean" : "tainted";
}

bool HasSource(const Taint& taint, const TaintSource& source) {
  return std::any_of(taint.sources.begin(), taint.sources.end(), [&](const TaintSource& one) {
    return one.path == source.path && one.tool == source.tool;
  });
}

Json BeganRecord(WallTime at, std::string_view session) {
  return MakeObject(
      {{"at", FormatUtcMicros(at)}, {"kind", "began"}, {"session", ReplaceInvalidUtf8(session)}});
}

Json InheritedRecord(WallTime at, std::string_view session, std::string_view from,
                     const Taint& taint) {
  Json record = MakeObject({{"at", FormatUtcMicros(at)},
                            {"kind", "inherited"},
                            {"session", ReplaceInvalidUtf8(session)},
                            {"from", ReplaceInvalidUtf8(from)},
                            {"sources", MakeArray(taint.sources, SourceJson)}});
  if (!taint.because.empty()) record.Set("because", ReplaceInvalidUtf8(taint.because));
  return record;
}

Json MarkedRecord(WallTime at, std::string_view session, const TaintSource& source) {
  return MakeObject({{"at", FormatUtcMicros(at)},
                     {"kind", "marked"},
                     {"session", ReplaceInvalidUtf8(session)},
                     {"source", SourceJson(source)}});
}

Json ToJson(const Taint& taint) {
  Json json = MakeObject(
      {{"state", TaintStateName(taint.state)}, {"sources", MakeArray(taint.sources, SourceJson)}});
  if (!taint.inherited_from.empty()) {
    json.Set("inherited_from", ReplaceInvalidUtf8(taint.inherited_from));
  }
  if (!taint.because.empty()) json.Set("because", ReplaceInvalidUtf8(taint.because));
  return json;
}

void TaintBook::Apply(const Json& record) {
  const Result<Json> newest = Migrate(FormatOf(StoredRecord::kTaint), record);
  const std::string kind = newest ? TextIn(*newest, "kind") : std::string();
  const std::string session = newest ? TextIn(*newest, "session") : std::string();
  bool sense = !session.empty();
  if (sense && kind == "began") {
    sessions_.try_emplace(session);
  } else if (sense && kind == "inherited") {
    sense = Inherit(*newest, sessions_[session]);
  } else if (sense && kind == "marked") {
    sense = MarkWith(*newest, sessions_[session]);
  } else {
    sense = false;
  }
  if (!sense) ++unreadable_;
}

const Taint* TaintBook::Find(std::string_view session) const {
  const auto at = sessions_.find(session);
  return at == sessions_.end() ? nullptr : &at->second;
}

Taint TaintBook::OfKnown(std::string_view session) const {
  const Taint* found = Find(session);
  if (found != nullptr && found->state == TaintState::kTainted) return *found;
  if (found != nullptr && unreadable_ == 0) return *found;
  Taint taint{.state = TaintState::kTainted};
  taint.because = found == nullptr ? "it has no records"
                                   : fmt::format("{} records of taint can't be read", unreadable_);
  return taint;
}

std::vector<Json> TaintBook::Snapshot(WallTime now) const {
  std::vector<Json> records;
  const auto latest = LatestIncarnations(sessions_);
  for (const auto& [session, taint] : sessions_) {
    const Result<AgentId> agent = AgentId::Parse(session);
    if (agent && agent->incarnation() + kKeptIncarnations <= latest.at(agent->identity())) continue;
    const bool marked_only = taint.inherited_from.empty() && taint.because.empty();
    if (taint.state == TaintState::kClean) {
      records.push_back(BeganRecord(now, session));
    } else if (!marked_only || taint.sources.empty()) {
      records.push_back(InheritedRecord(now, session, taint.inherited_from, taint));
    } else {
      for (const TaintSource& one : taint.sources) {
        records.push_back(MarkedRecord(now, session, one));
      }
    }
  }
  return records;
}

Json TaintRendering(const TaintBook& book) {
  Json::Object sessions;
  for (const auto& [session, taint] : book.sessions()) {
    sessions.push_back({session, ToJson(taint)});
  }
  return MakeObject({{kVersionKey, NewestVersion(StoredRecord::kTaint)},
                     {"sessions", std::move(sessions)},
                     {"unreadable", book.unreadable()}});
}

}  // namespace belay

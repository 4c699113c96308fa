// Follows a command line for EffectsOf; for engine/shell/*.cc only.

#ifndef BELAY_ENGINE_SHELL_RUNNER_H_
#define BELAY_ENGINE_SHELL_RUNNER_H_

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codec/shell.h"
#include "engine/shell/effects.h"
#include "engine/shell/programs.h"

namespace belay {

// More about a write (effects.h).
struct WriteNotes {
  bool into = false;
  bool removes = false;
  bool fills = false;
  std::string from = {};
};

class ShellRunner {
 public:
  explicit ShellRunner(const ShellWorld& world);

  std::vector<ShellEffect> Run(std::string_view text);

 private:
  using Words = std::vector<std::string>;
  using Span = std::span<const std::string>;

  struct Function {
    const ShellCommand* command = nullptr;  // null: there may be no function of that name
    const ShellLine* line = nullptr;
    bool operator==(const Function&) const = default;
  };
  // What earlier commands leave for later ones.
  struct State {
    // Nullopt: not known. A name that isn't in it comes from the environment, and isn't known
    // either.
    std::map<std::string, std::optional<Words>, std::less<>> variables = {};
    std::set<std::string, std::less<>> exported = {};
    // Readonly, integers, references and the like: their value isn't simply what is assigned.
    std::set<std::string, std::less<>> special = {};
    std::map<std::string, std::vector<Function>, std::less<>> functions = {};  // all it may be
    std::map<std::string, std::string, std::less<>> aliases = {};
    Words folders = {};      // all in which it may be
    Words cd_failed = {};    // where it is if the last cd has failed
    Words arguments = {};    // $1 and so on
    bool dot_globs = false;  // * also matches hidden files, or ** folders
    bool last_pipe = false;  // the last part of a pipeline runs in the shell itself
    bool own_input = false;  // exec has redirected the standard input
    bool errexit = false;    // set -e
    bool ended = false;      // exit and the like may have come before
    bool gone = false;       // they have: nothing that follows runs in this state
    bool operator==(const State&) const = default;
  };
  // How a command is run.
  struct Context {
    Certainty certainty = Certainty::kSure;
    bool success_tells = false;
    bool failure_tells = false;
    bool piped = false;                     // it has a standard input of its own
    std::optional<std::string> input = {};  // which is this, if that is known
    std::string input_file = {};            // or is in this file
    std::string output_file = {};           // where its output goes
    bool appends = false;
  };
  // After a part of a list with && and ||: the state if it succeeded, and if it failed. Nullopt: it
  // can't end that way.
  struct Ends {
    std::optional<State> succeeded;
    std::optional<State> failed;
  };
  struct Written {
    std::string text;
    bool whole = false;  // nothing else can be in the file
  };
  struct MadeLink {
    std::string path;
    std::string target;
  };
  struct FoundFiles {
    Words paths = {};
    std::size_t first = 0;  // where the expression of find begins
    bool all = false;       // everything below them is meant
  };
  struct ShellOptions {
    bool line = false;       // -c
    bool file = false;       // it starts with a file: --rcfile
    bool checks = false;     // -n: it runs nothing
    bool dot_globs = false;  // -O dotglob
  };
  struct Trap {
    std::string text;
    bool at_exit;  // only then
    bool operator==(const Trap&) const = default;
  };
  struct Fields;  // of a word that is being expanded
  struct Operands {
    std::string by = {};
    Span words = {};  // all that the row is about, with options
    Words list = {};
    Words patches = {};
    std::size_t shift = 0;                   // the first one was given by an option
    bool written = false;                    // an option says so: sed -i
    std::optional<std::string> target = {};  // an option named the last one: cp -t
    bool exactly = false;                    // the last one is not a folder: cp -T
    bool symbolic = false;                   // ln -s
    bool relative = false;                   // ln -r
    bool recursive = false;                  // with everything in the operands
    bool removed = false;                    // the operands that are read are removed
    bool named = false;                      // curl -O: files have the names of addresses
    bool output = false;                     // an option named the file that is written
    bool replaces = false;                   // xargs -I: a line takes the place of a text
    Words options = {};
    std::string placeholder = "{}";                     // for what isn't known
    std::size_t dashes = static_cast<std::size_t>(-1);  // how many come before --
  };
  // One more level for as long as it lives.
  class Level {
   public:
    explicit Level(ShellRunner& runner) : runner_(runner) { ++runner_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    ~Level() { --runner_.depth_; }
    bool TooDeep() const { return runner_.depth_ > kDeepest; }

   private:
    static constexpr int kDeepest = 40;  // functions, substitutions and shells in each other
    ShellRunner& runner_;
  };
  using Builtin = void (ShellRunner::*)(Span, const Context&);
  struct BuiltinRow;

  // runner.cc: scripts and commands
  void RunText(std::string_view text, const Context& context);
  void BeginStep(ShellStep::Link link, ShellStep::Link last, std::optional<Ends>& list);
  void GoOn(std::optional<Ends>& list);
  void EndList(ShellStep::Link last, std::optional<Ends>& list);
  Ends EndsOfStep(bool checked);
  void AddEnds(ShellStep::Link last, Ends now, Ends& list);
  void Join(std::optional<State>& one, const std::optional<State>& other);
  Context ContextOfStep(const Context& outer, bool possible, const ShellVerdict& verdict) const;
  void RunScript(const ShellScript& script, const Context& outer);
  static void AddOutput(const std::optional<std::string>& text, bool possible,
                        std::optional<std::string>& all);
  bool RunsApart(const ShellScript& script, std::size_t at) const;
  void RunStep(const ShellStep& step, const Context& context, bool apart);
  void RunCommand(const ShellCommand& command, Context context);
  void RunCompound(const ShellCommand& command, const Context& context);
  void RunTraps();
  void RunSimple(const ShellCommand& command, Context context);
  void RunBranches(const ShellCommand& command, std::size_t from, const Context& context);
  void RunLoop(const ShellScript& body, const Context& context);
  void RunFor(const ShellCommand& command, const Context& context);
  void RunWords(Span words, const Context& context);
  void RunNamed(Span words, const Context& context);
  bool RunFunction(Span words, const Context& context);
  void RunAlias(Span words, const Context& context);
  void RunApart(std::string_view text, const Context& context, Words arguments);
  void EnterProcess(Words arguments);
  void ForgetExported();
  void Define(const ShellCommand& command, const Context& context);
  void Assign(const ShellAssignment& assignment, const Context& context);
  void NoteSearchPath(const Words& value);
  void SetVariable(std::string_view name, std::optional<Words> value, const Context& context);
  void Redirect(const std::vector<ShellRedirection>& redirections, Context& context);
  void RedirectOne(const ShellRedirection& redirection, Context& context);
  void KeepOutput(const Context& context);
  void Restore(const ShellCommand& command, const State& saved);
  void Merge(const State& other);
  void MergeVariables(const State& other);
  void MergeFunctions(const State& other);
  void MergeFrom(std::vector<State>& left, std::size_t from);
  void JoinFailedFolders();
  State CopyState();
  bool Spend(std::size_t work);
  bool SpendOn(const Words& value);
  static Context Inner(const Context& context);  // its exit code shows nothing
  static Context WithoutInput(const Context& context);
  static Context Possible(const Context& context);  // and it may not run at all
  static std::optional<std::string> OutputOfEcho(Span words);
  static std::optional<std::string> OutputOfFind(Span words);
  std::optional<std::string> OutputOfList(Span words) const;
  bool ListFolder(const std::string& path, bool hidden, std::string& text) const;
  static std::optional<std::string> OutputOfPaths(Span words, std::size_t from);
  static std::optional<std::string> OutputOfGit(Span words);
  static std::optional<std::string> OutputOfGrep(Span words);
  std::optional<std::string> OutputOfCat(Span words, const Context& context) const;
  static std::optional<std::string> OutputOfPrintf(Span words);
  void NoteCopies(Span words, const Context& context);
  bool MapKnownInput(Span words, const Context& context);
  bool ReadKnownInput(Span words, const Context& context);
  std::string OutputOfTemporary(Span words) const;
  std::optional<std::string> OutputOf(Span words, const Context& context) const;

  // expansion.cc: words
  void Expand(const ShellWord& word, const Context& context, Words& out);
  void ExpandBraced(const ShellWord& word, std::span<const ShellPart> parts, const Context& context,
                    Words& out);
  std::string ExpandToOne(const ShellWord& word, const Context& context);
  void ExpandParts(std::span<const ShellPart> parts, bool split, const Context& context,
                   Fields& fields);
  void ExpandPart(const ShellPart& part, bool split, const Context& context, Fields& fields);
  void ExpandVariable(const ShellPart& part, bool split, const Context& context, Fields& fields);
  std::optional<Words> ValueOf(const ShellPart& part, const Context& context);
  std::optional<Words> Indirect(const ShellPart& part, const std::optional<Words>& value,
                                const Context& context);
  std::optional<Words> WithOperator(const ShellPart& part, std::optional<Words> value,
                                    const Context& context);
  std::optional<std::string> PatternText(const ShellWord& word, const Context& context);
  std::optional<Words> Transformed(const ShellPart& part, const Words& value,
                                   const Context& context);
  std::optional<Words> Lookup(std::string_view name) const;
  std::optional<std::string> ExpandCommand(const ShellScript& script, const Context& context);
  void RunArithmetic(const ShellWord& word, const Context& context);
  bool ExpandBraces(const std::vector<ShellPart>& parts, std::vector<std::vector<ShellPart>>& out);
  void MatchInFolder(const std::string& at, std::string_view part, Words& out);
  void ExpandGlob(const std::string& pattern, Words& out);
  std::string FieldSeparators() const;

  // arguments.cc, values.cc: what programs do with their arguments
  struct FoundRow {
    const ProgramRow* row = nullptr;
    std::size_t from = 1;  // where its arguments begin
    std::string name = {};
  };
  FoundRow FindRow(Span words, const Context& context);
  void RunProgram(Span words, const Context& context);
  void RunProgramOf(const FoundRow& found, Span words, const Context& context);
  void RunRow(const FoundRow& found, Span words, const Context& context);
  static bool FindModule(Span words, FoundRow& found);
  std::vector<Words> PassedWords(const Operands& operands, const Context& context) const;
  void RunRest(char role, Span words, const Context& context, const Operands& operands);
  void RunFollowing(const Words& words, const Context& context);
  void UseOutputOption(Span words, std::size_t at, const std::string& by, const Context& context);
  void UseDownload(const std::string& address, const Operands& operands, const Context& context);
  void NoteLink(const std::string& path, const std::string& source, bool relative);
  void RunLikelyCommand(Span words, const Context& context);
  std::size_t ReadOption(const ProgramRow& row, Span words, std::size_t at, Operands& operands,
                         const Context& context);
  static void NoteOption(const OptionUse& use, const std::optional<std::string>& value,
                         Operands& operands);
  std::size_t UseOption(const OptionUse& use, std::optional<std::string> value, Span words,
                        std::size_t at, Operands& operands, const Context& context);
  static char RoleOfOperand(const ProgramRow& row, const Operands& operands, std::size_t at,
                            bool target);
  void UseOperands(const ProgramRow& row, Operands& operands, const Context& context);
  void UseTarget(char role, const Operands& operands, const std::string& target, Span sources,
                 const Context& context);
  void UseSymbolicLinks(const Operands& operands, const Context& context);
  void UseProgramText(const ProgramRow& row, const Operands& operands, const Context& context);
  Span UseProgramFile(const Operands& operands, const Context& context);
  void UseValue(char role, const std::string& value, const std::string& by, const Context& context);
  void UseSpecialValue(char role, const std::string& value, const std::string& by,
                       const Context& context);
  void UseProgramIn(const std::string& path, const std::string& by, const Context& context);
  void UseSshOption(const std::string& value, const Context& context);
  void UsePlainPath(char role, const std::string& value, const std::string& by,
                    const Context& context);
  static bool IsRemotePath(std::string_view value);
  void UseRemote(char role, const std::string& value, const std::string& by,
                 const Context& context);
  void UseEditorCommand(std::string_view text, const std::string& by, const Context& context);
  std::string Folder() const;  // if it may be in several, an unknown one
  void AddPath(EffectKind kind, const std::string& path, const std::string& by,
               const Context& context, const WriteNotes& notes = {});
  void AddRun(Span words, const FoundRow& found, const Context& context);
  void AddUnknown(std::string what, Span arguments = {});
  void AddUnreadFile(std::string what, const std::string& path, Span arguments = {});
  void AddConnection(const std::string& address, const std::string& by, const Context& context);
  void Add(ShellEffect effect);

  // shells.cc
  void UseStandardInput(const std::string& by, const Context& context);
  static std::size_t SkipShellOptions(Span words, ShellOptions& options);
  void RunShellProgram(Span words, const Context& context);
  void RunScriptFile(const std::string& path, const Context& context, Words arguments);
  bool RunOwnScript(Span words, const Context& context);
  const Written* FindWritten(const std::string& path) const;
  std::optional<std::string> FileText(const std::string& path) const;
  std::optional<std::string> KnownText(const std::string& path) const;
  std::optional<std::string> InputText(const Context& context) const;
  std::string ThroughLinks(std::string path) const;
  void NoteWritten(const std::string& path, const std::string& text, bool append, bool sure);
  void DoubtWritten(const ShellEffect& effect);

  // git.cc
  std::size_t FindGitVerb(Span words, const Context& context);
  void UseGitOption(const std::string& word);
  void EnterFolder(const std::string& path);
  void UseGitSetting(std::string_view setting, const Context& context);
  void RunGitHelpers(Span words, std::size_t verb, const Context& context);
  void UseGitClean(Span words, const Context& context);
  void UseGitVerb(const Operands& operands, const Context& context);
  void UseGitMove(const Operands& operands, const Context& context);
  void UseGitCheckout(const Operands& operands, const Context& context);
  bool IsGitBranch(const Operands& operands) const;
  void UseGitRestore(const Operands& operands, const Context& context);
  void UseGitStash(const Operands& operands, const Context& context);
  void AddGitPath(const std::string& path, const std::string& by, const std::string& from,
                  const Context& context);

  // find.cc, archives.cc
  static FoundFiles FilesOfFind(Span words);
  void RunFind(Span words, const Context& context);
  std::size_t RunFindAction(Span words, std::size_t at, const FoundFiles& found,
                            const Context& context);
  static Words SplitTarLetters(Span words);
  static std::string TarMode(Span words);
  void UsePatches(const Operands& operands, const Context& context);
  void UsePatch(std::string_view text, const std::string& folder, std::optional<int> strip,
                const std::string& by, const Context& context);

  // code.cc
  void UseCode(const std::string& text, const std::string& by, const Context& context);
  void RunLiterals(const Words& lines, const Context& context);
  void UseDatabaseCommands(std::string_view text, const std::string& by, const Context& context);
  static std::size_t EndOfSedAddress(std::string_view text, std::size_t at);
  void UseSedScript(std::string_view text, const std::string& by, const Context& context);
  void UseSedCommand(std::string_view command, const std::string& by, const Context& context);

  // builtins.cc
  static const BuiltinRow* FindBuiltin(std::string_view name);
  void RunBuiltin(const BuiltinRow& row, Span words, const Context& context);
  void RunCd(Span words, const Context& context);
  bool WillBeThere(const std::string& folder) const;
  void RunPopd(Span words, const Context& context);
  std::string FlagsOfDeclaration(std::string_view name) const;
  void RunDeclare(Span words, const Context& context);
  void DeclareOne(const std::string& word, std::string_view flags, const Context& context);
  void RunUnset(Span words, const Context& context);
  void RunRead(Span words, const Context& context);
  void RunSet(Span words, const Context& context);
  void RunShift(Span words, const Context& context);
  void RunEval(Span words, const Context& context);
  void RunSource(Span words, const Context& context);
  void RunCommandBuiltin(Span words, const Context& context);
  void RunExec(Span words, const Context& context);
  void RunExit(Span words, const Context& context);
  void RunReturn(Span words, const Context& context);
  void RunJump(Span words, const Context& context);
  void RunTrap(Span words, const Context& context);
  void RunAliasBuiltin(Span words, const Context& context);
  void RunShopt(Span words, const Context& context);
  void RunPrintf(Span words, const Context& context);
  void RunComplete(Span words, const Context& context);
  void RunLet(Span words, const Context& context);
  void RunUnknownBuiltin(Span words, const Context& context);

  const ShellWorld& world_;
  State state_;
  std::deque<ShellLine> lines_;  // parsed texts; functions point into them
  const ShellLine* line_ = nullptr;
  std::vector<ShellEffect> effects_;
  std::optional<std::string> output_;       // of the last command, if it is known
  std::vector<State> jumps_;                // at each break and continue of the loops that run
  std::vector<State> returns_;              // at each return of the functions that run
  Words locals_;                            // variables of these functions
  std::vector<Trap> traps_;                 // lines that run later
  std::vector<MadeLink> links_;             // that the line makes
  std::map<std::string, Written> written_;  // files that it writes, by their paths
  std::set<std::string> consumed_;          // inputs that a command has read from
  bool reads_each_ = false;                 // in the condition of `while read`
  bool code_writes_ = false;                // the last program text of an interpreter
  int unchecked_ = 0;                       // set -e doesn't count: a condition
  int loops_ = 0;                           // how many run in each other
  int functions_ = 0;                       // how many run in each other
  int depth_ = 0;
  std::size_t work_ = 0;
};

}  // namespace belay

#endif  // BELAY_ENGINE_SHELL_RUNNER_H_

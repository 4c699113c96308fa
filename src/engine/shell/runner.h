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
    Words folders = {};    // all in which it may be
    Words cd_failed = {};  // where it is if the last cd has failed
    Words arguments = {};  // $1 and so on
    bool dot_globs = false;
    bool last_pipe = false;  // the last part of a pipeline runs in the shell itself
    bool own_input = false;  // exec has redirected the standard input
    bool ended = false;      // exit and the like came before
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
  };
  struct Trap {
    std::string text;
    bool at_exit;  // only then
    bool operator==(const Trap&) const = default;
  };
  struct Fields;  // of a word that is being expanded
  struct Operands;
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
  void BeginStep(ShellStep::Link link, std::optional<State>& before);
  Context ContextOfStep(const Context& outer, bool possible, const ShellVerdict& verdict) const;
  void RunScript(const ShellScript& script, const Context& outer);
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
  void SetVariable(std::string_view name, std::optional<Words> value, const Context& context);
  void Redirect(const std::vector<ShellRedirection>& redirections, Context& context);
  void RedirectOne(const ShellRedirection& redirection, Context& context);
  void Restore(const ShellCommand& command, const State& saved);
  void Merge(const State& other);
  void MergeVariables(const State& other);
  void MergeFunctions(const State& other);
  void MergeFrom(std::vector<State>& left, std::size_t from);
  void JoinFailedFolders();
  State CopyState();
  bool Spend(std::size_t work);
  static Context Inner(const Context& context);     // its exit code shows nothing
  static Context Possible(const Context& context);  // and it may not run at all
  static std::optional<std::string> OutputOfEcho(Span words);
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
  std::optional<Words> Lookup(std::string_view name) const;
  std::optional<std::string> ExpandCommand(const ShellScript& script, const Context& context);
  void RunArithmetic(const ShellWord& word, const Context& context);
  bool ExpandBraces(const std::vector<ShellPart>& parts, std::vector<std::vector<ShellPart>>& out);
  void MatchInFolder(const std::string& at, std::string_view part, Words& out);
  void ExpandGlob(const std::string& pattern, Words& out);
  std::string FieldSeparators() const;

  // arguments.cc: what programs do with their arguments
  struct FoundRow {
    const ProgramRow* row = nullptr;
    std::size_t from = 1;  // where its arguments begin
    std::string name = {};
  };
  FoundRow FindRow(Span words, const Context& context);
  void RunProgram(Span words, const Context& context);
  void RunProgramOf(const FoundRow& found, Span words, const Context& context);
  void RunRow(const FoundRow& found, Span words, const Context& context);
  void RunRest(char role, Span words, const Context& context, std::string_view placeholder = "{}");
  std::size_t ReadOption(const ProgramRow& row, Span words, std::size_t at, Operands& operands,
                         const Context& context);
  static void NoteOption(const OptionUse& use, const std::optional<std::string>& value,
                         Operands& operands);
  std::size_t UseOption(const OptionUse& use, std::optional<std::string> value, Span words,
                        std::size_t at, Operands& operands, const Context& context);
  void UseOperands(const ProgramRow& row, const Operands& operands, const Context& context);
  void UseTarget(const std::string& target, Span sources, const std::string& by,
                 const Context& context);
  void UseProgramText(const ProgramRow& row, const Operands& operands, const Context& context);
  void UseValue(char role, const std::string& value, const std::string& by, const Context& context);
  void UseSpecialValue(char role, const std::string& value, const std::string& by,
                       const Context& context);
  void UseSshOption(const std::string& value, const Context& context);
  void UsePlainPath(char role, const std::string& value, const std::string& by,
                    const Context& context);
  void UseRemote(const std::string& value, const std::string& by, const Context& context);
  void UseGitPath(char role, std::string value, const std::string& by, const Context& context);
  void UseStandardInput(const std::string& by, const Context& context);
  static std::size_t SkipShellOptions(Span words, bool& line, bool& file);
  void RunShellProgram(Span words, const Context& context);
  void RunScriptFile(const std::string& path, const Context& context, Words arguments);
  std::size_t FindGitVerb(Span words, const Context& context);
  void UseGitSetting(std::string_view setting, const Context& context);
  void UseGitClean(Span words, const Context& context);
  void RunGitHelpers(Span words, std::size_t verb, const Context& context);
  void RunFind(Span words, const Context& context);
  std::size_t RunFindAction(Span words, std::size_t at, const std::string& found,
                            const Context& context);
  void UseCode(const std::string& text, const std::string& by, const Context& context);
  static std::size_t EndOfSedAddress(std::string_view text, std::size_t at);
  void UseSedScript(std::string_view text, const std::string& by, const Context& context);
  void UseSedCommand(std::string_view command, const std::string& by, const Context& context);
  void AddPath(EffectKind kind, const std::string& path, const std::string& by,
               const Context& context, bool into = false);
  void AddRun(Span words, const FoundRow& found, const Context& context);
  void AddUnknown(std::string what, const Context& context);
  void AddConnection(const std::string& address, const std::string& by, const Context& context);
  void Add(ShellEffect effect);

  // builtins.cc
  static const BuiltinRow* FindBuiltin(std::string_view name);
  void RunBuiltin(const BuiltinRow& row, Span words, const Context& context);
  void RunCd(Span words, const Context& context);
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
  std::optional<std::string> output_;  // of the last command, if it is known
  std::vector<State> jumps_;           // at each break and continue of the loops that run
  std::vector<State> returns_;         // at each return of the functions that run
  Words locals_;                       // variables of these functions
  std::vector<Trap> traps_;            // lines that run later
  int functions_ = 0;                  // how many run in each other
  int depth_ = 0;
  std::size_t work_ = 0;
};

bool IsExact(std::string_view text);  // nothing in it is unknown

}  // namespace belay

#endif  // BELAY_ENGINE_SHELL_RUNNER_H_

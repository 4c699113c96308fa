#include "codec/shell.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/text.h"
#include "testing/cpu_time.h"

namespace belay {
namespace {

using ::testing::HasSubstr;

// The tree as a text: words in [], what bash would expand in <>, scripts in ().
std::string Shown(const ShellScript& script, const ShellLine& line);

std::string Shown(const ShellWord& word, const ShellLine& line) {
  std::string text;
  for (const ShellPart& part : word.parts) {
    switch (part.kind) {
      case ShellPart::Kind::kText:
        text += part.text;
        continue;
      case ShellPart::Kind::kVariable:
        text += "<$" + part.text + part.op;
        break;
      case ShellPart::Kind::kCommand:
        text += "<$";
        break;
      case ShellPart::Kind::kProcess:
        text += "<" + part.op;
        break;
      case ShellPart::Kind::kArithmetic:
        text += "<=";
        break;
      case ShellPart::Kind::kGlob:
      case ShellPart::Kind::kBrace:
        text += "<" + part.text;
        break;
      case ShellPart::Kind::kTilde:
        text += "<~" + part.text;
        break;
    }
    for (const ShellWord& inner : part.words) text += " " + Shown(inner, line);
    for (const ShellScript& inner : part.scripts) text += Shown(inner, line);
    text += part.quoted ? "\">" : ">";
  }
  return text;
}

std::string Shown(const ShellCommand& command, const ShellLine& line) {
  constexpr const char* kNames[] = {"",    "sub",  "group",    "if",    "loop", "for",
                                    "for", "case", "function", "arith", "test", "coproc"};
  std::string text = kNames[static_cast<int>(command.kind)];
  if (!command.name.empty()) text += " " + command.name;
  for (const ShellAssignment& one : command.assignments) {
    text += "{" + one.name + (one.append ? "+=" : "=");
    for (const ShellWord& word : one.words) text += "[" + Shown(word, line) + "]";
    text += "}";
  }
  for (const ShellWord& word : command.words) text += "[" + Shown(word, line) + "]";
  for (const ShellRedirection& one : command.redirections) {
    constexpr const char* kSigns[] = {"<", ">", ">>", "<>", "&>", "&", "<<", "<<<"};
    text += " " + std::string(kSigns[static_cast<int>(one.kind)]);
    if (one.descriptor >= 0) text += std::to_string(one.descriptor);
    text += "[" + Shown(one.target, line) + "]";
    if (one.kind == ShellRedirection::Kind::kDocument) {
      text += "\"" + Shown(line.documents[one.document], line) + "\"";
    }
  }
  for (const ShellScript& script : command.scripts) text += Shown(script, line);
  return text;
}

std::string Shown(const ShellScript& script, const ShellLine& line) {
  constexpr const char* kLinks[] = {"", "; ", " && ", " || ", " | "};
  std::string text = "(";
  for (const ShellStep& step : script.steps) {
    text += kLinks[static_cast<int>(step.link)];
    if (step.negated) text += "! ";
    text += Shown(step.command, line);
    if (step.background) text += " &";
  }
  return text + ")";
}

std::string Parsed(std::string_view text) {
  const ShellLine line = ParseShell(text);
  return line.problem.empty() ? Shown(line.script, line) : "?" + line.problem;
}

struct Case {
  const char* text;
  const char* tree;
};

class ShellParserTest : public testing::TestWithParam<Case> {};

TEST_P(ShellParserTest, SeesWhatBashSees) { EXPECT_EQ(Parsed(GetParam().text), GetParam().tree); }

INSTANTIATE_TEST_SUITE_P(
    Words, ShellParserTest,
    testing::Values(
        Case{"", "()"}, Case{"a b  c", "([a][b][c])"},
        Case{"cu''rl \"a b\"'c'd", "([curl][a bcd])"}, Case{"''", "([])"},
        Case{"\\curl a\\ b", "([curl][a b])"}, Case{"a\\\nb \\\n c", "([ab][c])"},
        Case{"a #b\nc#d", "([a]; [c#d])"}, Case{"$'cu\\x72l\\n\\'' $\"x\"", "([curl\n'][x])"},
        Case{"$'\\u00e9\\101\\cA'", "([éA\x01])"},
        Case{"\"a\\$b\\`\\x\" 'a\\b'", "([a$b`\\x][a\\b])"}, Case{"\"'\" '\"'", "(['][\"])"},
        Case{"$a \"$b\" $1x $@ a$", "([<$a>][<$b\">][<$1>x][<$@>][a$])"},
        Case{"${a} ${#a} ${!a} ${a:-b c}", "([<$a>][<$alength>][<$a!>][<$a:- b c>])"},
        Case{"${a[1]} ${a[@]} ${a%%.*}", "([<$a  1>][<$a  @>][<$a%% .<*>>])"},
        Case{"\"${a:-'}\" \"${a#'}'}\"", "([<$a:- '\">][<$a# }\">])"},
        Case{"~ ~/x ~me/y a~ '~'", "([<~>][<~>/x][<~me>/y][a~][~])"},
        Case{"*.c [a-z]? a[ '*'", "([<*>.c][<[a-z]><?>][a[][*])"},
        Case{"{a,b}c \"{a,b}\"", "([<{>a<,>b<}>c][{a,b}])"}, Case{"a@(b|c)d", "([a<@(b|c)>d])"}));

INSTANTIATE_TEST_SUITE_P(
    Substitutions, ShellParserTest,
    testing::Values(Case{"$(a | b) \"$(c \"d\")\"", "([<$([a] | [b])>][<$([c][d])\">])"},
                    Case{"`a \\`b\\` c`", "([<$([a][<$([b])>][c])>])"},
                    Case{"\"`a \\\"b\\\"`\"", "([<$([a][b])\">])"},
                    Case{"<(a) >(b)", "([<<([a])>][<>([b])>])"},
                    Case{"$((1+$(a)))", "([<= 1+<$([a])\">>])"}, Case{"$[1+2]", "([<= 1+2>])"},
                    Case{"$((a); (b))", "([<$(sub([a]); sub([b]))>])"},
                    Case{"$(a #)\n)", "([<$([a])>])"},
                    Case{"$(case x in x) a;; esac)", "([<$(case[x][x]([a]))>])"}));

INSTANTIATE_TEST_SUITE_P(
    Commands, ShellParserTest,
    testing::Values(
        Case{"a; b && c || d | e & f", "([a]; [b] & && [c] & || [d] & | [e] &; [f])"},
        Case{"a |& b\n\nc", "([a] | [b]; [c])"}, Case{"! a", "(! [a])"},
        Case{"time -p a | b", "([a] | [b])"}, Case{"A=1 B+=2 c D=3", "({A=[1]}{B+=[2]}[c][D=3])"},
        Case{"a=(b 'c d')", "({a=[b][c d]})"}, Case{"a[1]=b x", "({a=[b]}[x])"},
        Case{"declare -a x=(a b)", "({x=[a][b]}[declare][-a])"},
        Case{"(a; b) >c", "(sub >[c]([a]; [b]))"}, Case{"{ a; }", "(group([a]))"},
        Case{"{a; }", "?a keyword is misplaced"},
        Case{"if a; then b; elif c; then d; else e; fi", "(if([a])([b])([c])([d])([e]))"},
        Case{"while a; do b; done < c", "(loop <[c]([a])([b]))"},
        Case{"until a\ndo b\ndone", "(loop([a])([b]))"},
        Case{"for x in a \"$b\"; do c; done", "(for x[a][<$b\">]([c]))"},
        Case{"for x\ndo c; done", "(for x[<$@\">]([c]))"},
        Case{"for ((i=0;i<3;i++)); do a; done", "(for[i=0;i<3;i++]([a]))"},
        Case{"((a+1))", "(arith[a+1])"},
        Case{"case $x in (a|b) c;; *) d; esac", "(case[<$x>][a][b][<*>]([c])([d]))"},
        Case{"f() { a; }; function g { b; }; f",
             "(function f(group([a])); function g(group([b])); [f])"},
        Case{"[[ -f $x && ( a < b ) ]] && c", "(test[-f][<$x>][a][b] && [c])"},
        Case{"coproc x { a; }", "(coproc(group([a])))"}, Case{"echo if then", "([echo][if][then])"},
        Case{"i\\\nf a; then b; fi", "(if([a])([b]))"}, Case{"'if' a", "([if][a])"}));

INSTANTIATE_TEST_SUITE_P(
    Redirections, ShellParserTest,
    testing::Values(Case{"a >b 2>&1 <c >>d", "([a] >[b] &2[1] <[c] >>[d])"},
                    Case{"a &>b <>c >|d {x}>e", "([a] &>[b] <>[c] >[d] >[e])"},
                    Case{"a2>b 2 >c", "([a2][2] >[b] >[c])"}, Case{">a b", "([b] >[a])"},
                    Case{"a <<<'b c'", "([a] <<<[b c])"},
                    Case{"a <<E b\n$x\nE\nc", "([a][b] <<[E]\"<$x\">\n\"; [c])"},
                    Case{"a <<'E'\n$x\nE", "([a] <<[E]\"$x\n\")"},
                    Case{"a <<-E\n\tb\n\tE\nc", "([a] <<[E]\"b\n\"; [c])"},
                    Case{"a <<A <<B\n1\nA\n2\nB\nc", "([a] <<[A]\"1\n\" <<[B]\"2\n\"; [c])"},
                    Case{"$(a <<E\nb\nE\n)", "([<$([a] <<[E]\"b\n\")>])"},
                    Case{"a <<E\nx\\\nE\nE\nc", "([a] <<[E]\"xE\n\"; [c])"},
                    Case{"a <<E\nb", "([a] <<[E]\"b\")"}));

INSTANTIATE_TEST_SUITE_P(
    Unbalanced, ShellParserTest,
    testing::Values(Case{"'a", "?' is missing"}, Case{"\"a", "?\" is missing"},
                    Case{"$(a", "?) is missing"}, Case{"`a", "?` is missing"},
                    Case{"${a", "?} is missing"}, Case{"a)", "?a ) or ;; is misplaced"},
                    Case{"(a", "?) is missing"}, Case{"a &&", "?a command is missing"},
                    Case{"| a", "?a command is missing"}, Case{"if a; then b", "?fi is missing"},
                    Case{"a >", "?a redirection has no target"},
                    Case{"fi", "?a keyword is misplaced"}, Case{"a;;", "?a ) or ;; is misplaced"},
                    Case{"echo a(b)", "?a ( is misplaced"}));

TEST(ShellParserTest, KeepsTheStepsBeforeWhatItDoesNotUnderstand) {
  const ShellLine line = ParseShell("curl a\necho (");
  EXPECT_FALSE(line.problem.empty());
  EXPECT_THAT(Shown(line.script, line), HasSubstr("[curl][a]"));
}

TEST(ShellParserTest, RecordsThePositionOfAWord) {
  const ShellLine line = ParseShell("a 'b c'>d");
  EXPECT_EQ(line.script.steps[0].command.words[1].begin, 2U);
  EXPECT_EQ(line.script.steps[0].command.words[1].end, 7U);
}

TEST(ShellParserTest, GivesUpOnWhatIsTooLongTooDeepOrNoText) {
  EXPECT_EQ(ParseShell(std::string(5U << 20U, 'a')).problem, "it is too long");
  EXPECT_EQ(ParseShell(std::string_view("a\0b", 3)).problem, "it isn't UTF-8 text");
  EXPECT_EQ(ParseShell("a \xFF").problem, "it isn't UTF-8 text");
  for (const std::string_view open : {"(", "$(", "{ ", "\"$(", "`\\", "${a:-", "$((", "if ", "((",
                                      "[[ $(", "a() ", "<(", "x=(", "case a in a) "}) {
    std::string text;
    for (int i = 0; i < 10'000; ++i) text += open;
    EXPECT_FALSE(ParseShell(text).problem.empty()) << open;
  }
}

TEST(ShellParserTest, AnyTextTakesBoundedTime) {
  for (const std::string_view piece :
       {"$((a #(\n))", "[\"", "a@(", "<<E ", "a[", "{a,", "$'", "((a) ", "\\\n"}) {
    const auto parse = [](const std::string& text) { (void)ParseShell(text); };
    EXPECT_LT(CostOfFourTimes(piece, kLongestShellText / 4, parse), kNotQuadratic) << piece;
  }
}

TEST(ShellParserTest, EveryBeginningOfALineIsParsed) {
  const std::string_view text =
      "for x in \"${a[@]}\" {b,c}*; do if [[ $x == a* ]]; then cat <<-E | tr a b >$x 2>&1; fi; "
      "done\n"
      "\t$(d `e` $((f)))\n\tE\ncase $y in (g|h) i() { j; };; esac && ! k <(l) &";
  for (std::size_t size = 0; size <= text.size(); ++size) (void)ParseShell(text.substr(0, size));
}

TEST(ShellParserTest, AQuotedWordIsItself) {
  EXPECT_TRUE(rc::check([](const std::string& text) {
    const ShellLine line = ParseShell("a " + ShellQuoted(text));
    RC_ASSERT(line.script.steps.size() == 1U);
    RC_ASSERT(line.script.steps[0].command.words.at(1).Literal() == text);
  }));
}

// Whether the exit code shows the result of `npm test`: when it is 0, and when it isn't.
struct Verdict {
  const char* text;
  bool success;
  bool failure;
};

class ShellVerdictTest : public testing::TestWithParam<Verdict> {};

TEST_P(ShellVerdictTest, IsGivenOnlyWhereTheExitCodeTells) {
  const ShellLine line = ParseShell(GetParam().text);
  const std::vector<ShellVerdict> verdicts = VerdictsOf(line.script);
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    const std::vector<ShellWord>& words = line.script.steps[i].command.words;
    if (words.empty() || words.front().Literal() != "npm") continue;
    EXPECT_EQ(verdicts[i].success, GetParam().success);
    EXPECT_EQ(verdicts[i].failure, GetParam().failure);
    return;
  }
  FAIL() << "npm was not found in " << GetParam().text;
}

INSTANTIATE_TEST_SUITE_P(
    All, ShellVerdictTest,
    testing::Values(
        Verdict{"npm test", true, true}, Verdict{"cd x && npm test", true, true},
        Verdict{"cd x; npm test", true, true}, Verdict{"make && npm test", true, false},
        Verdict{"make; npm test", true, true}, Verdict{"npm test && echo fine", true, false},
        Verdict{"npm test || true", false, false}, Verdict{"false || npm test", false, false},
        Verdict{"npm test | tail", false, false}, Verdict{"yes | npm test", true, true},
        Verdict{"npm test; echo done", false, false}, Verdict{"npm test &", false, false},
        Verdict{"npm test & wait", false, false}, Verdict{"! npm test", false, false},
        Verdict{"npm test && git commit -m x", true, false},
        Verdict{"npm test > log 2>&1", true, true}, Verdict{"npm test\n", true, true}));

}  // namespace
}  // namespace belay

#include <gtest/gtest.h>

#include <vector>

#include "base/text.h"
#include "engine/supervise/phase_inference.h"

namespace belay {
namespace {

bool IsTest(std::string_view line) {
  std::vector<std::string> words;
  for (const std::string_view word : Split(line, ' ')) words.emplace_back(word);
  return IsTestCommand(words);
}

TEST(TestingCommandTest, KnowsTheUsualTestCommands) {
  for (const std::string_view line : {"ctest",
                                      "/usr/bin/ctest --test-dir build -j4",
                                      "pytest -q",
                                      "/venv/bin/pytest",
                                      "npm test",
                                      "npm t",
                                      "npm --silent test",
                                      "npm run test",
                                      "npm run test:unit",
                                      "yarn test",
                                      "pnpm run test",
                                      "cargo test --workspace",
                                      "cargo +nightly test",
                                      "cargo nextest run",
                                      "go test ./...",
                                      "make test",
                                      "make -j4 check",
                                      "make -C build tests",
                                      "./belay-test --full",
                                      "./belay-test",
                                      "npx jest",
                                      "npx vitest run",
                                      "bazel test //...",
                                      "mvn -q clean test",
                                      "./mvnw verify",
                                      "gradle test",
                                      "./gradlew check",
                                      "tox",
                                      "phpunit",
                                      "rspec",
                                      "dotnet test",
                                      "zig build test",
                                      "zig test a.zig",
                                      "just test",
                                      "mix test",
                                      "meson test",
                                      "ninja -C build test",
                                      "./test.sh",
                                      "build/dev/engine_test --gtest_brief=1"}) {
    EXPECT_TRUE(IsTest(line)) << line;
  }
}

TEST(TestingCommandTest, SeesThroughInterpreters) {
  for (const std::string_view line :
       {"python3 /usr/bin/pytest -q", "python -m pytest", "python3.11 -m unittest discover",
        "node /usr/lib/npm/bin/npm test", "node /w/node_modules/.bin/jest", "ruby /usr/bin/rspec",
        "bash ./belay-test", "sh run_tests.sh", "php vendor/bin/phpunit",
        "python manage.py test"}) {
    EXPECT_TRUE(IsTest(line)) << line;
  }
}

TEST(TestingCommandTest, ReadsTheFirstSimpleCommandOfAShellLine) {
  const auto shell = [](std::string line) {
    return IsTestCommand(std::vector<std::string>{"/bin/sh", "-c", std::move(line)});
  };
  EXPECT_TRUE(shell("npm test"));
  EXPECT_TRUE(shell("cargo test && echo done"));
  EXPECT_TRUE(shell("  pytest -k \"a b\""));
  EXPECT_FALSE(shell("echo pytest"));
  EXPECT_FALSE(shell("$(pytest)"));
  EXPECT_FALSE(shell("cargo 'test'"));
  EXPECT_FALSE(shell(""));
}

TEST(TestingCommandTest, OtherCommandsAreNone) {
  for (const std::string_view line : {"",
                                      "cargo build",
                                      "cargo run test",
                                      "go build",
                                      "npm install test",
                                      "npm run build",
                                      "npm run latest",
                                      "make",
                                      "make all",
                                      "git commit -m test",
                                      "vim pytest",
                                      "grep test a",
                                      "test -f a",
                                      "/usr/bin/test",
                                      "node server.js",
                                      "python -m http.server",
                                      "python",
                                      "python -c test",
                                      "sh",
                                      "sh -c",
                                      "bash -l",
                                      "npx",
                                      "bazel build //test",
                                      "cat ctest",
                                      "latest",
                                      "zig build"}) {
    EXPECT_FALSE(IsTest(line)) << line;
  }
  EXPECT_FALSE(IsTestCommand({}));
  EXPECT_FALSE(IsTestCommand(std::vector<std::string>{""}));
}

}  // namespace
}  // namespace belay

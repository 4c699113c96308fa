#include "engine/events/mask_secrets.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <vector>

#include "testing/cpu_time.h"

namespace belay {
namespace {

struct Masking {
  const char* text;
  const char* masked;
};

class MaskSecretsTest : public testing::TestWithParam<Masking> {};

TEST_P(MaskSecretsTest, TakesOutWhatLooksLikeOne) {
  EXPECT_EQ(MaskSecrets(GetParam().text), GetParam().masked);
  EXPECT_EQ(MaskSecrets(GetParam().masked), GetParam().masked) << "twice";
}

INSTANTIATE_TEST_SUITE_P(
    Assignments, MaskSecretsTest,
    testing::Values(Masking{"API_KEY=abc make", "API_KEY=*** make"},
                    Masking{"API_KEY='hunter2' make", "API_KEY='***' make"},
                    Masking{"export API_KEY=\"a b\"; ls", "export API_KEY=\"***\"; ls"},
                    Masking{"API_KEY='a'\"b c\"d make", "API_KEY=*** make"},
                    Masking{"API_KEY=a\\ b make", "API_KEY=*** make"},
                    Masking{"API_KEY=a' b' make", "API_KEY=*** make"},
                    Masking{"API_KEY=\"a\\\"b c\" make", "API_KEY=\"***\" make"},
                    Masking{"API_KEY='never closed", "API_KEY='***"},
                    Masking{"docker run -e 'DB_PASS=a b' x", "docker run -e 'DB_PASS=***' x"},
                    Masking{"sh -c 'TOKEN=abc make test'", "sh -c 'TOKEN=*** make test'"},
                    Masking{"ssh h \"cd a && TOKEN=abc make\"", "ssh h \"cd a && TOKEN=*** make\""},
                    Masking{"echo don't; TOKEN='a b'", "echo don't; TOKEN='***'"},
                    Masking{"apiKey=a userPass=b DB_PASSWORD_2=c",
                            "apiKey=*** userPass=*** DB_PASSWORD_2=***"},
                    Masking{"MYSQL_PWD=x mysql", "MYSQL_PWD=*** mysql"},
                    Masking{"python -c \"password = 'a b'\"", "python -c \"password = '***'\""},
                    Masking{"X_TOKEN+=abc; Y_TOKEN := abc", "X_TOKEN+=***; Y_TOKEN := ***"},
                    Masking{"git commit -m 'key: value'", "git commit -m 'key: ***'"}));

INSTANTIATE_TEST_SUITE_P(
    Options, MaskSecretsTest,
    testing::Values(
        Masking{"npm publish --token hunter2 -q", "npm publish --token *** -q"},
        Masking{"x --token=abc", "x --token=***"},
        Masking{"x --password \"a b c\" y", "x --password \"***\" y"},
        Masking{"x --password \\\n  abc y", "x --password \\\n  *** y"},
        Masking{"x --show-token --password abc", "x --show-token --password ***"},
        Masking{R"(["x","--token", "abc"])", R"(["x","--token", "***"])"},
        Masking{"curl -u a:b https://x", "curl -u a:*** https://x"},
        Masking{"curl https://x/login -u 'a:b c' -q", "curl https://x/login -u 'a:***' -q"},
        Masking{"curl -sSu a:b x; curl -ua:b x", "curl -sSu a:*** x; curl -ua:*** x"},
        Masking{"curl --user a:b x; curl --user=a:b", "curl --user a:*** x; curl --user=a:***"},
        Masking{"curl -u abc: https://x", "curl -u ***: https://x"},
        Masking{"sudo /usr/bin/mysql -uroot -phunter2 db", "sudo /usr/bin/mysql -uroot -p*** db"},
        Masking{"docker exec -it db mysql -p'a b' x", "docker exec -it db mysql -p*** x"},
        Masking{"sshpass -p hunter2 ssh h", "sshpass -p *** ssh h"},
        Masking{"sshpass -phunter2 ssh h", "sshpass -p*** ssh h"},
        Masking{"docker login -u me -p hunter2 host", "docker login -u me -p *** host"},
        Masking{"openssl rsa -passin pass:abc", "openssl rsa -passin pass:***"}));

INSTANTIATE_TEST_SUITE_P(
    Addresses, MaskSecretsTest,
    testing::Values(
        Masking{"git clone https://me:pw@host/x.git", "git clone https://me:***@host/x.git"},
        Masking{"git clone https://ghp_xxx@github.com", "git clone https://***@github.com"},
        Masking{"HTTPS://abc@host", "HTTPS://***@host"},
        Masking{"https://me:p@w@host/a@b", "https://me:***@host/a@b"},
        Masking{"https://me:p/w@host/a", "https://me:***@host/a"},
        Masking{"https://abc:x-oauth-basic@github.com", "https://***:***@github.com"},
        Masking{"redis://:pw@host:6379/0", "redis://:***@host:6379/0"},
        Masking{"curl 'https://x/?access_token=abc&q=1#a'",
                "curl 'https://x/?access_token=***&q=1#a'"},
        Masking{"curl \"https://x/?q=1&key=abc\" -s", "curl \"https://x/?q=1&key=***\" -s"}));

INSTANTIATE_TEST_SUITE_P(
    Headers, MaskSecretsTest,
    testing::Values(
        Masking{"curl -H \"Authorization: Bearer sk-ant-1\" https://x",
                "curl -H \"Authorization: Bearer ***\" https://x"},
        Masking{"curl -H 'Authorization: token abc' x", "curl -H 'Authorization: token ***' x"},
        Masking{"curl -H 'Authorization: GenieKey abc' x",
                "curl -H 'Authorization: GenieKey ***' x"},
        Masking{"curl -H 'Authorization:Bearer abc' x", "curl -H 'Authorization:Bearer ***' x"},
        Masking{"curl -H 'authorization: abc' x", "curl -H 'authorization: ***' x"},
        Masking{"curl -H Authorization:abc x", "curl -H Authorization:*** x"},
        Masking{"Authorization:Bearer abc x", "Authorization:Bearer *** x"},
        Masking{"curl -H Authorization:\\ Bearer\\ abc x", "curl -H Authorization:*** x"},
        Masking{"curl -H 'Authorization: Digest a=\"b\", c=\"d\"' x",
                "curl -H 'Authorization: Digest ***' x"},
        Masking{"curl -H 'Cookie: a=b; c=d' x", "curl -H 'Cookie: ***' x"},
        Masking{"curl -H 'X-Api-Key: abc' x", "curl -H 'X-Api-Key: ***' x"},
        Masking{"curl -H 'X-Auth: Basic abc' x", "curl -H 'X-Auth: Basic ***' x"},
        Masking{"say bearer abc x", "say bearer *** x"}));

INSTANTIATE_TEST_SUITE_P(
    Json, MaskSecretsTest,
    testing::Values(Masking{R"({"password": "x"})", R"({"password": "***"})"},
                    Masking{R"(curl -d '{"user":"a","password":"a b","q":1}' x)",
                            R"(curl -d '{"user":"a","password":"***","q":1}' x)"},
                    Masking{R"(curl -d "{\"password\": \"a b\", \"q\": 1}" x)",
                            R"(curl -d "{\"password\": \"***\", \"q\": 1}" x)"},
                    Masking{R"({"auth": "x", "key": "y"})", R"({"auth": "***", "key": "***"})"},
                    Masking{"x['password'] = 'a b'", "x['password'] = '***'"},
                    Masking{"'password' => 'a b'", "'password' => '***'"}));

INSTANTIATE_TEST_SUITE_P(Tokens, MaskSecretsTest,
                         testing::Values(Masking{"echo ghp_0123456789abcdef", "echo ***"},
                                         Masking{"X=sk-ant-abcdefgh", "X=***"},
                                         Masking{"(ghp_0123456789abcdef)", "(***)"},
                                         Masking{"a/ghp_0123456789abcdef,b", "a/***,b"},
                                         Masking{"x-ghp_0123456789abcdef", "x-***"},
                                         Masking{"curl x/eyJhbGciOiJI.eyJzdWIi.abc_-1?q",
                                                 "curl x/***?q"}));

TEST(ShellSecretsTest, WhatAProgramGetsIsMaskedHoweverItIsQuoted) {
  const auto masked = [](const std::string& line) {
    return WithoutSecrets(MaskSecrets(line), SecretsOf(EffectsOf(line, {.folder = "/w"})));
  };
  for (const char* line :
       {"cu''rl -u me:hunter2 x", "curl '-u' me:hunter2 x", "c=curl; $c -u me:hunter2 x",
        "echo hunter2 | docker login --password-stdin h", "sudo -S make <<< hunter2",
        "printf hunter2 | gh auth login --with-token", "bash -c 'echo hunter2 | sudo -S make'",
        "o=--password; x $o hunter2", "env mysql '-p'hunter2 db",
        "cat <<E | docker login --password-stdin\nhunter2\nE", "chpasswd <<< me:hunter2"}) {
    EXPECT_EQ(masked(line).find("hunter2"), std::string::npos) << masked(line);
  }
  for (const char* line : {"echo hunter2 | grep x", "curl -u me x", "mkdir -p hunter2",
                           "sudo make <<< hunter2", "x --no-password hunter2"}) {
    EXPECT_EQ(masked(line), line);
  }
}

class HarmlessTest : public testing::TestWithParam<const char*> {};

TEST_P(HarmlessTest, StaysAsItIs) { EXPECT_EQ(MaskSecrets(GetParam()), GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    All, HarmlessTest,
    testing::Values("", "  ", "cd /a && npm test 2>&1 | tail", "ssh me@host", "make KEYBOARD=us",
                    "git log 0123456789abcdef0123456789abcdef01234567", "echo a:b", "make -p",
                    "mkdir -p x", "grep -u x", "ls key.txt", "git log --author=me",
                    "KEY_FILE=path make", "cp -p a b", "docker run -p 80:80 --user 1:1 x",
                    "docker run --name mysql -p3306:3306 mysql:8", "mysql -p db", "curl -u me x",
                    "MONKEY=1 bypass=2 compass: n", "PWD=/a OLDPWD=/b",
                    "PUBLIC_KEY=a primary_key=b", "max_tokens=5", "php artisan key:generate",
                    "git commit -m 'auth: fix login'", "grep -rn 'token:' src",
                    "grep \"API_KEY=\" .env", "pytest a.py::test_token",
                    "[ a == b ] && test_token == 1", "TOKEN=$(cat f) make", "API_KEY= make",
                    "gh auth login --with-token < f", "x --no-password y", "echo $API_KEY",
                    "npm_config_cache=/a npm ci", "pip install sk-learn-extra", "ssh://git@host/x",
                    "https://unpkg.com/react@18/@scope", "http://localhost:80/a@b",
                    "git@github.com:a/b.git", "docker pull a:b@sha256:0123", "vim basic tutorial",
                    "echo 'it\\'s", "\\", "'", "--token", "token:", "Bearer", "://", "curl -u"));

// A shape with a place for the secret, and the characters allowed there.
struct Shape {
  const char* before;
  const char* after;
  const char* more;  // in addition to letters and digits
};

constexpr const char* kUnquoted = "_-.,:/+@%^~!#=[]{}?*";
constexpr const char* kQuoted = "_-.,:/+@%^~!#=[]{}?* ;|&()<>";
constexpr Shape kShapes[] = {
    {"API_KEY=", " make", kUnquoted},
    {"API_KEY='", "' make", kQuoted},
    {"export DB_PASSWORD=\"", "\"", kQuoted},
    {"docker run -e 'TOKEN=", "' x", kQuoted},
    {"x --password ", " y", kUnquoted},
    {"x --password=\"", "\" y", kQuoted},
    {"x --token '", "' y", kQuoted},
    {"git clone https://me:", "@host/x", "_-.,:+@%^~!="},
    {"git clone https://", "@host/x", "_-.,+%^~!="},
    {"curl 'https://x/?a=b&access_token=", "&c=d'", "_-.,:/+@%^~!="},
    {"curl -H 'Authorization: Bearer ", "' x", kQuoted},
    {"curl -H \"Authorization:token ", "\" x", kQuoted},
    {"curl -H 'X-Api-Key: ", "' x", kUnquoted},
    {"Bearer ", " x", kUnquoted},
    {"curl -d '{\"a\": 1, \"password\": \"", "\"}' x", kQuoted},
    {"curl -d \"{\\\"token\\\":\\\"", "\\\"}\" x", kQuoted},
    {"curl -su me:", " x", kUnquoted},
    {"curl --user 'me:", "' x", kQuoted},
    {"mysql -uroot -p", " db", "_-.,/+@%^~!"},
    {"sshpass -p ", " ssh h", kUnquoted},
    {"docker login -u me -p '", "' h", kQuoted},
    {"echo (ghp_0123456789", ")", "_-"},
    {"X=sk-ant-0123456789", "", "_-"},
};

// Shell text that may precede it; its quotes are closed.
constexpr const char* kBefore[] = {"",        "cd a && ",      "echo 'a \"b' \"it's\"; ",
                                   "a | ",    "x --flag -v; ", "curl -s https://a/b?c=d#e\n",
                                   "A=b C= ", "# \xC3\xBC\n",  "echo \\' \\\" && "};

std::string AnySecret(const Shape& shape) {
  const std::string bytes =
      std::string("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") + shape.more;
  const auto inner = *rc::gen::container<std::string>(rc::gen::elementOf(bytes));
  // Long enough not to occur in the rest of the text by chance.
  return "Zq" + inner + "7Zq";
}

TEST(MaskSecretsProperty, NoSecretSurvivesInAnyShapeAtAnyPlace) {
  EXPECT_TRUE(rc::check([] {
    std::string text;
    std::vector<std::string> secrets;
    for (int left = *rc::gen::inRange(1, 4); left > 0; --left) {
      const Shape shape =
          *rc::gen::elementOf(std::vector<Shape>(std::begin(kShapes), std::end(kShapes)));
      secrets.push_back(AnySecret(shape));
      text += *rc::gen::elementOf(std::vector<std::string>(std::begin(kBefore), std::end(kBefore)));
      text += shape.before + secrets.back() + shape.after + "\n";
    }
    const std::string masked = MaskSecrets(text);
    for (const std::string& secret : secrets) {
      // Not even its end.
      const bool survives =
          masked.find("7Zq") != std::string::npos || masked.find(secret) != std::string::npos;
      if (survives) RC_FAIL(text + " became " + masked);
    }
  }));
}

TEST(MaskSecretsProperty, TextWithoutNamesStaysAsItIs) {
  EXPECT_TRUE(rc::check([] {
    const std::string text = *rc::gen::container<std::string>(
        rc::gen::elementOf(std::string("abc019 _./'\"\\;|&()<>=:?#\n")));
    RC_ASSERT(MaskSecrets(text) == text);
  }));
}

TEST(MaskSecretsProperty, TakesLinearTime) {
  for (const char* part : {"://a:b/", "://\"", "sk-", "curl -u\"-u\"", "token=\"", "\"Cookie: a\" ",
                           "'Cookie: a\n", "?key=a ", "--token ", "token ", "password:", "\\",
                           "'\"", "curl -u a ", "\"password\" ", "x='", "Authorization: a "}) {
    const auto mask = [](const std::string& text) { (void)MaskSecrets(text); };
    EXPECT_LT(CostOfFourTimes(part, 100'000, mask), kNotQuadratic) << part;
  }
}

}  // namespace
}  // namespace belay

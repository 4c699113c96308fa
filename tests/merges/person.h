// A person who works in a checkout of main: writes files, stages and commits them, again and again,
// in a process of its own beside whatever else happens there. Git may refuse now and then; a person
// tries again later.

#ifndef BELAY_TESTS_MERGES_PERSON_H_
#define BELAY_TESTS_MERGES_PERSON_H_

#include <cstdint>
#include <map>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "testing/git_repository.h"

namespace belay {

class Person {
 public:
  // Begins. Files are below p/; hot/shared is edited now and then, and taken back.
  Person(const GitRepository& repository, std::uint64_t seed);
  Person(const Person&) = delete;
  Person& operator=(const Person&) = delete;
  ~Person() { Stop(); }

  // Ends, with a last commit of everything.
  void Stop();

  // After Stop. The subjects of commits that git has taken, and what each file holds.
  const std::vector<std::string>& commits() const { return commits_; }
  const std::map<std::string, std::string>& files() const { return files_; }
  std::uint64_t refused() const { return refused_; }
  // Edits within the second of a commit, and those of them that git took for no change later.
  std::uint64_t quick() const { return quick_; }
  std::uint64_t overlooked() const { return overlooked_; }

 private:
  void Work(const std::stop_token& stop, std::uint64_t seed);
  void Edit(const std::string& path);
  void EditTwice(const std::string& path, const std::stop_token& stop);
  bool Commit(std::vector<std::string> how);

  const GitRepository& repository_;
  std::vector<std::string> commits_;
  std::map<std::string, std::string> files_;
  std::uint64_t tries_ = 0;
  std::uint64_t refused_ = 0;
  std::uint64_t quick_ = 0;
  std::uint64_t overlooked_ = 0;
  std::jthread thread_;
};

}  // namespace belay

#endif  // BELAY_TESTS_MERGES_PERSON_H_

// Every row of the interpreter's message table is provoked: by a case of tests/errors, or by a test named here.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "interpreter/eval/report/messages.hpp"
#include "interpreter/session/session.hpp"
#include "interpreter/session/stack.hpp"

namespace covec {
namespace {

// Provoked elsewhere: by interpreter_session.cpp or tests/embed, or by no program that a test could wait for, or for
// explain() alone.
const std::set<std::string_view> elsewhere = {"stack",        "interrupted",      "endless_file",     "unreadable_file",
                                              "names_limit",  "internal",         "loop_not_staged",  "host_exception",
                                              "host_nothing", "host_foreign",     "host_result",      "host_failed",
                                              "deadline",     "no_watchdog",      "no_timer",         "print_limit",
                                              "host_ranks",   "host_ranks_moved", "host_ranks_ended", "isa_not_built"};

// The programs of a file of cases, without those that bring files of their own.
std::map<std::string, std::string> programs(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::map<std::string, std::string> all;
  std::string name;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("#--- "))
      name = line.substr(5);
    else if (!line.starts_with("#>") && !name.empty())
      all[name] += line + "\n";
  }
  return all;
}

TEST(Messages, EachIsProvoked) {
  std::set<std::string> seen = {"module_cycle"};  // a case of tests/errors/modules.covec, with files beside it
  run_on_big_stack([&] {
    for (const char* file : {"evaluation.covec", "calls.covec", "assertions.covec", "compile.covec",
                             "derivatives.covec", "maps.covec", "modules.covec"}) {
      for (const auto& [name, text] : programs(std::filesystem::path(COVEC_TESTS_FOLDER) / "errors" / file)) {
        Session session;
        try {
          session.run_text(name, text);
        } catch (const CovecError& error) {
          seen.insert(std::string(error.diagnostics.at(0).code));
        }
      }
    }
    return 0;
  });
  for (const Message& row : eval::message_table) {
    if (!elsewhere.contains(row.key)) {
      EXPECT_TRUE(seen.contains(std::string(row.key))) << row.key;
    }
  }
}

}  // namespace
}  // namespace covec

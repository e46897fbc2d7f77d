#include "interpreter/repl/test_runner.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

namespace covec {

namespace {

namespace fs = std::filesystem;

struct Count {
  int passed = 0;
  int failed = 0;
};

bool mentions_tests(const fs::path& file);

bool collect(const fs::path& path, std::vector<fs::path>& files) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    for (const auto& item :
         fs::recursive_directory_iterator(path, fs::directory_options::skip_permission_denied, error)) {
      const bool program = item.is_regular_file(error) && item.path().extension() == ".covec";
      if (program && mentions_tests(item.path())) files.push_back(item.path());
    }
    return true;
  }
  if (!fs::exists(path, error)) return false;
  files.push_back(path);
  return true;
}

void run_one(Session& session, const std::string& file, const Session::Test& test, Count& count) {
  try {
    session.call(test.function, {});
    ++count.passed;
    std::cout << "ok    " << file << " " << test.name << '\n';
  } catch (const CovecError& error) {
    ++count.failed;
    std::cout << "FAIL  " << file << " " << test.name << '\n' << session.render(error);
  }
}

void run_file(const std::string& file, const std::string& filter, const SessionOptions& options, Count& count) {
  Session session(options);
  try {
    session.run_file(file);
  } catch (const CovecError& error) {
    ++count.failed;
    std::cout << "FAIL  " << file << '\n' << session.render(error);
    return;
  }
  for (const Session::Test& test : session.take_tests()) {
    if (test.name.find(filter) != std::string::npos) run_one(session, file, test, count);
  }
}

// Loading a file runs it: of a folder's programs only those with tests are touched.
bool mentions_tests(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  return text.find("@test") != std::string::npos;
}

}  // namespace

int run_tests(const std::vector<std::string>& paths, const std::string& filter, const SessionOptions& options) {
  std::vector<fs::path> files;
  for (const std::string& path : paths.empty() ? std::vector<std::string>{"."} : paths) {
    if (!collect(path, files)) {
      std::cerr << "error: there is no file or folder " << path << '\n';
      return 2;
    }
  }
  std::sort(files.begin(), files.end());
  Count count;
  for (const fs::path& file : files) {
    run_file(file.string(), filter, options, count);
  }
  std::cout << count.passed << " passed, " << count.failed << " failed" << std::endl;
  return count.failed == 0 ? 0 : 1;
}

}  // namespace covec

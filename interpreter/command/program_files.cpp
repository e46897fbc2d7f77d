#include "interpreter/command/program_files.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "interpreter/session/text_file.hpp"
#include "stdlib/files/atomic.hpp"
#include "stdlib/value/error.hpp"

namespace covec {

namespace {

namespace fs = std::filesystem;

bool collect(const fs::path& path, std::vector<fs::path>& files) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    fs::recursive_directory_iterator item(path, fs::directory_options::skip_permission_denied, error);
    for (; !error && item != fs::recursive_directory_iterator(); item.increment(error)) {
      std::error_code unknown;
      const bool program = item->is_regular_file(unknown) && item->path().extension() == ".covec";
      if (program) files.push_back(item->path());
    }
    return !error;
  }
  if (!fs::exists(path, error)) return false;
  files.push_back(path);
  return true;
}

}  // namespace

bool find_programs(const std::vector<std::string>& paths, std::vector<std::string>& files,
                   const std::string& stands_for_input) {
  std::vector<fs::path> found;
  for (const std::string& path : paths) {
    if (path == stands_for_input) {
      found.emplace_back(path);
    } else if (!collect(path, found)) {
      std::cerr << "error: there is no file or folder " << path << '\n';
      return false;
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  for (const fs::path& file : found) files.push_back(file.string());
  return true;
}

std::optional<std::string> read_program(const std::string& path) {
  TextFile file = read_text_file(path);
  if (file.problem == nullptr) return std::move(file.text);
  std::cerr << "error: cannot read " << path << '\n';
  return std::nullopt;
}

bool replace_program(const std::string& path, const std::string& text, ops::Context& context) {
  try {
    files::AtomicFile file(path, context);
    file.write(text);
    file.commit();
    return true;
  } catch (const OpError& error) {
    std::cerr << "error: " << error.message << '\n';
    return false;
  }
}

}  // namespace covec

#include "interpreter/lsp/program_texts.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "interpreter/lsp/overlay_gate.hpp"
#include "stdlib/gate/kernel_cache.hpp"

namespace covec::lsp {

namespace {

namespace fs = std::filesystem;

constexpr size_t max_programs = 5000;  // of a workspace
constexpr size_t max_items = 200000;   // files and folders that are looked at

void collect(const std::string& folder, std::set<std::string>& out) {
  std::error_code error;
  fs::recursive_directory_iterator item(folder, fs::directory_options::skip_permission_denied, error);
  for (size_t seen = 0; !error && item != fs::recursive_directory_iterator() && seen < max_items; ++seen) {
    std::error_code unknown;
    const bool is_hidden = item->path().filename().string().starts_with('.');
    if (is_hidden && item->is_directory(unknown)) item.disable_recursion_pending();
    if (!is_hidden && item->path().extension() == ".covec" && item->is_regular_file(unknown))
      out.insert(canonical_path(item->path().string()));
    if (out.size() >= max_programs) return;
    item.increment(error);
  }
}

fs::path folder_of_copies() {
  const std::string cache = gate::kernel_cache_folder();
  return cache.empty() ? fs::path() : fs::path(cache) / "modules";
}

}  // namespace

std::set<std::string> programs_in(const std::vector<std::string>& folders) {
  std::set<std::string> found;
  for (const std::string& each : folders) collect(each, found);
  return found;
}

// The name has a digest of the text, so copies of other versions of Covec stay as they are.
std::string copy_of_module(const std::string& key, std::string_view text) {
  const fs::path all = folder_of_copies();
  if (all.empty()) return "";
  std::string name = key;
  std::erase_if(name, [](char c) { return c == '<' || c == '>'; });
  const fs::path folder = all / gate::digest_of(std::string(text)), file = folder / (name + ".covec");
  std::error_code error;
  if (fs::exists(file, error)) return file.string();
  fs::create_directories(folder, error);
  const fs::path fresh = folder / (name + ".new");
  if (!(std::ofstream(fresh, std::ios::binary) << text).flush()) return "";
  fs::permissions(fresh, fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read, error);
  fs::rename(fresh, file, error);
  return error ? "" : file.string();
}

bool is_copy_of_module(const std::string& path) {
  const fs::path all = folder_of_copies();
  return !all.empty() && path.starts_with(canonical_path(all.string()) + "/");
}

}  // namespace covec::lsp

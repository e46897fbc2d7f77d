// Finds modules on disk and among those compiled in.
#include "interpreter/session/modules.hpp"

#include <algorithm>
#include <filesystem>

namespace covec {

namespace fs = std::filesystem;

std::optional<ModuleSource> find_module_file(ops::Gate& gate, const std::string& path, const std::string& directory) {
  const fs::path file = fs::path(path).is_absolute() ? fs::path(path) : fs::path(directory) / path;
  std::optional<std::string> key = gate.module_key(file.string());
  if (!key) return std::nullopt;
  return ModuleSource{std::move(*key), file.string(), {}};
}

std::optional<ModuleSource> find_builtin_module(std::string_view name) {
  for (unsigned i = 0; i < builtin_module_count; ++i) {
    if (builtin_modules[i].name == name)
      return ModuleSource{"<" + std::string(name) + ">", "", builtin_modules[i].text};
  }
  return std::nullopt;
}

// A program that is called like the module it imports means the module.
std::optional<ModuleSource> find_sibling_module(ops::Gate& gate, std::string_view name, const std::string& importer) {
  const auto sibling = find_module_file(gate, std::string(name) + ".covec", directory_of(importer));
  if (!sibling) return std::nullopt;
  const auto itself = find_module_file(gate, importer, "");
  return itself && itself->key == sibling->key ? std::nullopt : sibling;
}

std::optional<ModuleSource> find_module(ops::Gate& gate, std::string_view name, const std::string& importer,
                                        const std::vector<std::string>& search_path) {
  if (auto builtin = find_builtin_module(name)) return builtin;
  if (auto sibling = find_sibling_module(gate, name, importer)) return sibling;
  const std::string file = std::string(name) + ".covec";
  for (const std::string& place : search_path) {
    if (auto found = find_module_file(gate, file, place)) return found;
  }
  return find_module_file(gate, file, directory_of(importer));  // itself: a cycle, which is told
}

std::string directory_of(const std::string& file) { return fs::path(file).parent_path().string(); }

std::string module_name_of(const std::string& path) { return fs::path(path).stem().string(); }

std::vector<std::string> builtin_module_names() {
  std::vector<std::string> names;
  for (unsigned i = 0; i < builtin_module_count; ++i) {
    const bool part_of_another = builtin_modules[i].name.starts_with('_');
    if (!part_of_another) names.emplace_back(builtin_modules[i].name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool defines(std::string_view text, std::string_view name) {
  const std::string function = "fn " + std::string(name) + "(";
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.starts_with(function)) return true;
    if (line.empty() || line[0] == ' ' || line[0] == '#') continue;
    for (std::string_view names = line.substr(0, line.find(" = ")); names.size() < line.size();) {
      if (names.substr(0, names.find(", ")) == name) return true;
      if (names.find(", ") == std::string_view::npos) break;
      names.remove_prefix(names.find(", ") + 2);
    }
  }
  return false;
}

std::vector<std::string> module_names_in(ops::Gate& gate, const std::vector<std::string>& directories) {
  std::vector<std::string> names = builtin_module_names();
  for (const std::string& directory : directories) {
    for (const fs::path name : gate.names_in(directory)) {
      if (name.extension() == ".covec") names.push_back(name.stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace covec

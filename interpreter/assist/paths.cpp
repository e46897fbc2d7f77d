#include <algorithm>
#include <filesystem>

#include "interpreter/assist/completion.hpp"

namespace covec {

editor::Completion complete_path(std::string_view typed, size_t from, const std::string& base) {
  namespace fs = std::filesystem;
  const fs::path parent = fs::path(typed).parent_path();
  editor::Completion completion{from, {}, 0};
  std::error_code error;
  fs::directory_iterator item(fs::path(base) / parent, fs::directory_options::skip_permission_denied, error);
  for (; !error && item != fs::directory_iterator(); item.increment(error)) {
    std::error_code unknown;
    std::string name = (parent / item->path().filename()).string();
    if (item->is_directory(unknown)) name += "/";
    if (name.starts_with(typed)) completion.candidates.push_back(std::move(name));
  }
  std::sort(completion.candidates.begin(), completion.candidates.end());
  return completion;
}

}  // namespace covec

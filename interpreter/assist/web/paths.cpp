// A page completes paths of files in memory.
#include "interpreter/assist/completion.hpp"
#include "stdlib/gate/web/files.hpp"

namespace covec {

editor::Completion complete_path(std::string_view typed, size_t from, const std::string& base) {
  const size_t slash = typed.rfind('/');
  const std::string parent(typed.substr(0, slash == typed.npos ? 0 : slash + 1));
  const std::string folder = parent.starts_with('/') ? parent : base + "/" + parent;
  editor::Completion completion{from, {}, 0};
  for (const std::string& each : gate::names_in(folder)) {
    std::string name = parent + each;
    if (gate::is_folder(folder + each)) name += "/";
    if (name.starts_with(typed)) completion.candidates.push_back(std::move(name));
  }
  return completion;  // the names are in order
}

}  // namespace covec

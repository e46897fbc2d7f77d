#include "interpreter/lsp/overlay_gate.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

namespace covec::lsp {

gate::Descriptor in_memory(const std::string& text) {
  gate::Descriptor file(memfd_create("covec", MFD_CLOEXEC));
  for (size_t done = 0; file.is_open() && done < text.size();) {
    const ssize_t count = write(file.number(), text.data() + done, text.size() - done);
    if (count <= 0) return {};
    done += static_cast<size_t>(count);
  }
  if (file.is_open()) lseek(file.number(), 0, SEEK_SET);
  return file;
}

std::string canonical_path(const std::string& path) {
  std::error_code error;
  const std::filesystem::path canonical = std::filesystem::weakly_canonical(path, error);
  return error ? path : canonical.string();
}

const std::string* OverlayGate::find(const std::string& path) const {
  const auto found = texts_.find(path);
  return found == texts_.end() ? nullptr : found->second.text;
}

std::string OverlayGate::state_of(const std::string& path) const {
  if (const auto open = texts_.find(path); open != texts_.end()) return "open " + std::to_string(open->second.version);
  struct stat file {};
  if (stat(path.c_str(), &file) != 0) return "missing";
  std::string state;
  for (const auto number : {static_cast<long>(file.st_mtim.tv_sec), file.st_mtim.tv_nsec,
                            static_cast<long>(file.st_size), static_cast<long>(file.st_ino)})
    state += std::to_string(number) + " ";
  return state;
}

bool OverlayGate::is_as(const Seen& seen) const {
  for (const auto& [path, state] : seen) {
    if (state_of(path) != state) return false;
  }
  return true;
}

std::optional<std::string> OverlayGate::module_key(const std::string& path) {
  const std::string canonical = canonical_path(path);
  seen_.emplace(canonical, state_of(canonical));
  return texts_.contains(canonical) ? canonical : inner_.module_key(path);
}

gate::Descriptor OverlayGate::open_module(const std::string& path) {
  const std::string* text = find(canonical_path(path));
  return text != nullptr ? in_memory(*text) : inner_.open_module(path);
}

}  // namespace covec::lsp

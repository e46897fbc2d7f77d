#include "stdlib/gate/kernel_cache.hpp"

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace covec::gate {

namespace fs = std::filesystem;

// FNV-1a, 64 bits (Fowler, Noll, Vo): names files; what is in them decides.
std::string digest_of(const std::string& text) {
  uint64_t hash = 14695981039346656037u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  std::string digits;
  for (int shift = 60; shift >= 0; shift -= 4) digits += "0123456789abcdef"[hash >> shift & 15];
  return digits;
}

namespace {

constexpr const char* suffix = ".kernel";
constexpr const char* magic = "covec kernel 1\n";

// What a file begins with: all that the image depends on, and the image's length and hash.
std::string head_of(const std::string& key, const std::string& text) {
  return magic + key + "\n" + std::to_string(text.size()) + "\n" + text;
}
std::string tail_of(const std::string& image) {
  return std::to_string(image.size()) + " " + digest_of(image) + "\n" + image;
}

fs::path file_of(const std::string& folder, const std::string& head) {
  return fs::path(folder) / (digest_of(head) + suffix);
}

}  // namespace

std::string named_kernel_cache_folder() {
  const char* own = std::getenv("COVEC_CACHE");
  return own != nullptr ? own : "";
}

std::string kernel_cache_folder() {
  if (std::string own = named_kernel_cache_folder(); !own.empty()) return own;
  if (const char* all = std::getenv("XDG_CACHE_HOME"); all != nullptr && *all != '\0')
    return std::string(all) + "/covec";
  const char* home = std::getenv("HOME");
  return home != nullptr && *home != '\0' ? std::string(home) + "/.cache/covec" : "";
}

std::string cached_kernel(const std::string& folder, const std::string& key, const std::string& text) {
  const std::string head = head_of(key, text);
  if (folder.empty()) return "";
  std::ifstream file(file_of(folder, head), std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  if (!bytes.starts_with(head)) return "";
  const size_t line = bytes.find('\n', head.size());
  if (line == std::string::npos) return "";
  std::string image = bytes.substr(line + 1);
  return bytes.compare(head.size(), std::string::npos, tail_of(image)) == 0 ? image : "";
}

void cache_kernel(const std::string& folder, const std::string& key, const std::string& text,
                  const std::string& image) {
  const std::string head = head_of(key, text);
  if (folder.empty()) return;
  std::error_code error;
  fs::create_directories(folder, error);
  const fs::path to = file_of(folder, head), part = to.string() + "." + std::to_string(getpid());
  {
    std::ofstream file(part, std::ios::binary);
    file << head << tail_of(image);
    file.close();
    if (!file) {
      fs::remove(part, error);
      return;
    }
  }
  fs::rename(part, to, error);
  if (error) fs::remove(part, error);
}

size_t clear_kernel_cache() {
  size_t count = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(kernel_cache_folder(), error)) {
    if (entry.path().filename().string().find(suffix) == std::string::npos) continue;
    count += fs::remove(entry.path(), error);
  }
  return count;
}

}  // namespace covec::gate

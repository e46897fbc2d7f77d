#include "stdlib/gate/c_library.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "stdlib/gate/kernel_cache.hpp"

extern char** environ;

namespace covec::gate {

CLibrary::CLibrary(const std::string& path) : library_(path) {
  if (!library_) throw std::runtime_error(library_.missing());
}

CLibrary::~CLibrary() { library_.close(); }

void* CLibrary::address_of(const std::string& name) const {
  void* address = library_.address_of(name.c_str());
  if (address == nullptr) throw std::runtime_error("the compiled C has no " + name);
  return address;
}

namespace {

using Words = std::vector<std::string>;

// A folder that nobody else can read, removed at the end.
class PrivateFolder {
 public:
  PrivateFolder() {
    std::error_code error;
    const std::filesystem::path place = std::filesystem::temp_directory_path(error);
    path_ = (place / "covec-c99-XXXXXX").string();
    if (error || mkdtemp(path_.data()) == nullptr)
      throw std::runtime_error("cannot make a folder for C text: TMPDIR names no folder that can be written");
  }
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  ~PrivateFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string file(const char* name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

std::string contents(const std::string& path) {
  std::ifstream file(path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// Runs a command found on the path, its output and errors going to the file `log`. Gives its exit status, or −1 of one
// that was killed.
int run(const Words& command, const std::string& log) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw std::runtime_error("cannot run the C compiler " + command[0] + ": " + std::strerror(failed));
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// The folder in which tests keep libraries, or "".
std::string test_cache() {
  const char* folder = std::getenv("COVEC_TEST_CACHE");
  return folder != nullptr && *folder != '\0' ? std::string(folder) + "/c99" : "";
}

// The scalar operations of the text are exactly defined under these flags. fma and the roundings are single
// instructions where the machine has them, else calls of the C library: the result is the same.
Words oracle_flags(const char* optimization) {
  Words flags = {"-std=c99",        optimization,           "-ffp-contract=off",          "-fwrapv",
                 "-fno-math-errno", "-fno-strict-aliasing", "-fexcess-precision=standard"};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("fma") && __builtin_cpu_supports("sse4.1")) {
    flags.insert(flags.end(), {"-mfma", "-msse4.1"});
  }
#endif
  return flags;
}

// The facts that a compiler's libraries depend on beside their texts, or "" where it does not tell them. The macros
// tell machines apart where the flags leave them open (-march=native).
std::string facts_of(const std::string& compiler, const Words& flags) {
  const PrivateFolder folder;
  const std::string version = folder.file("version"), macros = folder.file("macros");
  std::string facts = compiler;
  Words asks_for_macros = {compiler};
  for (const std::string& flag : flags) {
    facts += " " + flag;
    asks_for_macros.push_back(flag);
  }
  asks_for_macros.insert(asks_for_macros.end(), {"-dM", "-E", "-x", "c", "/dev/null"});
  if (run({compiler, "--version"}, version) != 0 || run(asks_for_macros, macros) != 0) return "";
  return facts + "\n" + contents(version) + digest_of(contents(macros));
}

// Nullptr where none is kept, or it does not load.
std::shared_ptr<const CLibrary> kept_library(const std::string& image, const std::string& path) {
  if (image.empty()) return nullptr;
  std::ofstream file(path, std::ios::binary);
  file << image;
  file.close();
  if (!file) return nullptr;
  try {
    return std::make_shared<const CLibrary>(path);
  } catch (const std::runtime_error&) {
    return nullptr;
  }
}

// `cache`: the folder of libraries that are kept; `facts`: what they depend on. Either may be "".
std::shared_ptr<const CLibrary> compile(const std::string& compiler, const Words& flags, const std::string& text,
                                        const std::string& cache, const std::string& facts) {
  const PrivateFolder folder;
  const std::string path = folder.file("program.so"), log = folder.file("log");
  const bool keeps = !cache.empty() && !facts.empty();
  if (keeps) {
    // The library is copied, so it may be removed from the cache while it is used.
    if (auto library = kept_library(cached_kernel(cache, facts, text), folder.file("kept.so"))) return library;
  }
  std::ofstream(folder.file("program.c")) << text;
  Words command = {compiler};
  command.insert(command.end(), flags.begin(), flags.end());
  command.insert(command.end(), {"-shared", "-fPIC", "-o", path, folder.file("program.c"), "-lm"});
  const int status = run(command, log);
  if (status != 0) {
    throw std::runtime_error(compiler + " ended with status " + std::to_string(status) + ": " +
                             contents(log).substr(0, 4000));
  }
  if (keeps) cache_kernel(cache, facts, text, contents(path));
  return std::make_shared<const CLibrary>(path);
}

}  // namespace

std::shared_ptr<const CLibrary> compile_c(const std::string& text) {
  const std::string cache = test_cache();
  if (cache.empty()) return compile("cc", oracle_flags("-O1"), text, "", "");
  static const std::string facts = facts_of("cc", oracle_flags("-O0"));  // asked once: a script has many texts
  return compile("cc", oracle_flags("-O0"), text, cache, facts);
}

std::shared_ptr<const CLibrary> compile_c_with(const std::string& compiler, std::span<const std::string> flags,
                                               const std::string& text) {
  Words all = {"-std=c99", "-ffp-contract=off"};
  all.insert(all.end(), flags.begin(), flags.end());
  const std::string cache = test_cache();
  return compile(compiler, all, text, cache, cache.empty() ? "" : facts_of(compiler, all));
}

bool has_c_compiler(const std::string& compiler) {
  try {
    const PrivateFolder folder;
    return run({compiler, "--version"}, folder.file("log")) == 0;
  } catch (const std::runtime_error&) {
    return false;
  }
}

}  // namespace covec::gate

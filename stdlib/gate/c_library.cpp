#include "stdlib/gate/c_library.hpp"

#include <dlfcn.h>
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

extern char** environ;

namespace covec::gate {

CLibrary::CLibrary(const std::string& path) : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (handle_ == nullptr) throw std::runtime_error(dlerror());
}

CLibrary::~CLibrary() { dlclose(handle_); }

void* CLibrary::address_of(const std::string& name) const {
  void* address = dlsym(handle_, name.c_str());
  if (address == nullptr) throw std::runtime_error("the compiled C has no " + name);
  return address;
}

namespace {

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
int run(const std::vector<std::string>& command, const std::string& log) {
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

// The scalar operations of the text are exactly defined under these flags. fma and the roundings are single
// instructions where the machine has them, else calls of the C library: the result is the same.
std::vector<std::string> cc_command(const std::string& text, const std::string& library) {
  std::vector<std::string> command = {"cc",      "-std=c99",
                                      "-O1",     "-ffp-contract=off",
                                      "-fwrapv", "-fno-math-errno",
                                      "-shared", "-fno-strict-aliasing",
                                      "-fPIC",   "-fexcess-precision=standard"};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("fma") && __builtin_cpu_supports("sse4.1")) {
    command.insert(command.end(), {"-mfma", "-msse4.1"});
  }
#endif
  command.insert(command.end(), {"-o", library, text, "-lm"});
  return command;
}

// `command` becomes one of the files of a folder.
template <class CommandFor>
std::shared_ptr<const CLibrary> compile(const std::string& text, CommandFor command_for) {
  const PrivateFolder folder;
  std::ofstream(folder.file("program.c")) << text;
  const std::vector<std::string> command = command_for(folder.file("program.c"), folder.file("program.so"));
  const int status = run(command, folder.file("log"));
  if (status != 0) {
    throw std::runtime_error(command[0] + " ended with status " + std::to_string(status) + ": " +
                             contents(folder.file("log")).substr(0, 4000));
  }
  return std::make_shared<const CLibrary>(folder.file("program.so"));
}

}  // namespace

std::shared_ptr<const CLibrary> compile_c(const std::string& text) { return compile(text, cc_command); }

std::shared_ptr<const CLibrary> compile_c_with(const std::string& compiler, std::span<const std::string> flags,
                                               const std::string& text) {
  return compile(text, [&](const std::string& from, const std::string& to) {
    std::vector<std::string> command = {compiler, "-std=c99", "-ffp-contract=off", "-shared", "-fPIC"};
    command.insert(command.end(), flags.begin(), flags.end());
    command.insert(command.end(), {"-o", to, from, "-lm"});
    return command;
  });
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

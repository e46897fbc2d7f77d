// See sandbox.hpp. Landlock's rules are made by system calls by number: the C library has no functions for them.
#include "interpreter/command/sandbox.hpp"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <iostream>
#include <system_error>

#include "stdlib/gate/descriptor.hpp"
#include "stdlib/gate/limited.hpp"

namespace covec {

namespace {

// Beside values: the command itself, the address space of its stacks, code that is compiled, texts that are read.
constexpr uint64_t extra_address_space = uint64_t{3} << 30;

void limit(int resource, uint64_t most) {
  rlimit set{most, most};
  rlimit now{};
  if (getrlimit(static_cast<__rlimit_resource>(resource), &now) == 0) {
    set.rlim_cur = set.rlim_max = std::min<rlim_t>(most, now.rlim_max);
  }
  setrlimit(static_cast<__rlimit_resource>(resource), &set);
}

constexpr uint64_t reading = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr uint64_t writing = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG |
                             LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr uint64_t everything = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;  // that the first version knows

void allow_beneath(int rules, const std::string& folder, uint64_t access) {
  const gate::Descriptor beneath(open(folder.c_str(), O_PATH | O_CLOEXEC));
  landlock_path_beneath_attr rule{};
  rule.allowed_access = access;
  rule.parent_fd = beneath.number();
  if (beneath.is_open()) syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
}

// Where the kernel has it. It holds for all that the process opens from here on.
void shut_file_system(const SandboxRequest& request) {
  landlock_ruleset_attr handled{};
  handled.handled_access_fs = everything;
  const gate::Descriptor rules(static_cast<int>(syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0)));
  if (!rules.is_open()) return;
  for (const std::string& folder : request.read) allow_beneath(rules.number(), folder, reading);
  for (const std::string& folder : request.write) allow_beneath(rules.number(), folder, writing);
  syscall(SYS_landlock_restrict_self, rules.number(), 0);
}

int status_of(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return 1;
  }
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  std::cerr << "error: the program was ended by the system: " << strsignal(WTERMSIG(status)) << '\n';
  return 1;
}

}  // namespace

void shut_in(const SandboxRequest& request) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_DUMPABLE, 0);
  limit(RLIMIT_AS, (request.megabytes << 20) + extra_address_space);
  limit(RLIMIT_CPU, static_cast<uint64_t>(std::ceil(request.seconds)) + 1);
  limit(RLIMIT_CORE, 0);
  shut_file_system(request);
}

void confine(const SandboxRequest& request, SessionOptions& options) {
  ops::Permissions given;
  given.read = request.read;
  given.write = request.write;
  given.imports = true;
  options.gate = std::make_shared<ops::LimitedGate>(given);
  options.memory_limit = request.megabytes << 20;
  options.run.time = std::chrono::microseconds(static_cast<int64_t>(request.seconds * 1e6));
  options.threads = 1;
}

int run_sandboxed(const SandboxRequest& request, FunctionRef<int()> body) {
  std::cout.flush();
  const pid_t child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "a process for the program");
  if (child > 0) {
    std::signal(SIGINT, SIG_IGN);  // the child gets it as well, and says so
    return status_of(child);
  }
  shut_in(request);
  const int status = body();
  std::cout.flush();
  std::fflush(nullptr);
  _exit(status);
}

}  // namespace covec

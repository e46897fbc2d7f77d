// A stand-in for NVIDIA's driver (libcuda.so.1) whose device is this processor: an image is a shared object that
// compiler.cpp, the stand-in for NVRTC, has made of the kernels' text, and a launch runs its blocks one after the
// other. Declared as its documentation has it (CUDA Driver API, CUDA Toolkit Documentation). What it is for:
// - every kernel of the other dialect, and what gives it its arguments, is executed in the tests;
// - memory lies at addresses that nobody else has: between two pages that may not be touched, at its end, so that a
//   kernel that reaches beyond a block ends the process, and the host's view of it is none (address + alien).
// - the $FAIL_CALL-th call fails with $FAIL_STATUS (700: an illegal address); $COUNT_FILE gets how many there were.
//   With $FAIL_ALL all from there on do, as when a device is lost.
// $STAND_IN_MEMORY: bytes it has (1 GiB); $STAND_IN_DEVICES: 1; $STAND_IN_ARCHITECTURE: 90.
#include <dlfcn.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "shim.hpp"

namespace {

using Status = int;
using Pointer = unsigned long long;
constexpr Status success = 0, invalid_value = 1, out_of_memory = 2, invalid_image = 200, not_found = 500;
// A page's end is a multiple of this, which is what the driver promises of the beginning of a block.
constexpr size_t alignment = 256;

long number_of(const char* variable, long otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::atol(text) : otherwise;
}

// --- calls that fail ---

long calls = 0;

void write_count() {
  const char* path = std::getenv("COUNT_FILE");
  std::FILE* file = path != nullptr ? std::fopen(path, "w") : nullptr;
  if (file == nullptr) return;
  std::fprintf(file, "%ld", calls);
  std::fclose(file);
}

bool fails() {
  if (calls == 0) std::atexit(write_count);
  const long at = number_of("FAIL_CALL", 0);
  ++calls;
  return at > 0 && (calls == at || (calls > at && std::getenv("FAIL_ALL") != nullptr));
}
Status failure() { return static_cast<Status>(number_of("FAIL_STATUS", 700)); }

// --- memory ---

struct Block {
  char* pages = nullptr;
  size_t mapped = 0;
  size_t bytes = 0;
};
std::map<Pointer, Block> blocks;  // by where they begin
size_t in_use = 0;

// Of as much of a block as is asked for.
bool is_ours(Pointer at, size_t bytes) {
  auto next = blocks.upper_bound(at);
  if (next == blocks.begin()) return false;
  const auto& [begin, block] = *--next;
  return at - begin <= block.bytes && bytes <= block.bytes - (at - begin);
}

// --- launches ---

struct Kernel {
  void (*run)(void** parameters) = nullptr;
  bool waits = false;  // its threads wait for each other
  standin::Position* position = nullptr;
};

// The threads of a block, each with a stack of its own; one goes on until it waits for the others.
class Threads {
 public:
  Threads(const Kernel& kernel, unsigned count, void** parameters)
      : kernel_(kernel), parameters_(parameters), count_(count), stacks_(count * stack_bytes), threads_(count) {}

  void run() {
    current = this;
    kernel_.position->barrier = [] { current->wait(); };
    ended_ = 0;
    for (unsigned i = 0; i < count_; ++i) {
      getcontext(&threads_[i]);
      threads_[i].uc_stack.ss_sp = stacks_.data() + i * stack_bytes;
      threads_[i].uc_stack.ss_size = stack_bytes;
      threads_[i].uc_link = &main_;
      makecontext(
          &threads_[i], [] { current->begin(); }, 0);
    }
    while (ended_ == 0) {
      for (at_ = 0; at_ < count_; ++at_) {
        kernel_.position->thread = at_;
        swapcontext(&main_, &threads_[at_]);
      }
      // A barrier is met by all of a block's threads or by none.
      if (ended_ != 0 && ended_ != count_) std::abort();
    }
  }

 private:
  static constexpr size_t stack_bytes = 64 << 10;
  static inline Threads* current = nullptr;

  void begin() {
    kernel_.run(parameters_);
    ++ended_;
  }
  void wait() { swapcontext(&threads_[at_], &main_); }

  const Kernel& kernel_;
  void** const parameters_;
  const unsigned count_;
  std::vector<char> stacks_;
  std::vector<ucontext_t> threads_;
  ucontext_t main_{};
  unsigned at_ = 0, ended_ = 0;
};

void launch(const Kernel& kernel, unsigned groups, unsigned threads, void** parameters) {
  standin::Position& position = *kernel.position;
  position.groups = groups;
  position.threads = threads;
  Threads together(kernel, kernel.waits ? threads : 0, parameters);
  for (position.group = 0; position.group < groups; ++position.group) {
    if (kernel.waits) {
      together.run();
    } else {
      for (position.thread = 0; position.thread < threads; ++position.thread) kernel.run(parameters);
    }
  }
}

}  // namespace

#define CALL \
  if (fails()) return failure()

extern "C" {

Status cuInit(unsigned) {
  CALL;
  return success;
}
Status cuDeviceGetCount(int* count) {
  CALL;
  *count = static_cast<int>(number_of("STAND_IN_DEVICES", 1));
  return success;
}
Status cuDeviceGet(int* device, int number) {
  CALL;
  *device = 10 + number;
  return success;
}
Status cuDeviceGetName(char* text, int length, int) {
  CALL;
  std::snprintf(text, static_cast<size_t>(length), "stand-in");
  return success;
}
Status cuDeviceTotalMem_v2(size_t* bytes, int) {
  CALL;
  *bytes = static_cast<size_t>(number_of("STAND_IN_MEMORY", 1L << 30));
  return success;
}
Status cuDeviceGetAttribute(int* value, int what, int) {
  CALL;
  const int architecture = static_cast<int>(number_of("STAND_IN_ARCHITECTURE", 90));
  *value = what == 75 ? architecture / 10 : what == 76 ? architecture % 10 : what == 16 ? 2 : 0;
  return success;
}
Status cuDevicePrimaryCtxRetain(void** context, int) {
  CALL;
  static int one;
  *context = &one;
  return success;
}
Status cuDevicePrimaryCtxRelease_v2(int) {
  CALL;
  return success;
}
Status cuCtxSetCurrent(void*) {
  CALL;
  return success;
}
Status cuStreamCreate(void** stream, unsigned) {
  CALL;
  static int one;
  *stream = &one;
  return success;
}
Status cuStreamDestroy_v2(void*) {
  CALL;
  return success;
}
Status cuEventCreate(void** event, unsigned) {
  CALL;
  static int one;
  *event = &one;
  return success;
}
Status cuEventDestroy_v2(void*) {
  CALL;
  return success;
}
Status cuEventRecord(void*, void*) {
  CALL;
  return success;
}
Status cuEventSynchronize(void*) {
  CALL;
  return success;
}

Status cuStreamSynchronize(void*) {
  CALL;
  return success;
}
Status cuMemAlloc_v2(Pointer* at, size_t bytes) {
  CALL;
  if (bytes == 0) return invalid_value;
  if (bytes > static_cast<size_t>(number_of("STAND_IN_MEMORY", 1L << 30)) - in_use) return out_of_memory;
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t aligned = (bytes + alignment - 1) / alignment * alignment, whole = (aligned + page - 1) / page * page;
  void* pages = mmap(nullptr, whole + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return out_of_memory;
  char* const first = static_cast<char*>(pages) + page;
  if (mprotect(first, whole, PROT_READ | PROT_WRITE) != 0) return out_of_memory;
  std::memset(first, 0xa5, whole);  // nothing promises zeros
  *at = reinterpret_cast<Pointer>(first + whole - aligned);
  blocks[*at] = {static_cast<char*>(pages), whole + 2 * page, bytes};
  in_use += bytes;
  return success;
}
Status cuMemFree_v2(Pointer at) {
  CALL;
  const auto found = blocks.find(at);
  if (found == blocks.end()) return invalid_value;
  in_use -= found->second.bytes;
  munmap(found->second.pages, found->second.mapped);
  blocks.erase(found);
  return success;
}
Status cuMemcpyHtoDAsync_v2(Pointer to, const void* from, size_t bytes, void*) {
  CALL;
  if (!is_ours(to, bytes)) return invalid_value;
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return success;
}
Status cuMemcpyDtoHAsync_v2(void* to, Pointer from, size_t bytes, void*) {
  CALL;
  if (!is_ours(from, bytes)) return invalid_value;
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  return success;
}

// The image of compiler.cpp: its length, and a shared object.
Status cuModuleLoadData(void** module, const void* image) {
  CALL;
  standin::ImageHead head;
  std::memcpy(&head, image, sizeof head);
  if (std::memcmp(head.magic, standin::magic, sizeof head.magic) != 0) return invalid_image;
  const int file = memfd_create("image", MFD_CLOEXEC);
  const char* const bytes = static_cast<const char*>(image) + sizeof head;
  for (size_t done = 0; file >= 0 && done < head.bytes;) {
    const ssize_t written = write(file, bytes + done, head.bytes - done);
    if (written <= 0) return invalid_image;
    done += static_cast<size_t>(written);
  }
  *module = dlopen(("/proc/self/fd/" + std::to_string(file)).c_str(), RTLD_NOW | RTLD_LOCAL);
  // The file stays open: a library is known by its name.
  if (*module == nullptr) std::fprintf(stderr, "stand-in: %s\n", dlerror());
  return *module != nullptr ? success : invalid_image;
}
Status cuModuleUnload(void* module) {
  CALL;
  dlclose(module);
  return success;
}
// Not given back: there are as many as names in modules.
Status cuModuleGetFunction(void** function, void* module, const char* name) {
  CALL;
  const auto* run = reinterpret_cast<standin::Entry*>(dlsym(module, (std::string(name) + "_entry").c_str()));
  auto* position = static_cast<standin::Position*>(dlsym(module, "standin_position"));
  if (run == nullptr || position == nullptr) return not_found;
  static std::map<const void*, Kernel> found;
  Kernel& kernel = found[run];
  kernel = {run->run, run->waits, position};
  *function = &kernel;
  return success;
}
Status cuLaunchKernel(void* function, unsigned x, unsigned y, unsigned z, unsigned threads, unsigned threads_y,
                      unsigned threads_z, unsigned shared, void*, void** parameters, void** extra) {
  CALL;
  if (x == 0 || y != 1 || z != 1 || threads == 0 || threads > 1024 || threads_y != 1 || threads_z != 1 || shared != 0 ||
      extra != nullptr)
    return invalid_value;
  launch(*static_cast<Kernel*>(function), x, threads, parameters);
  return success;
}

Status cuGetErrorName(Status status, const char** name) {
  *name = status == 700             ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : status == out_of_memory ? "CUDA_ERROR_OUT_OF_MEMORY"
          : status == 999           ? nullptr
                                    : "CUDA_ERROR";
  return *name != nullptr ? success : invalid_value;
}
Status cuGetErrorString(Status status, const char** text) {
  *text = status == 700 ? "an illegal memory access was encountered" : status == 999 ? nullptr : "refused";
  return *text != nullptr ? success : invalid_value;
}

}  // extern "C"

// A stand-in for NVRTC (libnvrtc.so.13): kernels in CUDA C, compiled by the machine's C++ compiler ($CXX, c++) into a
// shared object that driver.cpp runs. Declared as its documentation has it (NVRTC, CUDA Toolkit Documentation).
// $FAIL_COMPILE: every compilation fails. $STAND_IN_VERSION: 13000.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "shim.hpp"

namespace {

struct Program {
  std::string text, image, log;
  bool is_portable = false;  // PTX, for the driver to make code of
};
constexpr int newest_architecture = 120;

// CUDA's words in C++. The types are the text's own, so that no header may be read that has them, too.
constexpr const char* prelude = R"(
namespace standin {
struct Position { unsigned group, groups, thread, threads; void (*barrier)(); };
struct Entry { void (*run)(void** parameters); bool waits; };
template <class...> struct List {};
template <unsigned... I> struct Numbers {};
template <unsigned N, unsigned... I> struct Count : Count<N - 1, N - 1, I...> {};
template <unsigned... I> struct Count<0, I...> { using Type = Numbers<I...>; };
template <class... P, unsigned... I> void call(void (*kernel)(P...), void** parameters, Numbers<I...>) {
  kernel(*static_cast<P*>(parameters[I])...);
}
template <class... P> void call(void (*kernel)(P...), void** parameters) {
  call(kernel, parameters, typename Count<sizeof...(P)>::Type());
}
}
extern "C" __attribute__((visibility("default"))) standin::Position standin_position;
standin::Position standin_position;
#define __global__
#define __device__
#define __launch_bounds__(...)
#define __shared__ static
struct StandinIndex { unsigned x; };
#define blockIdx (StandinIndex{standin_position.group})
#define gridDim (StandinIndex{standin_position.groups})
#define threadIdx (StandinIndex{standin_position.thread})
#define blockDim (StandinIndex{standin_position.threads})
#define __syncthreads() standin_position.barrier()
template <class To, class From> static To standin_bits(From from) {
  static_assert(sizeof(To) == sizeof(From), "");
  To to;
  __builtin_memcpy(&to, &from, sizeof to);
  return to;
}
#define __uint_as_float(x) standin_bits<float>((unsigned)(x))
#define __int_as_float(x) standin_bits<float>((int)(x))
#define __float_as_int(x) standin_bits<int>((float)(x))
#define __longlong_as_double(x) standin_bits<double>((long long)(x))
#define __double_as_longlong(x) standin_bits<long long>((double)(x))
#define sqrt(x) __builtin_sqrt(x)
#define sqrtf(x) __builtin_sqrtf(x)
#define fma(x, y, z) __builtin_fma(x, y, z)
#define fmaf(x, y, z) __builtin_fmaf(x, y, z)
#define floor(x) __builtin_floor(x)
#define floorf(x) __builtin_floorf(x)
#define ceil(x) __builtin_ceil(x)
#define ceilf(x) __builtin_ceilf(x)
#define trunc(x) __builtin_trunc(x)
#define truncf(x) __builtin_truncf(x)
#define rint(x) __builtin_rint(x)
#define rintf(x) __builtin_rintf(x)
#define fmod(x, y) __builtin_fmod(x, y)
#define fmodf(x, y) __builtin_fmodf(x, y)
)";

// For each kernel, what calls it with parameters that are addresses.
std::string entries_of(const std::string& text) {
  static const std::string word = "\nCOVEC_KERNEL ";
  std::string entries;
  for (size_t at = text.find(word); at != std::string::npos;) {
    const size_t name_at = at + word.size(), next = text.find(word, name_at);
    const std::string words = text.substr(name_at, text.find('(', name_at) - name_at);
    const std::string name = words.substr(words.rfind(' ') + 1);
    const bool waits = text.substr(at, next - at).find("covec_barrier()") != std::string::npos;
    entries += "extern \"C\" __attribute__((visibility(\"default\"))) standin::Entry " + name + "_entry;\n" +
               "standin::Entry " + name + "_entry = {[](void** p) { standin::call(" + name + ", p); }, " +
               (waits ? "true" : "false") + "};\n";
    at = next;
  }
  return entries;
}

std::string contents_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Fused multiply-adds are those that the text asks for, and come from an instruction.
bool compile(Program& program) {
  if (std::getenv("FAIL_COMPILE") != nullptr) {
    program.log = "covec.cu(1): error: the stand-in does not like it";
    return false;
  }
  std::string folder = (std::filesystem::temp_directory_path() / "stand-in-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return false;
  const std::string from = folder + "/kernels.cpp", to = folder + "/kernels.so", log = folder + "/log";
  std::ofstream(from) << prelude << program.text << entries_of(program.text);
  const char* compiler = std::getenv("CXX");
  const std::string command =
      std::string(compiler != nullptr ? compiler : "c++") +
      " -std=c++17 -O1 -mfma -ffp-contract=off -fno-math-errno -fvisibility=hidden -fPIC -shared "
      "-w -o " +
      to + " " + from + " 2>" + log;
  const int status = std::system(command.c_str());
  program.log = contents_of(log);
  const std::string object = contents_of(to);
  std::filesystem::remove_all(folder);
  if (status != 0 || object.empty()) return false;
  standin::ImageHead head{};
  std::memcpy(head.magic, standin::magic, sizeof head.magic);
  head.bytes = object.size();
  program.image.assign(reinterpret_cast<const char*>(&head), sizeof head);
  program.image += object;
  return true;
}

int give(const std::string& bytes, char* to) {
  std::memcpy(to, bytes.data(), bytes.size());
  return 0;
}

}  // namespace

extern "C" {

int nvrtcVersion(int* major, int* minor) {
  const char* text = std::getenv("STAND_IN_VERSION");
  const int version = text != nullptr ? std::atoi(text) : 13000;
  *major = version / 1000;
  *minor = version % 1000 / 10;
  return 0;
}
int nvrtcCreateProgram(void** program, const char* text, const char*, int, const char* const*, const char* const*) {
  *program = new Program{text, "", "", false};
  return 0;
}
int nvrtcDestroyProgram(void** program) {
  delete static_cast<Program*>(*program);
  *program = nullptr;
  return 0;
}
int nvrtcCompileProgram(void* program, int count, const char* const* options) {
  Program& given = *static_cast<Program*>(program);
  bool contracts = true;
  int architecture = 0;
  for (int i = 0; i < count; ++i) {
    contracts = contracts && std::strcmp(options[i], "--fmad=false") != 0;
    std::sscanf(options[i], "--gpu-architecture=sm_%d", &architecture);
  }
  given.is_portable = architecture == 0;
  return !contracts && architecture <= newest_architecture && compile(given) ? 0 : 6;
}
int nvrtcGetPTXSize(void* program, size_t* size) {
  const Program& given = *static_cast<Program*>(program);
  *size = given.is_portable ? given.image.size() : 0;
  return 0;
}
int nvrtcGetPTX(void* program, char* to) { return give(static_cast<Program*>(program)->image, to); }
int nvrtcGetCUBINSize(void* program, size_t* size) {
  const Program& given = *static_cast<Program*>(program);
  *size = given.is_portable ? 0 : given.image.size();
  return 0;
}
int nvrtcGetCUBIN(void* program, char* to) { return give(static_cast<Program*>(program)->image, to); }
int nvrtcGetProgramLogSize(void* program, size_t* size) {
  *size = static_cast<Program*>(program)->log.size();
  return 0;
}
int nvrtcGetProgramLog(void* program, char* to) { return give(static_cast<Program*>(program)->log, to); }

}  // extern "C"

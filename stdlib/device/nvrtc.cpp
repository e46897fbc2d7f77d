// Declares NVRTC's interface after its documentation (NVRTC, CUDA Toolkit Documentation), since no toolkit is needed to
// build Covec.
#include "stdlib/device/nvrtc.hpp"

#include <cstdlib>
#include <iterator>

#include "stdlib/device/library.hpp"

namespace covec::device {

namespace {

using Program = void*;
constexpr int success = 0;

// The newest first; an unversioned name is that of a toolkit.
constexpr const char* names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"};
constexpr int oldest = 11010;  // gives machine code, not PTX alone

}  // namespace

struct Nvrtc::Api {
  int (*version)(int*, int*) = nullptr;
  int (*create)(Program*, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
  int (*destroy)(Program*) = nullptr;
  int (*compile)(Program, int, const char* const*) = nullptr;
  int (*ptx_size)(Program, size_t*) = nullptr;
  int (*ptx)(Program, char*) = nullptr;
  int (*cubin_size)(Program, size_t*) = nullptr;
  int (*cubin)(Program, char*) = nullptr;
  int (*log_size)(Program, size_t*) = nullptr;
  int (*log)(Program, char*) = nullptr;

  bool load(gate::Library& library) {
    return library.find("nvrtcVersion", version) && library.find("nvrtcCreateProgram", create) &&
           library.find("nvrtcDestroyProgram", destroy) && library.find("nvrtcCompileProgram", compile) &&
           library.find("nvrtcGetPTXSize", ptx_size) && library.find("nvrtcGetPTX", ptx) &&
           library.find("nvrtcGetCUBINSize", cubin_size) && library.find("nvrtcGetCUBIN", cubin) &&
           library.find("nvrtcGetProgramLogSize", log_size) && library.find("nvrtcGetProgramLog", log);
  }
};

Nvrtc::Nvrtc(std::unique_ptr<Api> api) : api_(std::move(api)) {
  int major = 0, minor = 0;
  if (api_->version(&major, &minor) == success) version_ = 1000 * major + 10 * minor;
}

const Nvrtc* Nvrtc::open(bool use_environment, std::string& reason) {
  const auto load = [](const std::vector<std::string>& folders) -> std::unique_ptr<const Nvrtc> {
    gate::Library library = open_library(names, folders);
    auto api = std::make_unique<Api>();
    if (!library || !api->load(library)) return nullptr;
    return std::unique_ptr<const Nvrtc>(new Nvrtc(std::move(api)));
  };
  const Nvrtc* found = nullptr;
  if (use_environment) {
    static const std::unique_ptr<const Nvrtc> named = load(cuda_folders(true));
    found = named.get();
  } else {
    static const std::unique_ptr<const Nvrtc> usual = load(cuda_folders(false));
    found = usual.get();
  }
  if (found == nullptr) {
    reason = "there is no NVRTC (libnvrtc.so, of CUDA 11.2 or newer)";
  } else if (found->version_ < oldest) {
    reason = "NVRTC " + std::to_string(found->version_) + " is too old";
  } else {
    return found;
  }
  return nullptr;
}

Nvrtc::Compiled Nvrtc::compile(const std::string& text, int architecture, bool ptx) const {
  Program program = nullptr;
  if (api_->create(&program, text.c_str(), "covec.cu", 0, nullptr, nullptr) != success) return {"", "no program"};
  const std::string target =
      std::string("--gpu-architecture=") + (ptx ? "compute_" : "sm_") + std::to_string(architecture);
  const char* options[] = {target.c_str(),    "--fmad=false",     "--ftz=false",
                           "--prec-div=true", "--prec-sqrt=true", "--std=c++17"};
  Compiled compiled;
  const bool good = api_->compile(program, static_cast<int>(std::size(options)), options) == success;
  const auto take = [&](int (*size_of)(Program, size_t*), int (*get)(Program, char*)) {
    size_t size = 0;
    std::string bytes;
    if (size_of(program, &size) != success || size == 0) return bytes;
    bytes.resize(size);
    if (get(program, bytes.data()) != success) bytes.clear();
    return bytes;
  };
  compiled.log = take(api_->log_size, api_->log);
  if (good) compiled.image = ptx ? take(api_->ptx_size, api_->ptx) : take(api_->cubin_size, api_->cubin);
  api_->destroy(&program);
  return compiled;
}

std::string Nvrtc::key(int architecture) const {
  return "nvrtc " + std::to_string(version_) + " sm_" + std::to_string(architecture);
}

}  // namespace covec::device

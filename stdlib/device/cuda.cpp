// Devices of NVIDIA's driver. NVRTC compiles kernels for the architecture, and the driver's interface launches them.
// That interface is declared here after its documentation (CUDA Driver API, CUDA Toolkit Documentation). So nothing of
// CUDA is needed to build Covec, and none of it is loaded where it is missing.
#include <algorithm>
#include <utility>
#include <vector>

#include "stdlib/device/cublas.hpp"
#include "stdlib/device/devices.hpp"
#include "stdlib/device/library.hpp"
#include "stdlib/device/nvrtc.hpp"
#include "stdlib/gate/kernel_cache.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"

namespace covec::device {

namespace {

using Status = int;
using Ordinal = int;
using Pointer = unsigned long long;
constexpr Status success = 0;
constexpr int attribute_units = 16, attribute_major = 75, attribute_minor = 76;  // CUdevice_attribute of cuda.h
constexpr int oldest_architecture = 60;  // 10 · major + minor of the compute capability: Pascal

struct Api {
  Status (*init)(unsigned) = nullptr;
  Status (*count)(int*) = nullptr;
  Status (*get)(Ordinal*, int) = nullptr;
  Status (*name)(char*, int, Ordinal) = nullptr;
  Status (*memory)(size_t*, Ordinal) = nullptr;
  Status (*attribute)(int*, int, Ordinal) = nullptr;
  Status (*retain)(void**, Ordinal) = nullptr;
  Status (*release)(Ordinal) = nullptr;
  Status (*set_current)(void*) = nullptr;
  Status (*create_stream)(void**, unsigned) = nullptr;
  Status (*destroy_stream)(void*) = nullptr;
  Status (*wait)(void*) = nullptr;
  Status (*create_event)(void**, unsigned) = nullptr;
  Status (*destroy_event)(void*) = nullptr;
  Status (*record)(void*, void*) = nullptr;
  Status (*come_to)(void*) = nullptr;
  Status (*allocate)(Pointer*, size_t) = nullptr;
  Status (*free)(Pointer) = nullptr;
  Status (*to_device)(Pointer, const void*, size_t, void*) = nullptr;
  Status (*to_host)(void*, Pointer, size_t, void*) = nullptr;
  Status (*load)(void**, const void*) = nullptr;
  Status (*unload)(void*) = nullptr;
  Status (*function)(void**, void*, const char*) = nullptr;
  Status (*launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**,
                   void**) = nullptr;
  Status (*error_name)(Status, const char**) = nullptr;
  Status (*error_text)(Status, const char**) = nullptr;

  bool open(gate::Library& l) {
    return l.find("cuInit", init) && l.find("cuDeviceGetCount", count) && l.find("cuDeviceGet", get) &&
           l.find("cuDeviceGetName", name) && l.find("cuDeviceTotalMem_v2", memory) &&
           l.find("cuDeviceGetAttribute", attribute) && l.find("cuDevicePrimaryCtxRetain", retain) &&
           l.find("cuDevicePrimaryCtxRelease_v2", release) && l.find("cuCtxSetCurrent", set_current) &&
           l.find("cuStreamCreate", create_stream) && l.find("cuStreamDestroy_v2", destroy_stream) &&
           l.find("cuEventCreate", create_event) && l.find("cuEventDestroy_v2", destroy_event) &&
           l.find("cuEventRecord", record) && l.find("cuEventSynchronize", come_to) &&
           l.find("cuStreamSynchronize", wait) && l.find("cuMemAlloc_v2", allocate) && l.find("cuMemFree_v2", free) &&
           l.find("cuMemcpyHtoDAsync_v2", to_device) && l.find("cuMemcpyDtoHAsync_v2", to_host) &&
           l.find("cuModuleLoadData", load) && l.find("cuModuleUnload", unload) &&
           l.find("cuModuleGetFunction", function) && l.find("cuLaunchKernel", launch) &&
           l.find("cuGetErrorName", error_name) && l.find("cuGetErrorString", error_text);
  }
  std::string words(Status status) const {
    const char *name_of = nullptr, *text_of = nullptr;
    error_name(status, &name_of);
    error_text(status, &text_of);
    const std::string text = text_of != nullptr ? text_of : "unknown error";
    return text + " (" + (name_of != nullptr ? name_of : std::to_string(status)) + ")";
  }
  int attribute_of(Ordinal device, int what) const {
    int value = 0;
    return attribute(&value, what, device) == success ? value : 0;
  }
};

class Cuda final : public Device {
 public:
  Cuda(const Api& api, const Nvrtc& nvrtc, Ordinal device, unsigned number, bool use_environment)
      : api_(api),
        nvrtc_(nvrtc),
        use_environment_(use_environment),
        cache_(use_environment ? gate::kernel_cache_folder() : ""),
        ordinal_(device) {
    char text[256] = "";
    api.name(text, sizeof text, device);
    size_t bytes = 0;
    api.memory(&bytes, device);
    name_ = "cuda:" + std::to_string(number);
    description_ = text;
    dialect_ = Dialect::cuda;
    memory_ = bytes;
    units_ = static_cast<uint32_t>(std::max(1, api.attribute_of(device, attribute_units)));
    architecture_ = 10 * api.attribute_of(device, attribute_major) + api.attribute_of(device, attribute_minor);
    check("opening it", api.retain(&context_, device));
    Status status = api.set_current(context_);
    if (status == success) status = api.create_stream(&stream_, 0);
    if (status != success) api.release(device);
    check("opening its queue", status);
  }
  ~Cuda() override {
    api_.set_current(context_);
    api_.wait(stream_);
    blas_.reset();
    for (void* const mark : marks_) {
      if (mark != nullptr) api_.destroy_event(mark);
    }
    if (workspace_ != 0) api_.free(workspace_);
    api_.destroy_stream(stream_);
    api_.release(ordinal_);
  }
  int architecture() const { return architecture_; }

  Handle allocate(size_t bytes) override {
    enter();
    Pointer block = 0;
    return api_.allocate(&block, bytes) == success ? block : 0;
  }
  void release(Handle block) noexcept override {
    api_.set_current(context_);
    api_.free(block);
  }
  // Of memory that is not pinned the driver makes a copy before it comes back.
  void write(Handle to, size_t at, const void* from, size_t bytes) override {
    enter();
    check("copying to it", api_.to_device(to + at, from, bytes, stream_));
  }
  void read(void* to, Handle from, size_t at, size_t bytes) override {
    enter();
    check("copying from it", api_.to_host(to, from + at, bytes, stream_));
    wait();
  }
  std::unique_ptr<Module> load(const std::string& text) override;
  void launch(Function kernel, uint64_t groups, uint32_t group, std::span<const Argument> arguments) override {
    enter();
    void* pointers[128];
    if (arguments.size() > std::size(pointers)) fail(message("internal"), {"a kernel of too many parameters"});
    for (size_t i = 0; i < arguments.size(); ++i) pointers[i] = const_cast<void*>(arguments[i].data);
    check("launching a kernel", api_.launch(reinterpret_cast<void*>(kernel), static_cast<unsigned>(groups), 1, 1, group,
                                            1, 1, 0, stream_, pointers, nullptr));
    if (throttle_.marks()) mark();
  }
  void wait() override {
    enter();
    check("a kernel", api_.wait(stream_));
  }
  bool multiply(const Product& product) override {
    enter();
    if (!has_looked_for_blas_) open_blas();
    return blas_ != nullptr && blas_->multiply(product, workspace_, workspace_bytes_, stream_, name_);
  }

  void check(const char* what, Status status) const {
    if (status != success) fail(message("device_failed"), {what, name_, api_.words(status)});
  }
  const Api& api() const { return api_; }
  void* context() const { return context_; }
  void enter() const { check("entering it", api_.set_current(context_)); }

 private:
  void mark() {
    std::swap(marks_[0], marks_[1]);
    constexpr unsigned without_times = 2;
    if (marks_[1] == nullptr) check("marking a kernel", api_.create_event(&marks_[1], without_times));
    check("marking a kernel", api_.record(marks_[1], stream_));
    if (marks_[0] == nullptr) return;
    Status status = success;
    throttle_.wait([&] { status = api_.come_to(marks_[0]); });
    check("a kernel", status);
  }
  // What a product may need beside its operands; 32 MiB is what the library's documentation advises for large GPUs.
  void open_blas() {
    has_looked_for_blas_ = true;
    blas_ = Cublas::open(use_environment_);
    constexpr size_t wanted = 32 << 20;  // bytes; the library's documentation, as said above
    if (blas_ != nullptr && api_.allocate(&workspace_, wanted) == success) workspace_bytes_ = wanted;
  }

  const Api& api_;
  const Nvrtc& nvrtc_;
  const bool use_environment_;
  const std::string cache_;  // the folder of kernels
  const Ordinal ordinal_;
  int architecture_ = 0;
  void* context_ = nullptr;
  void* stream_ = nullptr;
  bool has_looked_for_blas_ = false;
  std::unique_ptr<Cublas> blas_;
  Pointer workspace_ = 0;
  size_t workspace_bytes_ = 0;
  LaunchThrottle throttle_;
  void* marks_[2] = {nullptr, nullptr};  // events, of the launch that was marked before the last one, and of that
};

class CudaModule final : public Module {
 public:
  CudaModule(const Cuda& device, void* module) : device_(device), module_(module) {}
  ~CudaModule() override {
    device_.api().set_current(device_.context());
    device_.api().unload(module_);
  }
  Function find(const std::string& name) override {
    device_.enter();
    void* function = nullptr;
    device_.check("finding a kernel", device_.api().function(&function, module_, name.c_str()));
    return reinterpret_cast<Function>(function);
  }

 private:
  const Cuda& device_;
  void* const module_;
};

std::unique_ptr<Module> Cuda::load(const std::string& text) {
  enter();
  const std::string key = nvrtc_.key(architecture_);
  void* module = nullptr;
  std::string image = gate::cached_kernel(cache_, key, text);
  if (!image.empty() && api_.load(&module, image.data()) == success) return std::make_unique<CudaModule>(*this, module);
  Nvrtc::Compiled compiled = nvrtc_.compile(text, architecture_, false);
  // An architecture that is newer than the compiler: the driver makes machine code of PTX.
  if (compiled.image.empty()) compiled = nvrtc_.compile(text, 90, true);
  if (compiled.image.empty())
    fail(message("device_failed"), {"compiling a kernel", name_, compiled.log.substr(0, 4000)});
  check("loading a kernel", api_.load(&module, compiled.image.data()));
  gate::cache_kernel(cache_, key, text, compiled.image);
  return std::make_unique<CudaModule>(*this, module);
}

const Api* load_api() {
  static const std::unique_ptr<const Api> api = []() -> std::unique_ptr<const Api> {
    static constexpr const char* names[] = {"libcuda.so.1"};
    gate::Library library = open_library(names, {});
    auto found = std::make_unique<Api>();
    if (!library || !found->open(library)) return nullptr;
    return found;
  }();
  return api.get();
}

}  // namespace

std::vector<std::unique_ptr<Device>> open_cuda(bool use_environment, std::string& reasons) {
  std::vector<std::unique_ptr<Device>> found;
  const auto note = [&](const std::string& reason) { reasons += (reasons.empty() ? "" : "; ") + reason; };
  const Api* api = load_api();
  if (api == nullptr) return note("no CUDA: there is no libcuda.so.1"), std::move(found);
  if (const Status status = api->init(0); status != success)
    return note("no CUDA: " + api->words(status)), std::move(found);
  std::string reason;
  const Nvrtc* nvrtc = Nvrtc::open(use_environment, reason);
  if (nvrtc == nullptr) return note("no CUDA: " + reason), std::move(found);
  int count = 0;
  if (api->count(&count) != success || count == 0) note("no CUDA: there is no GPU");
  for (int i = 0; i < count; ++i) {
    Ordinal device = 0;
    if (api->get(&device, i) != success) continue;
    try {
      auto opened = std::make_unique<Cuda>(*api, *nvrtc, device, static_cast<unsigned>(found.size()), use_environment);
      if (opened->architecture() < oldest_architecture) {
        note(opened->description() + " is not used: it is older than Pascal");
      } else {
        found.push_back(std::move(opened));
      }
    } catch (const OpError& error) {
      note("a GPU is not used: " + error.message);
    }
  }
  return found;
}

}  // namespace covec::device

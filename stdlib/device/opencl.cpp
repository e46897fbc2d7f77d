// Devices of OpenCL drivers, through the ICD loader, which is opened on request and never linked. A device is used only
// if it computes as Covec needs: f64, subnormal numbers, fused multiply-add, correctly rounded division and roots.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <optional>
#include <stdexcept>
#include <utility>

#include "stdlib/device/devices.hpp"
#include "stdlib/device/library.hpp"
#include "stdlib/gate/kernel_cache.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"

namespace covec::device {

namespace {

#define COVEC_OPENCL(see)                                                                                           \
  see(clGetPlatformIDs) see(clGetPlatformInfo) see(clGetDeviceIDs) see(clGetDeviceInfo) see(clCreateContext)        \
      see(clReleaseContext) see(clCreateCommandQueue) see(clReleaseCommandQueue) see(clCreateBuffer)                \
          see(clReleaseMemObject) see(clEnqueueWriteBuffer) see(clEnqueueReadBuffer) see(clCreateProgramWithSource) \
              see(clCreateProgramWithBinary) see(clGetProgramInfo) see(clBuildProgram) see(clGetProgramBuildInfo)   \
                  see(clReleaseProgram) see(clCreateKernel) see(clReleaseKernel) see(clSetKernelArg)                \
                      see(clEnqueueNDRangeKernel) see(clFinish) see(clFlush) see(clWaitForEvents) see(clReleaseEvent)

struct Api {
#define COVEC_MEMBER(name) decltype(&::name) name = nullptr;
  COVEC_OPENCL(COVEC_MEMBER)
#undef COVEC_MEMBER
};

// The library stays loaded: drivers keep threads of their own.
const Api* load_api(bool use_environment) {
  const auto open = [](const std::vector<std::string>& folders) -> std::optional<Api> {
    static constexpr const char* names[] = {"libOpenCL.so.1"};
    gate::Library library = open_library(names, folders);
    if (!library) return std::nullopt;
    Api found;
    bool all = true;
#define COVEC_LOAD(name) all = library.find(#name, found.name) && all;
    COVEC_OPENCL(COVEC_LOAD)
#undef COVEC_LOAD
    return all ? std::optional(found) : std::nullopt;
  };
  if (use_environment) {
    static const std::optional<Api> named = open(cuda_folders(true));
    return named ? &*named : nullptr;
  }
  static const std::optional<Api> usual = open(cuda_folders(false));
  return usual ? &*usual : nullptr;
}

const char* name_of_status(cl_int status) {
  switch (status) {
    case CL_DEVICE_NOT_FOUND: return "no device";
    case CL_DEVICE_NOT_AVAILABLE: return "the device is not available";
    case CL_COMPILER_NOT_AVAILABLE: return "the driver has no compiler";
    case CL_MEM_OBJECT_ALLOCATION_FAILURE: return "no memory for an object";
    case CL_OUT_OF_RESOURCES: return "out of resources";
    case CL_OUT_OF_HOST_MEMORY: return "the driver has no memory on the host";
    case CL_BUILD_PROGRAM_FAILURE: return "a kernel does not compile";
    case CL_INVALID_KERNEL_ARGS: return "invalid arguments";
    case CL_INVALID_WORK_GROUP_SIZE: return "invalid size of a group";
    default: return "error";
  }
}

std::string words_of(cl_int status) {
  return std::string(name_of_status(status)) + " (" + std::to_string(status) + ")";
}

template <class T>
T device_info(const Api& api, cl_device_id device, cl_device_info what) {
  T value{};
  return api.clGetDeviceInfo(device, what, sizeof value, &value, nullptr) == CL_SUCCESS ? value : T{};
}

std::string device_text(const Api& api, cl_device_id device, cl_device_info what) {
  size_t size = 0;
  if (api.clGetDeviceInfo(device, what, 0, nullptr, &size) != CL_SUCCESS || size == 0) return "";
  std::string text(size, '\0');
  if (api.clGetDeviceInfo(device, what, size, text.data(), nullptr) != CL_SUCCESS) return "";
  text.resize(size - 1);  // its zero
  return text;
}

class OpenCl final : public Device {
 public:
  OpenCl(const Api& api, cl_device_id device, unsigned number, std::string cache)
      : api_(api),
        cache_(std::move(cache)),
        device_(device),
        driver_(device_text(api, device, CL_DEVICE_NAME) + " " + device_text(api, device, CL_DEVICE_VERSION) + " " +
                device_text(api, device, CL_DRIVER_VERSION)) {
    name_ = "opencl:" + std::to_string(number);
    description_ = device_text(api, device, CL_DEVICE_NAME);
    dialect_ = Dialect::opencl;
    memory_ = device_info<cl_ulong>(api, device, CL_DEVICE_GLOBAL_MEM_SIZE);
    units_ = std::max<cl_uint>(1, device_info<cl_uint>(api, device, CL_DEVICE_MAX_COMPUTE_UNITS));
    cl_int status = CL_SUCCESS;
    context_ = api.clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
    check("opening it", status);
    queue_ = api.clCreateCommandQueue(context_, device, 0, &status);
    if (status != CL_SUCCESS) api.clReleaseContext(context_);
    check("opening its queue", status);
  }
  ~OpenCl() override {
    api_.clFinish(queue_);
    if (mark_ != nullptr) api_.clReleaseEvent(mark_);
    api_.clReleaseCommandQueue(queue_);
    api_.clReleaseContext(context_);
  }

  Handle allocate(size_t bytes) override {
    cl_int status = CL_SUCCESS;
    cl_mem block = api_.clCreateBuffer(context_, CL_MEM_READ_WRITE, bytes, nullptr, &status);
    return status == CL_SUCCESS ? reinterpret_cast<Handle>(block) : 0;
  }
  void release(Handle block) noexcept override { api_.clReleaseMemObject(memory_of(block)); }
  void write(Handle to, size_t at, const void* from, size_t bytes) override {
    check("copying to it",
          api_.clEnqueueWriteBuffer(queue_, memory_of(to), CL_TRUE, at, bytes, from, 0, nullptr, nullptr));
  }
  void read(void* to, Handle from, size_t at, size_t bytes) override {
    check("copying from it",
          api_.clEnqueueReadBuffer(queue_, memory_of(from), CL_TRUE, at, bytes, to, 0, nullptr, nullptr));
  }
  std::unique_ptr<Module> load(const std::string& text) override;
  void launch(Function kernel, uint64_t groups, uint32_t group, std::span<const Argument> arguments) override {
    const auto function = reinterpret_cast<cl_kernel>(kernel);
    for (cl_uint i = 0; i < arguments.size(); ++i) {
      static_assert(sizeof(cl_mem) == sizeof(Handle));
      check("an argument", api_.clSetKernelArg(function, i, arguments[i].bytes, arguments[i].data));
    }
    const size_t size = group, all = groups * size;
    const bool marks = throttle_.marks();
    cl_event mark = nullptr;
    check("launching a kernel",
          api_.clEnqueueNDRangeKernel(queue_, function, 1, nullptr, &all, &size, 0, nullptr, marks ? &mark : nullptr));
    if (marks) come_to(std::exchange(mark_, mark));
  }
  void wait() override { check("a kernel", api_.clFinish(queue_)); }

  void check(const char* what, cl_int status) const { fail_unless(status == CL_SUCCESS, what, words_of(status)); }
  void fail_unless(bool good, const char* what, const std::string& why) const {
    if (!good) fail(message("device_failed"), {what, name_, why});
  }
  const Api& api() const { return api_; }

 private:
  std::unique_ptr<Module> load_image(const std::string& image);
  std::string image_of(cl_program program) const;
  std::string build_log(cl_program program) const;
  void come_to(cl_event mark) {
    if (mark == nullptr) return;
    cl_int status = CL_SUCCESS;
    throttle_.wait([&] { status = api_.clWaitForEvents(1, &mark); });
    api_.clReleaseEvent(mark);
    check("a kernel", status);
  }
  static cl_mem memory_of(Handle handle) { return reinterpret_cast<cl_mem>(handle); }
  const Api& api_;
  const std::string cache_;  // the folder of kernels
  const cl_device_id device_;
  const std::string driver_;  // whose images are whose
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  LaunchThrottle throttle_;
  cl_event mark_ = nullptr;  // of the launch that was marked last
};

class OpenClModule final : public Module {
 public:
  OpenClModule(const OpenCl& device, cl_program program) : device_(device), program_(program) {}
  ~OpenClModule() override {
    for (const cl_kernel kernel : kernels_) device_.api().clReleaseKernel(kernel);
    device_.api().clReleaseProgram(program_);
  }
  Function find(const std::string& name) override {
    kernels_.reserve(kernels_.size() + 1);
    cl_int status = CL_SUCCESS;
    cl_kernel kernel = device_.api().clCreateKernel(program_, name.c_str(), &status);
    device_.check("finding a kernel", status);
    kernels_.push_back(kernel);
    return reinterpret_cast<Function>(kernel);
  }

 private:
  const OpenCl& device_;
  const cl_program program_;
  std::vector<cl_kernel> kernels_;
};

constexpr const char* options = "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt";

std::unique_ptr<Module> OpenCl::load(const std::string& text) {
  const std::string key = "opencl " + driver_ + " " + options;
  if (const std::string image = gate::cached_kernel(cache_, key, text); !image.empty()) {
    if (std::unique_ptr<Module> module = load_image(image)) return module;
  }
  const char* source = text.c_str();
  cl_int status = CL_SUCCESS;
  cl_program program = api_.clCreateProgramWithSource(context_, 1, &source, nullptr, &status);
  check("loading a kernel", status);
  auto module = std::make_unique<OpenClModule>(*this, program);
  status = api_.clBuildProgram(program, 1, &device_, options, nullptr, nullptr);
  fail_unless(status == CL_SUCCESS, "compiling a kernel", words_of(status) + "\n" + build_log(program).substr(0, 4000));
  if (!cache_.empty()) gate::cache_kernel(cache_, key, text, image_of(program));
  return module;
}

// Nullptr where the driver does not take it.
std::unique_ptr<Module> OpenCl::load_image(const std::string& image) {
  const size_t size = image.size();
  const auto* bytes = reinterpret_cast<const unsigned char*>(image.data());
  cl_int status = CL_SUCCESS;
  cl_program program = api_.clCreateProgramWithBinary(context_, 1, &device_, &size, &bytes, nullptr, &status);
  if (status != CL_SUCCESS) return nullptr;
  auto module = std::make_unique<OpenClModule>(*this, program);
  if (api_.clBuildProgram(program, 1, &device_, options, nullptr, nullptr) != CL_SUCCESS) return nullptr;
  return module;
}

std::string OpenCl::image_of(cl_program program) const {
  size_t size = 0;
  if (api_.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr) != CL_SUCCESS) return "";
  std::string image(size, '\0');
  char* bytes = image.data();
  if (api_.clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, nullptr) != CL_SUCCESS) return "";
  return image;
}

std::string OpenCl::build_log(cl_program program) const {
  size_t size = 0;
  api_.clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
  std::string log(size, '\0');
  api_.clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
  return log;
}

// PoCL keeps what it has compiled. For an image it would compile every kernel of the program once more, also those that
// are never launched. Its images are kept only on request.
std::string cache_of(const Api& api, cl_platform_id platform) {
  char name[64] = "";
  const bool has_name = api.clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, nullptr) == CL_SUCCESS;
  const bool is_pocl = has_name && std::string_view(name) == "Portable Computing Language";
  return is_pocl ? gate::named_kernel_cache_folder() : gate::kernel_cache_folder();
}

// What the device lacks, or "".
std::string missing(const Api& api, cl_device_id device) {
  const auto singles = device_info<cl_device_fp_config>(api, device, CL_DEVICE_SINGLE_FP_CONFIG);
  const auto doubles = device_info<cl_device_fp_config>(api, device, CL_DEVICE_DOUBLE_FP_CONFIG);
  if (!device_info<cl_bool>(api, device, CL_DEVICE_COMPILER_AVAILABLE)) return "its driver has no compiler";
  if (doubles == 0) return "it has no f64";
  if ((singles & CL_FP_DENORM) == 0 || (doubles & CL_FP_DENORM) == 0) return "it has no subnormal numbers";
  if ((singles & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) == 0) return "its division of f32 is not rounded correctly";
  if ((doubles & CL_FP_FMA) == 0) return "it has no fused multiply-add";
  return "";
}

}  // namespace

std::vector<std::unique_ptr<Device>> open_opencl(bool all, bool use_environment, std::string& reasons) {
  std::vector<std::unique_ptr<Device>> found;
  const auto note = [&](const std::string& reason) { reasons += (reasons.empty() ? "" : "; ") + reason; };
  const Api* api = load_api(use_environment);
  if (api == nullptr) {
    note("no OpenCL: there is no libOpenCL.so.1");
    return found;
  }
  cl_platform_id platforms[16];
  cl_uint platform_count = 0;
  if (api->clGetPlatformIDs(16, platforms, &platform_count) != CL_SUCCESS || platform_count == 0) {
    note("no OpenCL: it has no driver");
    return found;
  }
  const cl_device_type types = all ? CL_DEVICE_TYPE_ALL : CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR;
  for (cl_uint p = 0; p < std::min<cl_uint>(platform_count, 16); ++p) {
    cl_device_id devices[16];
    cl_uint device_count = 0;
    if (api->clGetDeviceIDs(platforms[p], types, 16, devices, &device_count) != CL_SUCCESS) continue;
    for (cl_uint d = 0; d < std::min<cl_uint>(device_count, 16); ++d) {
      const std::string lack = missing(*api, devices[d]);
      if (!lack.empty()) {
        note(device_text(*api, devices[d], CL_DEVICE_NAME) + " is not used: " + lack);
        continue;
      }
      try {
        found.push_back(std::make_unique<OpenCl>(*api, devices[d], static_cast<unsigned>(found.size()),
                                                 use_environment ? cache_of(*api, platforms[p]) : ""));
      } catch (const OpError& error) {
        note(device_text(*api, devices[d], CL_DEVICE_NAME) + " is not used: " + error.message);
      }
    }
  }
  if (found.empty()) note("no OpenCL: its drivers have no GPU that is used");
  return found;
}

}  // namespace covec::device

// ptx [FILE…]: CUDA C in FILE becomes PTX in FILE.80 and FILE.90, for sm_80 and sm_90, by NVRTC; exit status 77 where
// there is none. A start takes a third as long as a kernel, so one process compiles many. The errors of a text
// that does not compile are in FILE.80.errors. ptx --library: the text of the kernels that are no function's own.
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "jit/device/draw.hpp"
#include "jit/device/move.hpp"
#include "jit/source/device_library.hpp"
#include "stdlib/device/nvrtc.hpp"

int main(int argc, char** argv) {
  using namespace covec;
  if (argc > 1 && std::string(argv[1]) == "--library") {
    std::cout << source::device_prelude(device::Dialect::cuda);
    for (const Dtype dtype : {Dtype::f16, Dtype::bf16, Dtype::f32, Dtype::f64}) {
      std::cout << source::device_product(dtype, "product_" + std::string(name_of(dtype)));
      std::cout << source::device_nan_check(dtype, "nan_" + std::string(name_of(dtype)));
      if (!is_half(dtype)) std::cout << source::device_nan_repair(dtype, "nan_repair_" + std::string(name_of(dtype)));
    }
    for (const Dtype dtype :
         {Dtype::boolean, Dtype::i32, Dtype::i64, Dtype::f16, Dtype::bf16, Dtype::f32, Dtype::f64}) {
      std::cout << source::device_places(dtype, "places_" + std::string(name_of(dtype)));
    }
    for (const Dtype dtype : {Dtype::i32, Dtype::i64})
      std::cout << source::device_offsets(dtype, "offsets_" + std::string(name_of(dtype)));
    for (const Dtype dtype : {Dtype::bf16, Dtype::i64, Dtype::f32})
      std::cout << source::device_sort(dtype, "sort_" + std::string(name_of(dtype)));
    for (const Dtype dtype : {Dtype::boolean, Dtype::i64, Dtype::f32, Dtype::f64}) {
      const std::string name(name_of(dtype));
      std::cout << source::device_extreme_places(dtype, false, "argmax_" + name);
      std::cout << source::device_extreme_places(dtype, true, "argmin_" + name);
      if (dtype != Dtype::boolean) std::cout << source::device_scan(dtype, "scan_" + name);
      for (const bool smallest : {false, true})
        std::cout << source::device_running_extremes(dtype, smallest,
                                                     (smallest ? "running_min_" : "running_max_") + name);
    }
    for (const Dtype dtype : {Dtype::f16, Dtype::bf16, Dtype::f32, Dtype::f64}) {
      std::cout << runtime::draw_text(ops::Drawn::even, dtype, "even_" + std::string(name_of(dtype)));
      if (!is_half(dtype))
        std::cout << runtime::draw_text(ops::Drawn::normal, dtype, "normal_" + std::string(name_of(dtype)));
    }
    std::cout << runtime::draw_text(ops::Drawn::integers, Dtype::i64, "integers");
    for (const Dtype dtype : {Dtype::f32, Dtype::f64}) {
      std::cout << source::device_windows(dtype, "windows_" + std::string(name_of(dtype)));
      std::cout << source::device_pools(dtype, "pools_" + std::string(name_of(dtype)));
    }
    for (const Dtype dtype : {Dtype::f32, Dtype::f64}) {
      std::cout << source::device_wide_product(dtype, "wide_product_" + std::string(name_of(dtype)));
      std::cout << source::device_transposed_kernel(runtime::moving_kernel(dtype),
                                                    "move_" + std::string(name_of(dtype)));
    }
    for (const size_t bytes : {1, 2, 4, 8}) std::cout << source::device_copy(bytes, "copy_" + std::to_string(bytes));
    return 0;
  }
  std::string reason;
  const device::Nvrtc* nvrtc = device::Nvrtc::open(true, reason);
  if (nvrtc == nullptr) {
    std::cerr << reason << '\n';
    return 77;
  }
  for (int i = 1; i < argc; ++i) {
    const std::string path = argv[i];
    std::ifstream file(path);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    for (const int architecture : {80, 90}) {
      const auto compiled = nvrtc->compile(text, architecture, true);
      const std::string to = path + "." + std::to_string(architecture);
      if (compiled.image.empty())
        std::ofstream(to + ".errors") << compiled.log;
      else
        std::ofstream(to) << compiled.image;
    }
  }
  return 0;
}

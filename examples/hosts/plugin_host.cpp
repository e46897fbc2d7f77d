// Loads the plug-in of its argument, twice, and knows nothing of what is inside.
#include <dlfcn.h>

#include <cstddef>
#include <cstdio>

namespace {

template <class F>
F* find(void* library, const char* name) {
  return reinterpret_cast<F*>(dlsym(library, name));
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) return 2;
  for (int round = 0; round < 2; ++round) {
    void* library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      std::fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
    auto* open = find<void*(const char*, char*, std::size_t)>(library, "plugin_open");
    auto* process = find<int(void*, const float*, float*, std::size_t)>(library, "plugin_process");
    auto* close = find<void(void*)>(library, "plugin_close");
    char error[200] = "";
    if (open("fn process(x) = undefined * x", error, sizeof error) == nullptr) std::printf("wrong: %s\n", error);
    void* plugin = open("fn process(x) = tanh(x * 2.0)", error, sizeof error);
    const float in[4] = {-1.0f, 0.0f, 0.25f, 1.0f};
    float out[4] = {};
    if (plugin == nullptr || process(plugin, in, out, 4) != 0) return 1;
    std::printf("%.4f %.4f %.4f %.4f\n", out[0], out[1], out[2], out[3]);
    close(plugin);
    dlclose(library);
  }
}

// A plug-in with Covec inside: what loads it sees three C functions. It may be loaded and unloaded again and again, and
// beside others that have Covec in them.
#include <covec/covec.hpp>

namespace host = covec::host;

namespace {

struct Plugin {
  host::Session session{{.threads = 1}};
  host::Handle process;
};

}  // namespace

extern "C" {

// A program with a function process(x) of a block of samples; null where it has an error, whose text is stored.
__attribute__((visibility("default"))) void* plugin_open(const char* program, char* error, size_t room) {
  try {
    auto plugin = std::make_unique<Plugin>();
    plugin->session.run(program, "program").value();
    plugin->process = *plugin->session.compile(*plugin->session.get("process"));
    return plugin.release();
  } catch (const host::Exception& failed) {
    failed.error.message.copy(error, room - 1);
    error[std::min(failed.error.message.size(), room - 1)] = '\0';
  } catch (const std::exception& failed) {
    const std::string text = failed.what();
    error[text.copy(error, room - 1)] = '\0';
  }
  return nullptr;
}

// 0, or -1 where the program fails; `out` is as it was then.
__attribute__((visibility("default"))) int plugin_process(void* opened, const float* in, float* out, size_t count) {
  auto& plugin = *static_cast<Plugin*>(opened);
  const auto samples = plugin.session.lend<float>(std::span(in, count), {static_cast<int64_t>(count)});
  if (!samples) return -1;
  auto held = plugin.session.call(plugin.process, {*const_cast<host::Result<host::Handle>&>(samples)});
  if (!held) return -1;
  return covec_read(plugin.session.raw(), held->get(), COVEC_F32, out, count * sizeof(float)) == COVEC_OK ? 0 : -1;
}

__attribute__((visibility("default"))) void plugin_close(void* opened) { delete static_cast<Plugin*>(opened); }
}

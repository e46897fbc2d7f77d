// Jupyter starts the kernel by kernel.json: a Python that has ipykernel runs covec_kernel.py, which starts this
// command.
// ("python3" means the Python of Jupyter itself, where it has one of its own. The option spares a warning of
// ipykernel's debugger.)
#include "interpreter/notebook/jupyter.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <system_error>

#include "interpreter/notebook/json.hpp"
#include "interpreter/notebook/kernel_files.hpp"

namespace covec {

namespace fs = std::filesystem;

namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// "": there is no place for this user's data.
fs::path data_folder(bool user) {
  if (!user) return "/usr/local/share/jupyter";
  if (const std::string named = variable("JUPYTER_DATA_DIR"); !named.empty()) return named;
  if (const std::string data = variable("XDG_DATA_HOME"); !data.empty()) return fs::path(data) / "jupyter";
  const std::string home = variable("HOME");
  return home.empty() ? fs::path() : fs::path(home) / ".local/share/jupyter";
}

std::string kernel_json(const fs::path& folder) {
  const notebook::Json about = {{"argv",
                                 {"python3", "-Xfrozen_modules=off", (folder / "covec_kernel.py").string(),
                                  fs::read_symlink("/proc/self/exe").string(), "-f", "{connection_file}"}},
                                {"display_name", "Covec"},
                                {"language", "covec"},
                                {"interrupt_mode", "signal"}};
  constexpr int indent = 1;  // blanks; as Jupyter writes it
  return about.dump(indent) + "\n";
}

bool write(const fs::path& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) std::cerr << "error: cannot write " << path.string() << '\n';
  return static_cast<bool>(file);
}

}  // namespace

int install_jupyter_kernel(bool user) {
  const fs::path data = data_folder(user);
  if (data.empty()) {
    std::cerr << "error: there is no home folder: $JUPYTER_DATA_DIR names another\n";
    return 1;
  }
  const fs::path folder = fs::absolute(data / "kernels/covec");
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    std::cerr << "error: cannot make " << folder.string() << ": " << error.message() << '\n';
    if (!user) std::cerr << "  hint: `covec jupyter install --user` is for this user alone\n";
    return 1;
  }
  const bool written = write(folder / "covec_kernel.py", notebook::kernel_program) &&
                       write(folder / "logo-svg.svg", notebook::kernel_logo) &&
                       write(folder / "kernel.json", kernel_json(folder));
  if (written) std::cout << "Jupyter has the kernel \"Covec\" now: " << folder.string() << '\n';
  return written ? 0 : 1;
}

}  // namespace covec

#include "stdlib/gate/limited.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "stdlib/gate/system.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"

namespace covec::ops {

namespace {

constexpr const char* outside_reading = "it is outside the folders that this program may read";
constexpr const char* outside_writing = "it is outside the folders that this program may write";

uint32_t bit(Use use) { return 1u << static_cast<unsigned>(use); }

uint32_t uses_of(const Permissions& p) {
  const auto of = [](bool given, Use use) { return given ? bit(use) : 0; };
  return of(p.clock, Use::clock) | of(p.sleep, Use::sleep) | of(p.input, Use::input) | of(p.devices, Use::devices) |
         of(p.libraries, Use::libraries) | of(p.imports, Use::imports) | of(p.ranks, Use::ranks);
}

bool leads_out(int error) { return error == EXDEV || error == ELOOP; }

}  // namespace

LimitedGate::LimitedGate(const Permissions& permissions, bool by_kernel)
    : working_folder_(open_gate(false).working_folder()),
      by_kernel_(by_kernel),
      read_(open_roots(permissions.read)),
      write_(open_roots(permissions.write)),
      uses_(uses_of(permissions)),
      environment_(permissions.environment) {}

bool LimitedGate::allows(Use use) const { return (uses_ & bit(use)) != 0; }

LimitedGate::Path LimitedGate::absolute(const std::string& path) const {
  const std::string whole = path.starts_with('/') ? path : working_folder_ + "/" + path;
  Path parts;
  for (size_t begin = 0; begin <= whole.size();) {
    const size_t end = std::min(whole.find('/', begin), whole.size());
    std::string part = whole.substr(begin, end - begin);
    begin = end + 1;
    if (part.empty() || part == ".") continue;
    if (part != "..")
      parts.push_back(std::move(part));
    else if (!parts.empty())
      parts.pop_back();
  }
  return parts;
}

std::vector<LimitedGate::Root> LimitedGate::open_roots(const std::vector<std::string>& folders) const {
  std::vector<Root> roots;
  for (const std::string& name : folders) {
    Root root{absolute(name), gate::Folder::at(name)};
    if (!root.folder.is_open()) throw std::system_error(errno, std::generic_category(), name);
    roots.push_back(std::move(root));
  }
  // The innermost folder comes first: it may be reached by a link that the outer one does not follow.
  std::stable_sort(roots.begin(), roots.end(),
                   [](const Root& a, const Root& b) { return a.name.size() > b.name.size(); });
  return roots;
}

std::optional<LimitedGate::Inside> LimitedGate::find(const std::vector<Root>& roots, const Path& path) {
  for (const Root& root : roots) {
    if (root.name.size() > path.size() || !std::equal(root.name.begin(), root.name.end(), path.begin())) continue;
    std::string rest;
    for (size_t i = root.name.size(); i < path.size(); ++i) rest += (rest.empty() ? "" : "/") + path[i];
    return Inside{&root, std::move(rest)};
  }
  return std::nullopt;
}

gate::Descriptor LimitedGate::open_inside(const Inside& inside, int flags) const {
  return inside.root->folder.open_beneath(inside.path, flags, by_kernel_);
}

gate::Descriptor LimitedGate::open_to_read(const std::string& path) {
  const std::optional<Inside> inside = find(read_, absolute(path));
  if (!inside) fail(message("file_unreadable"), {path, outside_reading});
  gate::Descriptor opened = open_inside(*inside, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!opened.is_open() && leads_out(errno)) fail(message("file_unreadable"), {path, outside_reading});
  return opened;
}

Gate::WriteTarget LimitedGate::write_target(const std::string& path) {
  std::optional<Inside> inside = find(write_, absolute(path));
  if (!inside) fail(message("file_unwritable"), {path, outside_writing});
  const std::string folder = gate::folder_of(inside->path);
  WriteTarget place;
  place.name = inside->path.substr(folder.size());
  if (place.name.empty()) place.name = ".";  // the folder itself
  inside->path = folder.empty() ? "" : folder.substr(0, folder.size() - 1);
  place.folder = gate::Folder(open_inside(*inside, O_PATH | O_DIRECTORY));
  if (!place.folder.is_open() && leads_out(errno)) fail(message("file_unwritable"), {path, outside_writing});
  return place;
}

gate::Descriptor LimitedGate::open_module(const std::string& path) {
  const std::optional<Inside> inside = allows(Use::imports) ? find(read_, absolute(path)) : std::nullopt;
  errno = EACCES;
  return inside ? open_inside(*inside, O_RDONLY | O_NONBLOCK | O_NOCTTY) : gate::Descriptor();
}

std::optional<std::string> LimitedGate::module_key(const std::string& path) {
  const gate::Descriptor opened = open_module(path);
  struct stat facts {};
  if (!opened.is_open() || !opened.look_at(facts) || !S_ISREG(facts.st_mode)) return std::nullopt;
  return std::to_string(facts.st_dev) + ":" + std::to_string(facts.st_ino);
}

double LimitedGate::now(Clock clock) {
  require(Use::clock);
  return gate::seconds_of(clock);
}

Gate& closed_gate() {
  static LimitedGate gate{Permissions()};
  return gate;
}

}  // namespace covec::ops

// Open files and folders in memory, of which there is a limit apart from that of values. Start at give_file().
#include "stdlib/gate/descriptor.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <set>

#include "stdlib/gate/web/files.hpp"

namespace covec::gate {

namespace {

// Bytes of all files together, those of a page among them. Beyond them only a page gives more.
constexpr size_t largest_store = size_t{256} << 20;
constexpr size_t bytes_of_a_file = 512;  // upper estimate of what an empty one takes, with its name

// What all files take, with those that are open still.
size_t& taken() {
  static size_t bytes = 0;
  return bytes;
}

// A file's content counts as long as anybody holds it.
class Content {
 public:
  explicit Content(std::string bytes) : bytes_(std::move(bytes)) { taken() += bytes_of_a_file + bytes_.size(); }
  ~Content() { taken() -= bytes_of_a_file + bytes_.size(); }
  Content(const Content&) = delete;
  Content& operator=(const Content&) = delete;
  const std::string& all() const { return bytes_; }
  size_t size() const { return bytes_.size(); }
  // False: there is no room for so many.
  bool write(size_t offset, const char* from, size_t count) {
    const size_t end = offset + count, more = end > size() ? end - size() : 0;
    if (!has_room(more)) return false;
    // A quarter more than now, where std::string would take as much again: the bytes are there twice meanwhile.
    if (end > bytes_.capacity()) bytes_.reserve(std::max(end, size() + size() / 4));
    if (more > 0) bytes_.resize(end);
    taken() += more;
    std::memcpy(bytes_.data() + offset, from, count);
    return true;
  }
  static bool has_room(size_t more) { return taken() <= largest_store && more <= largest_store - taken(); }

 private:
  std::string bytes_;
};

using Bytes = std::shared_ptr<Content>;

// What is open reads on of a file that is replaced meanwhile.
struct Open {
  std::string path;
  Bytes bytes;  // nullptr: it is a folder
  uint64_t next = 0;
  bool is_used = false;
};

struct Store {
  std::map<std::string, Bytes, std::less<>> files;  // by whole path
  std::vector<Open> open;                           // by number
};

Store& store() {
  static Store all;
  return all;
}

Open& open_file(int number) { return store().open[static_cast<size_t>(number)]; }

Bytes bytes_at(std::string_view whole) {
  const auto found = store().files.find(whole);
  return found == store().files.end() ? nullptr : found->second;
}

// Files of which the name begins so.
template <class Each>
void each_beneath(const std::string& beginning, Each&& each) {
  const auto& files = store().files;
  for (auto at = files.lower_bound(beginning); at != files.end() && at->first.starts_with(beginning); ++at)
    each(std::string_view(at->first).substr(beginning.size()));
}

// Whether a part of the path before its last one is a file.
bool leads_through_file(const std::string& whole) {
  for (size_t slash = whole.find('/', 1); slash != whole.npos; slash = whole.find('/', slash + 1)) {
    if (bytes_at(std::string_view(whole).substr(0, slash)) != nullptr) return true;
  }
  return false;
}

std::string with_slash(std::string whole) { return whole == "/" ? whole : whole + "/"; }

}  // namespace

std::string whole_path(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const std::string_view part = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(path.size(), part.size() + 1));
    if (part.empty() || part == ".") continue;
    if (part != "..")
      parts.push_back(part);
    else if (!parts.empty())
      parts.pop_back();
  }
  std::string whole;
  for (const std::string_view part : parts) (whole += '/') += part;
  return whole.empty() ? "/" : whole;
}

void give_file(std::string_view path, std::string bytes) {
  store().files.insert_or_assign(whole_path(path), std::make_shared<Content>(std::move(bytes)));
}

void move_file(std::string_view from, std::string_view to) {
  Bytes bytes = bytes_at(whole_path(from));
  remove_file(from);
  store().files.insert_or_assign(whole_path(to), std::move(bytes));
}

void remove_file(std::string_view path) { store().files.erase(whole_path(path)); }

bool create_file(std::string_view path) {
  if (!Content::has_room(bytes_of_a_file)) {
    errno = ENOSPC;
    return false;
  }
  give_file(path, {});
  return true;
}

const std::string* file_at(std::string_view path) {
  const Bytes bytes = bytes_at(whole_path(path));
  return bytes == nullptr ? nullptr : &bytes->all();
}

bool is_folder(std::string_view path) {
  const std::string beginning = with_slash(whole_path(path));
  if (beginning == "/") return true;
  const auto first = store().files.lower_bound(beginning);
  return first != store().files.end() && first->first.starts_with(beginning);
}

std::vector<std::string> all_files() {
  std::vector<std::string> paths;
  for (const auto& [path, bytes] : store().files) paths.push_back(path);
  return paths;
}

std::vector<std::string> names_in(std::string_view path) {
  std::set<std::string, std::less<>> names;
  each_beneath(with_slash(whole_path(path)),
               [&](std::string_view rest) { names.emplace(rest.substr(0, rest.find('/'))); });
  return {names.begin(), names.end()};
}

Descriptor open_at(const std::string& path) {
  const std::string whole = whole_path(path);
  Bytes bytes = bytes_at(whole);
  const bool wants_folder = path.ends_with('/');
  if (path.empty() || (bytes == nullptr && !is_folder(whole)) || (bytes != nullptr && wants_folder)) {
    errno = bytes != nullptr || leads_through_file(whole) ? ENOTDIR : ENOENT;
    return {};
  }
  auto& open = store().open;
  const auto free = std::ranges::find(open, false, &Open::is_used);
  const auto number = static_cast<int>(free - open.begin());
  Open made{whole, std::move(bytes), 0, true};
  if (free == open.end())
    open.push_back(std::move(made));
  else
    *free = std::move(made);
  return Descriptor(number);
}

const std::string& path_of(const Descriptor& descriptor) { return open_file(descriptor.number()).path; }

bool Descriptor::close() {
  if (number_ >= 0) open_file(std::exchange(number_, -1)) = Open();
  return true;
}

int64_t Descriptor::read_at(uint64_t offset, void* to, size_t count) const {
  const Bytes& bytes = open_file(number_).bytes;
  if (bytes == nullptr) {
    errno = EISDIR;
    return -1;
  }
  if (offset >= bytes->size()) return 0;
  const size_t read = std::min<size_t>(count, bytes->size() - static_cast<size_t>(offset));
  std::memcpy(to, bytes->all().data() + offset, read);
  return static_cast<int64_t>(read);
}

int64_t Descriptor::write_at(uint64_t offset, const void* from, size_t count) const {
  const Bytes& bytes = open_file(number_).bytes;
  if (bytes == nullptr) {
    errno = EISDIR;
    return -1;
  }
  if (offset > largest_store || !bytes->write(static_cast<size_t>(offset), static_cast<const char*>(from), count)) {
    errno = ENOSPC;
    return -1;
  }
  return static_cast<int64_t>(count);
}

bool Descriptor::look_at(struct stat& facts) const {
  const Bytes& bytes = open_file(number_).bytes;
  facts = {};
  facts.st_mode = bytes == nullptr ? S_IFDIR : S_IFREG;
  if (bytes != nullptr) facts.st_size = static_cast<off_t>(bytes->size());
  return true;
}

bool Descriptor::set_mode(unsigned) const { return true; }

bool Descriptor::sync() const { return true; }

std::string reason_of(int code) {
  if (code != ENOSPC) return std::strerror(code);
  return "files have " + std::to_string(largest_store >> 20) +
         " MB of memory in a page, which are used up; loading the page again frees them";
}

int64_t read_next(int number, void* to, size_t count) {
  if (number < 0) {
    errno = EBADF;
    return -1;
  }
  Open& file = open_file(number);
  if (file.bytes == nullptr) {
    errno = EISDIR;
    return -1;
  }
  const size_t read = std::min<size_t>(count, file.bytes->size() - static_cast<size_t>(file.next));
  std::memcpy(to, file.bytes->all().data() + file.next, read);
  file.next += read;
  return static_cast<int64_t>(read);
}

}  // namespace covec::gate

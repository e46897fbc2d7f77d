// Reading checks, as the reference implementation does, that the tensors fill the data exactly: no hole, no overlap, no
// end elsewhere. Writing puts elements of 8 bytes first, then those of 4, then bools, so all lie at multiples of their
// size.
#include "stdlib/files/safetensors.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <unordered_set>

#include "stdlib/files/elements.hpp"
#include "stdlib/files/safetensors_header.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::files {

namespace {

constexpr uint64_t length_bytes = 8, max_header_bytes = 100'000'000;  // the reference's limit

class Reader {
 public:
  Reader(const File& file, const SafetensorsPart& part) : file_(file), part_(part) {}

  NamedTensors read() {
    const uint64_t length = header_length();
    SafetensorsHeader header = read_header(length);
    data_ = length_bytes + length;
    require_distinct(header);
    require_filled(header);
    if (part_.names) choose(header);
    for (const SafetensorsEntry& entry : header.entries) require_readable(entry);
    NamedTensors leaves;
    leaves.note = header.note;
    for (const SafetensorsEntry& entry : header.entries) leaves.tensors.emplace_back(entry.name, tensor(entry));
    return leaves;
  }

 private:
  [[noreturn]] void refuse(const SafetensorsEntry& entry, const std::string& why) const {
    fail_to_read(file_.path(), "the tensor " + shown(entry.name) + " " + why);
  }

  uint64_t header_length() const {
    unsigned char bytes[length_bytes];
    if (file_.size() < length_bytes) fail_to_read(file_.path(), "it is too short to be a .safetensors file");
    file_.read(0, bytes, sizeof bytes);
    uint64_t length = 0;
    for (size_t i = length_bytes; i-- > 0;) length = length << 8 | bytes[i];
    if (length > max_header_bytes || length > file_.size() - length_bytes)
      fail_damaged(file_.path(), 0, "its header claims " + std::to_string(length) + " bytes");
    return length;
  }

  SafetensorsHeader read_header(uint64_t length) const {
    const Scratch text(file_.pool(), length);
    file_.read(length_bytes, text.data(), length);
    if (!text.text().starts_with('{')) fail_damaged(file_.path(), length_bytes, "its header does not begin with {");
    return parse_safetensors_header(file_, length_bytes, text.text());
  }

  void require_distinct(const SafetensorsHeader& header) const {
    std::vector<std::string_view> names;
    for (const SafetensorsEntry& entry : header.entries) names.push_back(entry.name);
    std::sort(names.begin(), names.end());
    const auto twice = std::adjacent_find(names.begin(), names.end());
    if (twice != names.end()) fail_to_read(file_.path(), "the tensor " + shown(*twice) + " is there twice");
  }

  void require_filled(const SafetensorsHeader& header) const {
    std::vector<const SafetensorsEntry*> ordered;
    for (const SafetensorsEntry& entry : header.entries) ordered.push_back(&entry);
    std::sort(ordered.begin(), ordered.end(), [](auto* a, auto* b) { return a->offsets < b->offsets; });
    uint64_t at = 0;
    for (const SafetensorsEntry* entry : ordered) {
      if (entry->offsets[0] != at || entry->offsets[1] < at)
        refuse(*entry, "does not begin where the one before it ends, at " + std::to_string(at));
      at = entry->offsets[1];
    }
    if (at != file_.size() - data_)
      fail_damaged(
          file_.path(), data_,
          "its tensors have " + std::to_string(at) + " bytes, the file " + std::to_string(file_.size() - data_));
  }

  // Leaves the tensors that are asked for, in the file's order. The note tells of all, so the names make the tree.
  void choose(SafetensorsHeader& header) const {
    std::unordered_set<std::string_view> wanted(part_.names->begin(), part_.names->end());
    std::erase_if(header.entries, [&](const SafetensorsEntry& entry) { return wanted.erase(entry.name) == 0; });
    header.note.clear();
    for (const std::string& name : *part_.names) {
      if (wanted.contains(name)) fail_to_read(file_.path(), "it has no tensor " + shown(name));
    }
  }

  static std::optional<Stored> stored_of(const SafetensorsEntry& entry) { return stored_of_safetensors(entry.dtype); }

  static Shape shape_of_entry(const SafetensorsEntry& entry) {
    Shape shape;
    for (const uint64_t size : entry.shape) shape.push_back(Dim(static_cast<int64_t>(size)));
    return shape;
  }

  void require_readable(const SafetensorsEntry& entry) const {
    const std::optional<Stored> stored = stored_of(entry);
    if (!stored)
      refuse(entry, "has elements of " + shown(entry.dtype) + "; only bools, integers, floats and c64 are read");
    if (entry.shape.size() > max_rank) refuse(entry, "has a rank of more than " + std::to_string(max_rank));
    const auto past = [](uint64_t size) { return size >> 63 != 0; };
    uint64_t bytes = 0;
    if (std::any_of(entry.shape.begin(), entry.shape.end(), past) ||
        !files::bytes_of(*stored, shape_of_entry(entry), bytes) || bytes != entry.offsets[1] - entry.offsets[0])
      refuse(entry, "has another number of elements than its data_offsets leave room for");
  }

  void require_bools(const SafetensorsEntry& entry, uint64_t begin, uint64_t size) const {
    FileSource source(file_, begin, size);
    std::array<unsigned char, 4096> bytes;
    while (source.left() > 0) {
      const auto count = static_cast<size_t>(std::min<uint64_t>(bytes.size(), source.left()));
      source.read(bytes.data(), count);
      const auto wrong = std::find_if(bytes.data(), bytes.data() + count, [](unsigned char byte) { return byte > 1; });
      if (wrong != bytes.data() + count)
        refuse(entry, "has a byte of " + std::to_string(*wrong) + ", and bools are 0 or 1");
    }
  }

  RowBytes bytes_of(const SafetensorsEntry& entry) const {
    const uint64_t bytes = entry.offsets[1] - entry.offsets[0];
    if (!part_.rows) return {0, bytes, shape_of_entry(entry)};
    return bytes_of_rows(file_, "the tensor " + shown(entry.name), shape_of_entry(entry), bytes, *part_.rows);
  }

  Value tensor(const SafetensorsEntry& entry) const {
    const RowBytes bytes = bytes_of(entry);
    const uint64_t begin = data_ + entry.offsets[0] + bytes.offset;
    if (stored_of(entry) == Stored{Dtype::boolean}) require_bools(entry, begin, bytes.size);
    FileSource source(file_, begin, bytes.size);
    return read_elements(file_.pool(), source, *stored_of(entry), false, bytes.shape);
  }

  const File& file_;
  const SafetensorsPart& part_;
  uint64_t data_ = 0;  // where the elements begin
};

void append_json(std::string& text, std::string_view name) {
  constexpr std::string_view digits = "0123456789abcdef";
  text += '"';
  for (const char c : name) {
    if (c == '"' || c == '\\') text += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) {
      text += c;
    } else {
      text += "\\u00";
      text += digits[static_cast<unsigned char>(c) >> 4];
      text += digits[c & 15];
    }
  }
  text += '"';
}

// Where each tensor's elements begin; those of larger elements come first.
std::vector<uint64_t> places_of(const NamedTensors& leaves, const std::vector<size_t>& order) {
  std::vector<uint64_t> places(order.size());
  uint64_t at = 0;
  for (const size_t i : order) {
    places[i] = at;
    at += written_bytes(leaves.tensors[i].second, stored_of(leaves.tensors[i].second));
  }
  return places;
}

std::string header_of(const NamedTensors& leaves, const std::vector<uint64_t>& places) {
  std::string text = "{";
  if (!leaves.note.empty()) {
    text += "\"" + std::string(metadata_name) + "\":{\"" + std::string(note_name) + "\":";
    append_json(text, leaves.note);
    text += "},";
  }
  for (size_t i = 0; i < places.size(); ++i) {
    const auto& [name, tensor] = leaves.tensors[i];
    append_json(text, name);
    text += ":{\"dtype\":\"" + std::string(safetensors_name(stored_of(tensor))) + "\",\"shape\":[";
    for (const Dim size : shape_of(shaped_part(tensor))) text += std::to_string(size.number()) + ",";
    if (text.back() == ',') text.pop_back();
    text += "],\"data_offsets\":[" + std::to_string(places[i]) + "," +
            std::to_string(places[i] + written_bytes(tensor, stored_of(tensor))) + "]},";
  }
  if (text.back() == ',') text.pop_back();
  text += '}';
  text.append((length_bytes - text.size() % length_bytes) % length_bytes, ' ');
  return text;
}

}  // namespace

NamedTensors read_safetensors(const File& file, const SafetensorsPart& part) { return Reader(file, part).read(); }

void write_safetensors(AtomicFile& file, Pool& pool, const NamedTensors& leaves) {
  std::vector<size_t> order(leaves.tensors.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto width = [&](size_t i) { return size_of(stored_of(leaves.tensors[i].second)); };
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return width(a) > width(b); });
  for (const auto& leaf : leaves.tensors) {
    if (leaf.first == metadata_name) fail_to_write(file.path(), "a tensor cannot be named " + shown(metadata_name));
    if (safetensors_name(stored_of(leaf.second)).empty())
      fail_to_write(file.path(), shown(leaf.first) + " is c128, which the format does not have",
                    "a .npz file has it; or write c64(z), or the parts: {re: real(z), im: imag(z)}");
  }
  const std::string header = header_of(leaves, places_of(leaves, order));
  if (header.size() > max_header_bytes) fail_to_write(file.path(), "its header would be longer than 100 MB");
  std::string length;
  for (unsigned i = 0; i < length_bytes; ++i) length += static_cast<char>(uint64_t{header.size()} >> (8 * i) & 255);
  file.write(length);
  file.write(header);
  for (const size_t i : order) {
    const Value& tensor = leaves.tensors[i].second;
    write_elements(file, pool, tensor, stored_of(tensor));
  }
}

}  // namespace covec::files

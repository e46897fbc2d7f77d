// Reads the header's JSON event by event. No tree is built, so neither depth nor size of a hostile header costs more
// than its text. Start reading at Handler: which events may come where.
#include "stdlib/files/safetensors_header.hpp"

#include <nlohmann/json.hpp>
#include <set>
#include <utility>

namespace covec::files {

namespace {

class Handler final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Handler(SafetensorsHeader& header) : header_(header) {}
  const std::string& problem() const { return problem_; }
  size_t position() const { return position_; }

  bool start_object(size_t) override {
    if (place_ == Section::outside) return go(Section::top);
    if (place_ != Section::value) return unexpected("an object");
    if (name_ == metadata_name) {
      if (!std::exchange(has_metadata_, true)) return go(Section::metadata);
      problem_ = "its header has " + shown(name_) + " twice";
      return false;
    }
    header_.entries.push_back({name_, {}, {}, {}});
    seen_ = 0;
    return go(Section::entry);
  }

  bool key(string_t& name) override {
    if (place_ == Section::top) {
      name_ = name;
      return go(Section::value);
    }
    if (place_ == Section::metadata) {
      if (!metadata_keys_.insert(name).second) {
        problem_ = "its header has " + shown(name) + " in " + shown(name_) + " twice";
        return false;
      }
      is_note_ = name == note_name;
      return go(Section::metadata_value);
    }
    const std::string_view fields[] = {"dtype", "shape", "data_offsets"};
    const Section places[] = {Section::dtype, Section::shape, Section::offsets};
    for (unsigned i = 0; i < 3; ++i) {
      if (name != fields[i]) continue;
      if ((seen_ >> i & 1) != 0) return refuse("says " + name + " twice");
      seen_ |= 1u << i;
      return go(places[i]);
    }
    return refuse("has the field " + shown(name));
  }

  bool end_object() override {
    if (place_ == Section::top) return go(Section::outside);
    if (place_ == Section::entry && seen_ != 7) return refuse("lacks one of dtype, shape and data_offsets");
    return go(Section::top);
  }

  bool start_array(size_t) override {
    if (place_ == Section::shape) return go(Section::shape_items);
    if (place_ == Section::offsets) return go(Section::offset_items);
    return unexpected("an array");
  }
  bool end_array() override {
    if (place_ == Section::offset_items && entry().offsets.size() != 2) return refuse("needs two data_offsets");
    return go(Section::entry);
  }

  bool string(string_t& text) override {
    if (place_ == Section::metadata_value) {
      if (is_note_) header_.note = text;
      return go(Section::metadata);
    }
    if (place_ != Section::dtype) return unexpected("a string");
    entry().dtype = text;
    return go(Section::entry);
  }
  bool number_unsigned(number_unsigned_t number) override {
    if (place_ == Section::shape_items) {
      entry().shape.push_back(number);
    } else if (place_ == Section::offset_items) {
      entry().offsets.push_back(number);
    } else {
      return unexpected("a number");
    }
    return true;
  }
  bool number_integer(number_integer_t) override { return unexpected("a negative number"); }
  bool number_float(number_float_t, const string_t&) override { return unexpected("a number that is not an integer"); }
  bool null() override { return unexpected("null"); }
  bool boolean(bool) override { return unexpected("a boolean"); }
  bool binary(binary_t&) override { return unexpected("raw bytes"); }

  bool parse_error(size_t position, const std::string&, const nlohmann::detail::exception&) override {
    position_ = position;
    problem_ = "its header is not JSON in UTF-8";
    return false;
  }

 private:
  enum class Section : uint8_t {
    outside,
    top,
    value,  // of a name at the top
    metadata,
    metadata_value,
    entry,
    dtype,
    shape,
    shape_items,
    offsets,
    offset_items
  };

  bool go(Section place) {
    place_ = place;
    return true;
  }
  SafetensorsEntry& entry() { return header_.entries.back(); }
  bool refuse(const std::string& why) {
    problem_ = "the tensor " + shown(name_) + " " + why;
    return false;
  }
  bool unexpected(const std::string& what) {
    if (place_ == Section::outside || place_ == Section::top) {
      problem_ = "its header is " + what + ", not an object of tensors";
      return false;
    }
    problem_ = "its header has " + what + " in " + shown(name_) + ", where there should be none";
    return false;
  }

  SafetensorsHeader& header_;
  Section place_ = Section::outside;
  std::string name_;      // the last at the top
  unsigned seen_ = 0;     // fields of an entry, a bit each
  bool is_note_ = false;  // the metadata's value that comes
  bool has_metadata_ = false;
  std::set<std::string> metadata_keys_;
  std::string problem_;
  size_t position_ = 0;
};

}  // namespace

SafetensorsHeader parse_safetensors_header(const File& file, uint64_t offset, std::string_view text) {
  // The JSON reader takes a zero byte for the end of its text.
  if (const size_t zero = text.find('\0'); zero != std::string_view::npos)
    fail_damaged(file.path(), offset + zero, "its header has a zero byte");
  SafetensorsHeader header;
  Handler handler(header);
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &handler))
    fail_damaged(file.path(), offset + handler.position(), handler.problem());
  return header;
}

}  // namespace covec::files

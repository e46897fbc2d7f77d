// Bytes that travel between ranks: numbers and texts one after the other. All ranks run one program on machines of one
// byte order. A reader that finds less than it asks for throws std::runtime_error: that is a defect, or a damaged
// network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace covec::cluster {

class ByteWriter {
 public:
  template <class Number>
  void put(Number number) {
    static_assert(std::is_trivially_copyable_v<Number>);
    bytes_.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  void put_text(std::string_view text) {
    put(static_cast<uint64_t>(text.size()));
    bytes_.append(text);
  }
  void put_raw(const void* data, size_t bytes) { bytes_.append(static_cast<const char*>(data), bytes); }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : left_(bytes) {}
  template <class Number>
  Number get() {
    Number number;
    std::memcpy(&number, raw(sizeof number).data(), sizeof number);
    return number;
  }
  std::string_view get_text() { return raw(get<uint64_t>()); }
  std::string_view raw(uint64_t bytes) {
    if (bytes > left_.size()) throw std::runtime_error("ranks: a message is too short");
    const std::string_view taken = left_.substr(0, static_cast<size_t>(bytes));
    left_.remove_prefix(taken.size());
    return taken;
  }
  bool at_end() const { return left_.empty(); }

 private:
  std::string_view left_;
};

}  // namespace covec::cluster

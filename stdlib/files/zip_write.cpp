// Writes members one after the other, then the directory. The same content gives the same bytes: every member has the
// earliest time that the format allows, the beginning of 1980.
#include <zlib.h>

#include <algorithm>

#include "stdlib/files/zip.hpp"
#include "stdlib/files/zip_format.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"

namespace covec::files {

namespace {

using zip::append;

constexpr uint16_t first_date = 0x21;  // 1 January 1980, the first day that the format (MS-DOS) has
constexpr size_t checksum_at = 14;     // in the local header

class SummingSink final : public Sink {
 public:
  explicit SummingSink(Sink& to) : to_(to) {}
  void write(const void* data, size_t count) override {
    checksum_ = static_cast<uint32_t>(crc32_z(checksum_, static_cast<const Bytef*>(data), count));
    to_.write(data, count);
  }
  uint32_t checksum() const { return checksum_; }

 private:
  Sink& to_;
  uint32_t checksum_ = 0;
};

bool needs_zip64(uint64_t number) { return number >= zip::most32; }
uint64_t narrow(uint64_t number) { return needs_zip64(number) ? zip::most32 : number; }

// What the local header and the directory say alike: version, flags, method, time, checksum, sizes, length of the name.
std::string common_fields(const Member& member, bool zip64) {
  std::string text;
  append(text, zip64 ? 45 : 20, 2);
  const auto ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  append(text, std::all_of(member.name.begin(), member.name.end(), ascii) ? 0 : zip::utf8, 2);
  append(text, zip::stored, 2);
  append(text, 0, 2);
  append(text, first_date, 2);
  append(text, member.checksum, 4);
  append(text, narrow(member.size), 4);
  append(text, narrow(member.size), 4);
  append(text, member.name.size(), 2);
  return text;
}

std::string local_header(const Member& member) {
  const bool zip64 = needs_zip64(member.size);
  std::string text;
  append(text, zip::local_signature, 4);
  text += common_fields(member, zip64);
  append(text, zip64 ? 20 : 0, 2);
  text += member.name;
  if (!zip64) return text;
  append(text, zip::zip64_field, 2);
  append(text, 16, 2);
  append(text, member.size, 8);
  append(text, member.size, 8);
  return text;
}

std::string central_header(const Member& member) {
  std::string extra;
  if (needs_zip64(member.size)) {
    append(extra, member.size, 8);
    append(extra, member.size, 8);
  }
  if (needs_zip64(member.header)) append(extra, member.header, 8);
  std::string text;
  append(text, zip::central_signature, 4);
  append(text, extra.empty() ? 20 : 45, 2);
  text += common_fields(member, !extra.empty());
  append(text, extra.empty() ? 0 : extra.size() + 4, 2);
  text.append(10, '\0');  // no comment, first disk, no attributes
  append(text, narrow(member.header), 4);
  text += member.name;
  if (extra.empty()) return text;
  append(text, zip::zip64_field, 2);
  append(text, extra.size(), 2);
  return text + extra;
}

std::string zip64_end(uint64_t count, uint64_t begin, uint64_t end) {
  std::string text;
  append(text, zip::zip64_end_signature, 4);
  append(text, zip::zip64_end_bytes - 12, 8);
  append(text, 45, 2);
  append(text, 45, 2);
  append(text, 0, 8);  // one disk
  append(text, count, 8);
  append(text, count, 8);
  append(text, end - begin, 8);
  append(text, begin, 8);
  append(text, zip::zip64_locator_signature, 4);
  append(text, 0, 4);
  append(text, end, 8);
  append(text, 1, 4);
  return text;
}

}  // namespace

void ZipWriter::add(std::string name, uint64_t size, FunctionRef<void(Sink&)> put) {
  if (name.size() > longest_zip_text) fail_to_write(file_.path(), "the name " + shown(name) + " is too long");
  Member member{std::move(name), file_.position(), size, size, 0, zip::stored};
  file_.write(local_header(member));
  const uint64_t before = file_.position();
  SummingSink sink(file_);
  put(sink);
  if (file_.position() - before != size) covec::fail(message("internal"), {"a member of another size than was said"});
  member.checksum = sink.checksum();
  std::string checksum;
  append(checksum, member.checksum, 4);
  file_.patch(member.header + checksum_at, checksum.data(), checksum.size());
  members_.push_back(std::move(member));
}

void ZipWriter::finish(std::string_view comment) {
  const uint64_t begin = file_.position(), count = members_.size();
  for (const Member& member : members_) file_.write(central_header(member));
  const uint64_t end = file_.position();
  if (needs_zip64(end) || count >= zip::most16) file_.write(zip64_end(count, begin, end));
  std::string text;
  append(text, zip::end_signature, 4);
  append(text, 0, 4);
  const uint64_t shown_count = count >= zip::most16 ? zip::most16 : count;
  append(text, shown_count, 2);
  append(text, shown_count, 2);
  append(text, narrow(end - begin), 4);
  append(text, narrow(begin), 4);
  append(text, comment.size(), 2);
  file_.write(text);
  file_.write(comment);
}

}  // namespace covec::files

// Reads an archive from its end. The end record says where the directory is, and the directory says where the members
// are. Start reading at ZipReader's constructor.
#include <zlib.h>

#include <algorithm>
#include <cstring>

#include "stdlib/files/zip.hpp"
#include "stdlib/files/zip_format.hpp"

namespace covec::files {

namespace {

using zip::number;

// Sizes and offsets past 32 bits stand in an extra field, in this order, each only where its short form is all ones.
bool read_zip64(std::string_view extra, Member& member) {
  while (extra.size() >= 4) {
    const uint64_t id = number(extra, 0, 2);
    const auto length = static_cast<size_t>(number(extra, 2, 2));
    extra.remove_prefix(4);
    if (length > extra.size()) return false;
    if (id != zip::zip64_field) {
      extra.remove_prefix(length);
      continue;
    }
    std::string_view field = extra.substr(0, length);
    for (uint64_t* field64 : {&member.size, &member.packed, &member.header}) {
      if (*field64 != zip::most32) continue;
      if (field.size() < 8) return false;
      *field64 = number(field, 0, 8);
      field.remove_prefix(8);
    }
    return true;
  }
  return true;
}

class StoredSource final : public MemberSource {
 public:
  StoredSource(const File& file, const Member& member, uint64_t data) : MemberSource(file, member), data_(data) {}

 protected:
  void take(void* to, uint64_t count) override {
    file_.read(data_ + position(), to, count);
    sum(to, static_cast<size_t>(count));
  }

 private:
  uint64_t data_;
};

class DeflatedSource final : public MemberSource {
 public:
  DeflatedSource(const File& file, const Member& member, uint64_t data)
      : MemberSource(file, member), at_(data), left_(member.packed) {
    if (inflateInit2(&stream_, -MAX_WBITS) != Z_OK) require_memory(file.pool(), UINT64_MAX);
  }
  ~DeflatedSource() override { inflateEnd(&stream_); }

  void finish() override {
    unsigned char none = 0;
    if (!ended_) inflate_some(&none, 0);
    if (!ended_) fail("it unpacks to more than its size of " + std::to_string(size()) + " bytes");
    MemberSource::finish();
  }

 protected:
  void take(void* to, uint64_t count) override {
    constexpr uint64_t piece = uint64_t{1} << 20;  // bytes that are unpacked at a time
    auto* at = static_cast<unsigned char*>(to);
    while (count > 0) {
      const auto now = static_cast<size_t>(std::min(count, piece));
      const size_t got = inflate_some(at, now);
      sum(at, got);
      if (got < now) fail("it unpacks to less than its size of " + std::to_string(size()) + " bytes");
      at += got;
      count -= got;
    }
  }

 private:
  // Fills `to`, but for the end of the stream; how much was written.
  size_t inflate_some(unsigned char* to, size_t count) {
    unsigned char spare;  // an end that writes nothing more
    stream_.next_out = count > 0 ? to : &spare;
    stream_.avail_out = static_cast<uInt>(std::max<size_t>(count, 1));
    while (stream_.avail_out > 0 && !ended_) {
      if (stream_.avail_in == 0 && left_ > 0) refill();
      const int code = inflate(&stream_, Z_NO_FLUSH);  // even without more input: it may hold back output
      ended_ = code == Z_STREAM_END;
      if (code == Z_BUF_ERROR) fail("its packed bytes are cut off");
      if (code != Z_OK && !ended_) fail("its packed bytes are damaged");
    }
    return std::max<size_t>(count, 1) - stream_.avail_out;
  }

  void refill() {
    const auto now = static_cast<size_t>(std::min<uint64_t>(left_, sizeof input_));
    file_.read(at_, input_, now);
    at_ += now;
    left_ -= now;
    stream_.next_in = input_;
    stream_.avail_in = static_cast<uInt>(now);
  }

  z_stream stream_ = {};
  uint64_t at_, left_;  // packed bytes that are not read yet
  bool ended_ = false;
  unsigned char input_[size_t{1} << 16];
};

constexpr uint64_t max_packed(uint64_t packed) { return packed > UINT64_MAX / 2048 ? UINT64_MAX : packed * 1032 + 64; }

}  // namespace

void MemberSource::sum(const void* data, size_t count) {
  checksum_ = static_cast<uint32_t>(crc32_z(checksum_, static_cast<const Bytef*>(data), count));
}

void MemberSource::finish() {
  if (left() > 0) fail("it is longer than what it holds");
  if (checksum_ != member_.checksum) fail("its checksum does not match");
}

ZipReader::ZipReader(const File& file) : file_(file) {
  const Directory directory = find_directory();
  read_directory(directory);
  require_apart(directory.offset);
}

ZipReader::Directory ZipReader::find_directory() {
  const uint64_t whole = file_.size();
  const auto length = static_cast<size_t>(std::min<uint64_t>(whole, zip::end_bytes + longest_zip_text));
  std::string tail(length, '\0');
  file_.read(whole - length, tail.data(), length);
  for (size_t at = length < zip::end_bytes ? 0 : length - zip::end_bytes + 1; at-- > 0;) {
    if (number(tail, at, 4) != zip::end_signature) continue;
    if (number(tail, at + 20, 2) != length - at - zip::end_bytes) continue;
    comment_ = tail.substr(at + zip::end_bytes);
    Directory directory{number(tail, at + 16, 4), number(tail, at + 12, 4), number(tail, at + 10, 2)};
    const uint64_t end = whole - length + at;
    read_zip64_end(directory, end);
    if (directory.offset > end || directory.size > end - directory.offset)
      fail_damaged(file_.path(), end, "the directory of the archive lies outside of the file");
    return directory;
  }
  fail_to_read(file_.path(), "it is not a zip archive, or it is cut off: there is no directory at its end");
}

void ZipReader::read_zip64_end(Directory& directory, uint64_t end) const {
  if (directory.offset != zip::most32 && directory.size != zip::most32 && directory.count != zip::most16) return;
  if (end < zip::zip64_locator_bytes) return;
  std::string record(zip::zip64_locator_bytes, '\0');
  file_.read(end - record.size(), record.data(), record.size());
  if (number(record, 0, 4) != zip::zip64_locator_signature) return;
  const uint64_t at = number(record, 8, 8);
  if (at > end || end - at < zip::zip64_end_bytes)
    fail_damaged(file_.path(), end, "the directory of the archive lies outside of the file");
  record.resize(zip::zip64_end_bytes);
  file_.read(at, record.data(), record.size());
  if (number(record, 0, 4) != zip::zip64_end_signature)
    fail_damaged(file_.path(), at, "the end record of the archive is damaged");
  directory = {number(record, 48, 8), number(record, 40, 8), number(record, 32, 8)};
}

void ZipReader::read_directory(const Directory& directory) {
  const Scratch buffer(file_.pool(), directory.size);
  file_.read(directory.offset, buffer.data(), directory.size);
  std::string_view text = buffer.text();
  while (!text.empty()) {
    const uint64_t at = directory.offset + (directory.size - text.size());
    const auto damaged = [&] { fail_damaged(file_.path(), at, "the directory of the archive is damaged"); };
    if (text.size() < zip::central_bytes || number(text, 0, 4) != zip::central_signature) damaged();
    const uint64_t flags = number(text, 8, 2);
    const auto length_at = [&](size_t place) { return static_cast<size_t>(number(text, place, 2)); };
    const size_t name = length_at(28), extra = length_at(30);
    const size_t record = zip::central_bytes + name + extra + length_at(32);
    if (record > text.size()) damaged();
    Member member{std::string(text.substr(zip::central_bytes, name)),
                  number(text, 42, 4),
                  number(text, 20, 4),
                  number(text, 24, 4),
                  static_cast<uint32_t>(number(text, 16, 4)),
                  static_cast<uint16_t>(number(text, 10, 2))};
    if (!read_zip64(text.substr(zip::central_bytes + name, extra), member)) damaged();
    const auto refuse = [&](std::string why) {
      fail_damaged(file_.path(), at, "the member " + shown(member.name) + " " + why);
    };
    if (utf8_prefix(member.name) != member.name.size()) refuse("has a name that is not UTF-8");
    if ((flags & zip::encrypted) != 0) refuse("is encrypted");
    if (member.method != zip::stored && member.method != zip::deflated)
      refuse("is packed by method " + std::to_string(member.method) + "; stored and deflated members are read");
    if (member.method == zip::stored ? member.size != member.packed : member.size > max_packed(member.packed))
      refuse("claims " + std::to_string(member.size) + " bytes, too many for " + std::to_string(member.packed));
    members_.push_back(std::move(member));
    text.remove_prefix(record);
  }
  if (members_.size() != directory.count)
    fail_damaged(file_.path(), directory.offset, "the directory of the archive has another length than its end says");
}

void ZipReader::require_apart(uint64_t end) const {
  std::vector<const Member*> ordered;
  for (const Member& member : members_) ordered.push_back(&member);
  std::sort(ordered.begin(), ordered.end(), [](auto* a, auto* b) { return a->header < b->header; });
  for (size_t i = 0; i < ordered.size(); ++i) {
    const Member& member = *ordered[i];
    const uint64_t next = i + 1 < ordered.size() ? ordered[i + 1]->header : end;
    if (member.header > next || next - member.header < zip::local_bytes ||
        next - member.header - zip::local_bytes < member.packed) {
      fail_damaged(file_.path(), member.header, "the member " + shown(member.name) + " overlaps what follows");
    }
  }
}

std::unique_ptr<MemberSource> ZipReader::open(const Member& member) const {
  std::string local(zip::local_bytes, '\0');
  file_.read(member.header, local.data(), local.size());
  const uint64_t data = member.header + zip::local_bytes + number(local, 26, 2) + number(local, 28, 2);
  if (number(local, 0, 4) != zip::local_signature || data > file_.size() || file_.size() - data < member.packed)
    fail_damaged(file_.path(), member.header, "the member " + shown(member.name) + " has a damaged header");
  if (member.method == zip::stored) return std::make_unique<StoredSource>(file_, member, data);
  return std::make_unique<DeflatedSource>(file_, member, data);
}

}  // namespace covec::files

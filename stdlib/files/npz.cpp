// An archive whose every member is a .npy file.
#include "stdlib/files/npz.hpp"

#include <unordered_set>

#include "stdlib/files/npy.hpp"
#include "stdlib/files/zip.hpp"

namespace covec::files {

namespace {

constexpr std::string_view suffix = ".npy", note_mark = "covec:";

}  // namespace

NamedTensors read_npz(const File& file) {
  const ZipReader archive(file);
  NamedTensors leaves;
  leaves.has_bf16 = false;
  std::unordered_set<std::string_view> seen;
  for (const Member& member : archive.members()) {
    const std::string_view name = member.name;
    const auto refuse = [&](const char* why) {
      fail_damaged(file.path(), member.header, "the member " + shown(name) + " " + why);
    };
    if (!name.ends_with(suffix)) refuse("is not a .npy file");
    if (!seen.insert(name).second) refuse("is there twice");
    const auto source = archive.open(member);
    Value tensor = read_npy(file.pool(), *source);
    source->finish();
    leaves.tensors.emplace_back(name.substr(0, name.size() - suffix.size()), std::move(tensor));
  }
  if (archive.comment().starts_with(note_mark)) leaves.note = archive.comment().substr(note_mark.size());
  return leaves;
}

void write_npz(AtomicFile& file, Pool& pool, const NamedTensors& leaves) {
  const std::string comment = leaves.note.empty() ? std::string() : std::string(note_mark) + leaves.note;
  if (comment.size() > longest_zip_text)
    fail_to_write(file.path(), "the structure of this tree is too long for the comment of a .npz file",
                  "save it as .safetensors, or use records and tuples instead of lists");
  ZipWriter archive(file);
  for (const auto& leaf : leaves.tensors) {
    const Value& tensor = leaf.second;
    archive.add(leaf.first + std::string(suffix), npy_bytes(tensor),
                [&](Sink& sink) { write_npy(sink, pool, tensor); });
  }
  archive.finish(comment);
}

}  // namespace covec::files

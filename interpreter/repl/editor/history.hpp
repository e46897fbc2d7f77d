// The entries of earlier sessions and of this one, oldest first; an entry may have several lines. The file format is
// that of libedit, which many programs use. It has a first line, then one entry per line, with spaces and newlines as
// octal numbers. Entries are appended at once, so parallel sessions do not lose theirs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace covec::editor {

class History {
 public:
  explicit History(std::string path);  // "": not on disk
  size_t size() const { return entries_.size(); }
  const std::string& operator[](size_t i) const { return entries_[i]; }
  void add(const std::string& entry);
  // The nearest entry that has the text, from `from` on towards the older or newer ones.
  std::optional<size_t> find(std::string_view text, size_t from, bool older) const;
  const std::string& problem() const { return problem_; }  // why the file could not be written; "" if it could

 private:
  void load();
  void rewrite();
  void append(const std::string& line);

  std::string path_, problem_;
  std::vector<std::string> entries_;
};

std::string encoded(std::string_view entry);
std::string decoded(std::string_view line);

}  // namespace covec::editor

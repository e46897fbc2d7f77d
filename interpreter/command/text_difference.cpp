// The texts differ in blanks alone, so lines belong together where what is left of them is the same: no search for the
// shortest difference is needed. Start reading at unified_difference.
#include "interpreter/command/text_difference.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

namespace covec {

namespace {

constexpr size_t context_lines = 3;  // around a change

struct Edit {
  char sign;  // ' ', '-' or '+'
  std::string_view line;
};

// With their line ends.
std::vector<std::string_view> lines_in(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

std::string without_blanks(std::string_view line) {
  std::string rest;
  std::copy_if(line.begin(), line.end(), std::back_inserter(rest),
               [](char c) { return c != ' ' && c != '\t' && c != '\r' && c != '\n'; });
  return rest;
}

class LinePairs {
 public:
  LinePairs(std::string_view before, std::string_view after) : before_(lines_in(before)), after_(lines_in(after)) {}

  std::vector<Edit> edits() {
    while (i_ < before_.size() || j_ < after_.size()) {
      if (i_ < before_.size() && j_ < after_.size() && before_[i_] == after_[j_]) {
        flush();
        edits_.push_back({' ', before_[i_]});
        ++i_, ++j_;
      } else {
        take_changed();
      }
    }
    flush();
    return std::move(edits_);
  }

 private:
  // Lines of both sides that hold the same; one that is blank stands alone.
  void take_changed() {
    std::string removed, added;
    do {
      const bool from_before = j_ == after_.size() || (i_ < before_.size() && removed.size() <= added.size());
      if (from_before) {
        removed += without_blanks(before_[i_]);
        removed_.push_back({'-', before_[i_++]});
      } else {
        added += without_blanks(after_[j_]);
        added_.push_back({'+', after_[j_++]});
      }
    } while (removed != added && (i_ < before_.size() || j_ < after_.size()));
  }

  void flush() {
    edits_.insert(edits_.end(), removed_.begin(), removed_.end());
    edits_.insert(edits_.end(), added_.begin(), added_.end());
    removed_.clear();
    added_.clear();
  }

  std::vector<std::string_view> before_, after_;
  size_t i_ = 0, j_ = 0;
  std::vector<Edit> removed_, added_, edits_;
};

// Where the hunk that begins with the change at `first` ends: behind the context of its last change.
size_t end_of_hunk(const std::vector<Edit>& edits, size_t first) {
  size_t last = first;
  for (size_t at = first; at < edits.size() && at - last <= 2 * context_lines; ++at) {
    if (edits[at].sign != ' ') last = at;
  }
  return std::min(last + 1 + context_lines, edits.size());
}

std::string range_of(size_t lines_before, size_t count) {
  return std::to_string(count == 0 ? lines_before : lines_before + 1) + "," + std::to_string(count);
}

class HunkWriter {
 public:
  explicit HunkWriter(const std::vector<Edit>& edits) : edits_(edits) {}

  std::string text() {
    for (size_t at = 0; at < edits_.size();) {
      const auto change = std::find_if(edits_.begin() + static_cast<std::ptrdiff_t>(at), edits_.end(),
                                       [](const Edit& edit) { return edit.sign != ' '; });
      if (change == edits_.end()) break;
      const size_t first = static_cast<size_t>(change - edits_.begin());
      const size_t begin = std::max(at, first - std::min(first, context_lines));
      count(at, begin);
      at = end_of_hunk(edits_, first);
      write(begin, at);
    }
    return std::move(out_);
  }

 private:
  void count(size_t begin, size_t end) {
    for (size_t at = begin; at < end; ++at) {
      before_ += edits_[at].sign != '+';
      after_ += edits_[at].sign != '-';
    }
  }

  void write(size_t begin, size_t end) {
    const size_t before = before_, after = after_;
    count(begin, end);
    out_ += "@@ -" + range_of(before, before_ - before) + " +" + range_of(after, after_ - after) + " @@\n";
    for (size_t at = begin; at < end; ++at) {
      (out_ += edits_[at].sign) += edits_[at].line;
      if (!edits_[at].line.ends_with('\n')) out_ += "\n\\ No newline at end of file\n";
    }
  }

  const std::vector<Edit>& edits_;
  size_t before_ = 0, after_ = 0;  // lines that are behind
  std::string out_;
};

}  // namespace

std::string unified_difference(const std::string& name, std::string_view before, std::string_view after) {
  if (before == after) return {};
  const std::vector<Edit> edits = LinePairs(before, after).edits();
  return "--- " + name + "\n+++ " + name + "\n" + HunkWriter(edits).text();
}

}  // namespace covec

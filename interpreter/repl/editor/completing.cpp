// Tab: indents if only blanks stand before the cursor. Otherwise it inserts the common prefix of all candidates, and
// lists them if that adds nothing.
#include <algorithm>
#include <span>

#include "interpreter/repl/editor/clusters.hpp"
#include "interpreter/repl/editor/editor.hpp"

namespace covec::editor {

namespace {

constexpr size_t step = 4;  // spaces of an indentation

std::string common_prefix(const std::vector<std::string>& words) {
  std::string prefix = words.front();
  for (const std::string& word : words) {
    const auto differs = std::mismatch(prefix.begin(), prefix.end(), word.begin(), word.end()).first;
    prefix.erase(differs, prefix.end());
  }
  while (!prefix.empty() && next_cluster(prefix, previous_cluster(prefix, prefix.size())) != prefix.size())
    prefix.pop_back();
  return prefix;
}

std::string padded(const std::string& word, unsigned width) {
  return word + std::string(width - std::min(width, width_of(word)), ' ');
}

// The words in rows of equal columns.
std::string rows_of(std::span<const std::string> words, size_t columns, unsigned width) {
  std::string rows;
  for (size_t i = 0; i < words.size(); ++i) {
    const bool last = i + 1 == words.size() || (i + 1) % columns == 0;
    rows += last ? words[i] + "\r\n" : padded(words[i], width);
  }
  return rows;
}

}  // namespace

void Editor::complete() {
  const std::string_view line = buffer_.before().substr(buffer_.line_begin());
  if (line.find_first_not_of(" \t") == line.npos) return buffer_.insert(std::string(step - line.size() % step, ' '));
  const Completion completion = language_.complete(buffer_.before());
  if (completion.candidates.empty()) return write_to_terminal("\a");
  const size_t typed = buffer_.cursor() - completion.from;
  if (completion.candidates.size() == 1 &&
      !completion.candidates[0].starts_with(buffer_.before().substr(completion.from))) {
    buffer_.erase(completion.from, buffer_.cursor());
    return buffer_.insert(completion.candidates[0]);  // a letter in place of its name
  }
  const std::string prefix = common_prefix(completion.candidates);
  if (prefix.size() > typed) return buffer_.insert(std::string_view(prefix).substr(typed));
  if (completion.candidates.size() > 1) list(completion);
}

// In columns below the text, which is then drawn again below them; as many as the window holds.
void Editor::list(const Completion& completion) {
  const std::span<const std::string> all = completion.candidates;
  unsigned widest = 0;
  for (const std::string& word : all) widest = std::max(widest, width_of(word) + 2);
  const Size size = size_of_terminal();
  const size_t columns = std::max(1u, (size.columns - 1) / widest);
  const size_t shown = std::min(all.size(), columns * std::max(4u, size.rows - std::min(size.rows, 4u)));
  const size_t first = std::min(shown, completion.first);
  std::string out = rows_of(all.first(first), columns, widest);
  out += rows_of(all.subspan(first, shown - first), columns, widest);
  if (all.size() > shown) out += "… and " + std::to_string(all.size() - shown) + " more\r\n";
  screen_.leave();
  write_to_terminal(out);
}

}  // namespace covec::editor

#include "interpreter/repl/editor/buffer.hpp"

#include <algorithm>

#include "interpreter/repl/editor/clusters.hpp"

namespace covec::editor {

namespace {

size_t begin_of_line(std::string_view text, size_t at) {
  const size_t newline = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  return newline == std::string_view::npos ? 0 : newline + 1;
}

size_t end_of_line(std::string_view text, size_t at) { return std::min(text.find('\n', at), text.size()); }

}  // namespace

size_t Buffer::line_begin() const { return begin_of_line(now_.text, now_.cursor); }
size_t Buffer::line_end() const { return end_of_line(now_.text, now_.cursor); }

void Buffer::reset(std::string text) {
  now_.text = std::move(text);
  before_.clear();
  move_to(now_.text.size());
}

void Buffer::move_to(size_t place) {
  now_.cursor = place;
  column_.reset();
  typing_ = false;
}

void Buffer::left() { move_to(previous_cluster(now_.text, now_.cursor)); }
void Buffer::right() { move_to(next_cluster(now_.text, now_.cursor)); }

void Buffer::move_to_column(size_t line) {
  const unsigned wanted = column_.value_or(width_of(before().substr(line_begin())));
  const size_t end = end_of_line(now_.text, line);
  size_t at = line;
  for (unsigned column = 0; at < end;) {
    const Cluster cluster = cluster_at(now_.text, at, column);
    if (column + cluster.width > wanted) break;
    column += cluster.width;
    at += cluster.length;
  }
  move_to(at);
  column_ = wanted;
}

bool Buffer::up() {
  const size_t begin = line_begin();
  if (begin == 0) return false;
  move_to_column(begin_of_line(now_.text, begin - 1));
  return true;
}

bool Buffer::down() {
  if (on_last_line()) return false;
  move_to_column(line_end() + 1);
  return true;
}

void Buffer::about_to_change() {
  constexpr size_t most = 1000;  // changes that can be taken back
  if (before_.size() == most) before_.erase(before_.begin());
  before_.push_back(now_);
  column_.reset();
  typing_ = false;
}

void Buffer::insert(std::string_view text) {
  about_to_change();
  now_.text.insert(now_.cursor, text);
  now_.cursor += text.size();
}

void Buffer::type(std::string_view text) {
  if (typing_ && text != " ") {
    now_.text.insert(now_.cursor, text);
    now_.cursor += text.size();
  } else {
    insert(text);
  }
  typing_ = true;
}

void Buffer::erase(size_t begin, size_t end) {
  if (begin >= end) return;
  about_to_change();
  now_.text.erase(begin, end - begin);
  if (now_.cursor > begin) now_.cursor = now_.cursor >= end ? now_.cursor - (end - begin) : begin;
}

void Buffer::cut(size_t begin, size_t end) {
  if (begin >= end) return;
  cut_ = now_.text.substr(begin, end - begin);
  erase(begin, end);
}

// The characters before and at the cursor; at a line's end the last two.
void Buffer::transpose() {
  size_t middle = now_.cursor;
  if (middle == line_end()) middle = previous_cluster(now_.text, middle);
  const size_t begin = previous_cluster(now_.text, middle), end = next_cluster(now_.text, middle);
  if (middle <= line_begin() || middle == end || begin < line_begin()) return;
  about_to_change();
  std::rotate(now_.text.begin() + static_cast<long>(begin), now_.text.begin() + static_cast<long>(middle),
              now_.text.begin() + static_cast<long>(end));
  now_.cursor = end;
}

bool Buffer::undo() {
  if (before_.empty()) return false;
  now_ = std::move(before_.back());
  before_.pop_back();
  column_.reset();
  typing_ = false;
  return true;
}

}  // namespace covec::editor

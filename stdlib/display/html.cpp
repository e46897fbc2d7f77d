#include "stdlib/display/html.hpp"

#include <algorithm>
#include <climits>

#include "stdlib/canvas/svg.hpp"
#include "stdlib/plot/table.hpp"
#include "stdlib/tensor/print.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::display {

namespace {

// Rows and columns of a tensor that are shown, and columns of a table, or one more.
constexpr int64_t max_rows = 20, max_columns = 12;
constexpr size_t max_table_columns = 20;

std::string counted(int64_t count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

// Writes a table row by row. Each cell says how it is aligned: the pages of notebooks have styles of their own.
class Html {
 public:
  enum class Align : uint8_t { left, right, points };  // points: numbers padded so that their points lie in line

  void begin() { text_ += "<div class=\"covec tex2jax_ignore mathjax_ignore\">\n<table>\n"; }
  void begin_heads() { text_ += "<thead>\n"; }
  void end_heads() { text_ += "</thead>\n"; }
  void begin_row() { text_ += "<tr>"; }
  void head(std::string_view text, Align align) { cell("th", text, align); }
  void data(std::string_view text, Align align) { cell("td", text, align); }
  // Across the columns of a row.
  void data_across(std::string_view text, size_t columns) {
    text_ += "<td colspan=\"" + std::to_string(columns) + "\" style=\"text-align: left\">" + escaped(text) + "</td>";
  }
  void end_row() { text_ += "</tr>\n"; }
  std::string end(std::string_view below) {
    return std::move(text_) + "</table>\n<p>" + escaped(below) + "</p>\n</div>\n";
  }

 private:
  static std::string escaped(std::string_view text) { return plot::xml_escaped(text); }
  void cell(std::string_view tag, std::string_view text, Align align) {
    text_ += "<" + std::string(tag) + " style=\"text-align: " + (align == Align::left ? "left" : "right") +
             (tag == "th" ? "" : "; white-space: pre") + (align == Align::points ? "; font-family: monospace" : "") +
             "\">" + escaped(text) + "</" + std::string(tag) + ">";
  }

  std::string text_;
};

using Align = Html::Align;

// Which of `count` lines are shown: all, or as many from both ends. One alone is not left out: the mark has its size.
struct Shown {
  std::vector<int64_t> indices;
  size_t before_gap = SIZE_MAX;  // lines before those that are left out; SIZE_MAX: none are
  int64_t left_out = 0;
  Shown(int64_t count, int64_t most) {
    const bool is_cut = count > most + 1;
    const int64_t first = is_cut ? (most + 1) / 2 : count;
    for (int64_t i = 0; i < first; ++i) indices.push_back(i);
    if (!is_cut) return;
    before_gap = static_cast<size_t>(first);
    left_out = count - most;
    for (int64_t i = count - most / 2; i < count; ++i) indices.push_back(i);
  }
};

// --- tensors ---

// The last axis goes across, the others down: the head of a row is its indices. A vector is laid out in rows, whose
// heads are the index of their first element.
class TensorTable {
 public:
  TensorTable(const Value& value, const Tensor& tensor)
      : value_(value),
        tensor_(tensor),
        is_vector_(tensor.rank() == 1),
        across_(is_vector_ ? std::min(tensor.dim(0), max_columns) : tensor.dim(tensor.rank() - 1)),
        down_(is_vector_ ? (tensor.dim(0) + across_ - 1) / across_ : tensor.size() / across_),
        rows_(down_, max_rows),
        columns_(across_, max_columns) {}

  std::string text() {
    const std::vector<std::string> words = element_words(value_, places());
    html_.begin();
    if (!is_vector_) names_of_columns();
    size_t next = 0;
    for (size_t i = 0; i < rows_.indices.size(); ++i) {
      if (i == rows_.before_gap) gap();
      html_.begin_row();
      html_.head(name_of_row(rows_.indices[i]), Align::left);
      for (size_t k = 0; k < columns_.indices.size() && is_there(rows_.indices[i], columns_.indices[k]); ++k) {
        if (k == columns_.before_gap) html_.data("…", Align::left);
        html_.data(words[next++], Align::points);
      }
      html_.end_row();
    }
    return html_.end(below());
  }

 private:
  bool is_there(int64_t row, int64_t column) const { return row * across_ + column < tensor_.size(); }

  std::vector<int64_t> places() const {
    std::vector<int64_t> places;
    for (const int64_t row : rows_.indices) {
      for (const int64_t column : columns_.indices) {
        if (is_there(row, column)) places.push_back(row * across_ + column);
      }
    }
    return places;
  }

  void names_of_columns() {
    html_.begin_heads();
    html_.begin_row();
    html_.head("", Align::left);
    for (size_t k = 0; k < columns_.indices.size(); ++k) {
      if (k == columns_.before_gap) html_.head("…", Align::left);
      html_.head(std::to_string(columns_.indices[k]), Align::right);
    }
    html_.end_row();
    html_.end_heads();
  }

  std::string name_of_row(int64_t row) const {
    if (is_vector_) return std::to_string(row * across_);
    std::string name;
    for (unsigned axis = tensor_.rank() - 1; axis-- > 0;) {
      name.insert(0, std::to_string(row % tensor_.dim(axis)) + (name.empty() ? "" : ", "));
      row /= tensor_.dim(axis);
    }
    return name;
  }

  void gap() {
    html_.begin_row();
    html_.head("⋮", Align::left);
    html_.data_across(
        is_vector_ ? counted(rows_.left_out * across_, "more element") : counted(rows_.left_out, "more row"),
        columns_.indices.size() + (columns_.left_out > 0 ? 1 : 0));
    html_.end_row();
  }

  std::string below() const {
    return describe(value_) + (columns_.left_out > 0 ? ", " + counted(columns_.left_out, "column") + " not shown" : "");
  }

  const Value& value_;
  const Tensor& tensor_;
  const bool is_vector_;
  const int64_t across_, down_;  // elements of a row, and rows
  const Shown rows_, columns_;
  Html html_;
};

// --- tables ---

void put(Html& html, const plot::ShownTable& table, size_t line) {
  const bool is_head = line < 2;  // names, and kinds
  html.begin_row();
  html.head(is_head ? "" : std::to_string(table.rows[line - 2]), Align::left);
  const auto add = [&](const plot::ShownColumn& column) {
    const Align align = column.right ? Align::right : Align::left;
    is_head ? html.head(column.cells[line], align) : html.data(column.cells[line], align);
  };
  for (const plot::ShownColumn& column : table.left) add(column);
  if (table.hidden > 0) is_head ? html.head(line == 0 ? "…" : "", Align::left) : html.data("", Align::left);
  for (size_t i = table.right.size(); i-- > 0;) add(table.right[i]);
  html.end_row();
}

}  // namespace

std::optional<std::string> html_of_tensor(const Value& value) {
  const Value& part = is_complex(value) ? complex_of(value).re() : value;
  if (!part.is_tensor() || part.tensor().size() == 0) return std::nullopt;
  return TensorTable(value, part.tensor()).text();
}

std::string html_of_table(const Value& value) {
  const plot::ShownTable table = plot::shown_table(value, {plot::usual_rows, INT_MAX, max_table_columns});
  const size_t columns = table.left.size() + table.right.size() + (table.hidden > 0 ? 1 : 0);
  Html html;
  html.begin();
  html.begin_heads();
  for (size_t line = 0; line < table.rows.size() + 2; ++line) {
    put(html, table, line);
    if (line == 1) html.end_heads();
    if (line != static_cast<size_t>(table.head) + 1 || table.rows_left_out() == 0) continue;
    html.begin_row();
    html.head("⋮", Align::left);
    html.data_across(counted(table.rows_left_out(), "more row"), columns);
    html.end_row();
  }
  return html.end(table.sizes());
}

std::string html_of_picture(std::string_view svg) {
  return "<img alt=\"figure\" style=\"max-width: 100%\" src=\"data:image/svg+xml;base64," + plot::base64(svg) +
         "\"/>\n";
}

}  // namespace covec::display

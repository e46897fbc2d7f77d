// Reads and checks the fields of a record. A field that is missing, or none, has its default.
#pragma once

#include "stdlib/plot/figure.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::plot {

class Fields {
 public:
  // With a column, matrices are read as that column of theirs, and a list of labels as its item.
  Fields(const Value& record, std::string function, int64_t column = -1)
      : record_(record), function_(std::move(function)), column_(column) {}

  const std::string& function() const { return function_; }
  bool has_columns() const { return column_ >= 0; }
  const Value* find(std::string_view name) const;  // nullptr where it is none
  [[noreturn]] void refuse(std::string_view name, std::string_view must_be, std::string_view hint = {}) const;
  [[noreturn]] void fail(const std::string& what) const;

  std::string text(std::string_view name) const;
  std::string label() const;
  bool flag(std::string_view name, bool otherwise) const;
  double number(std::string_view name, double otherwise) const;  // finite
  double positive(std::string_view name, double otherwise) const;
  double share(std::string_view name, double otherwise) const;  // from 0 to 1
  std::optional<Color> color(std::string_view name) const;
  std::optional<std::pair<double, double>> pair(std::string_view name) const;  // of finite numbers that rise
  // One of some words: its number.
  std::optional<size_t> word(std::string_view name, std::span<const std::string_view> words) const;

  Numbers numbers(std::string_view name) const;  // a vector; a number is one of length 1
  Numbers vector(std::string_view name) const;   // must be there
  // Numbers, or dates as texts (then time is set), or other texts (then they are the names, and the numbers 0, 1, …).
  Numbers places(std::string_view name, bool& time, std::vector<std::string>* names) const;
  Grid matrix(std::string_view name, bool channels = false) const;

 private:
  std::string hint_for_word(std::string_view name, std::span<const std::string_view> words) const;
  std::optional<Numbers> vector_of(const Value& value) const;
  const Value& record_;
  std::string function_;
  int64_t column_;
};

// `a`, `b` or `c`.
std::string listed(std::span<const std::string_view> words);

}  // namespace covec::plot

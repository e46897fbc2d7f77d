// Writes the manual of the builtins from their entries: signature, documentation, examples, shapes, dtypes, derivative.
// It finds the argument and result types of a builtin by trying it on its samples, so the manual is never out of date.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "interpreter/session/session.hpp"
#include "stdlib/ops/contract/entry.hpp"

namespace covec {

class Manual {
 public:
  explicit Manual(SessionOptions options);

  // As a section of Markdown.
  std::string page(const ops::Entry& entry);
  std::optional<std::string> page(std::string_view builtin);  // nothing: there is no such
  // All of them, chapter by chapter, after an index.
  std::string book();
  // The table of operators: engine, derivative, batch, accuracy.
  std::string status() const;
  // For programs that write programs: a line for each builtin of tensors and each class of numbers, with what it gives
  // for a number, 3, 2 × 3 and 3 × 3 of them: "softmax/1 f64: - f64[3] f64[2,3] f64[3,3]".
  std::string words();
  // For editors: the keywords, and the names of builtins with what they are.
  static std::string tokens();

 private:
  std::string examples(const ops::Entry& entry);
  std::string shapes(const ops::Entry& entry);
  std::string dtypes(const ops::Entry& entry);
  std::string result_for(const ops::Entry& entry, const ops::Sample& sample, Dtype dtype);
  std::optional<Value> value_of(const std::string& text);

  Session session_;
};

}  // namespace covec

// Writes the manual of the builtins from their entries: signature, documentation, examples, shapes, dtypes, derivative.
// It finds the argument and result types of a builtin by trying it on its samples, so the manual is never out of date.
#pragma once

#include <string>

#include "interpreter/session/session.hpp"
#include "stdlib/ops/contract/entry.hpp"

namespace covec {

class Manual {
 public:
  explicit Manual(SessionOptions options);

  // As a section of Markdown.
  std::string page(const ops::Entry& entry);
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

// `covec doc [name]`: the book, or what it says of one builtin; of a module or a file what that says of itself.
struct DocRequest {
  std::string name;
  bool html = false;
  bool status = false, words = false, tokens = false;  // instead of the book
};
int run_doc(const DocRequest& request, SessionOptions options);

}  // namespace covec

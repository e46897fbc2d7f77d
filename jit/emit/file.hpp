// Collects the parts of the C file: its own functions, each written once, constant arrays, and error texts. Start at
// File.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "jit/emit/types.hpp"
#include "jit/loops/program.hpp"
#include "stdlib/ops/contract/entry.hpp"

namespace covec::emit {

struct Error {
  uint32_t place = Refusal::nowhere;
  std::string text;
};

class File {
 public:
  File(std::string name, ops::Builder& eager) : eager(eager), name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  // An elementwise operator on numbers of these dtypes: the function's name.
  std::string pointwise(const ops::Call& call, const std::vector<Dtype>& operands);
  // A number of another dtype, as conversions of the language round it.
  std::string converted(const std::string& number, Dtype from, Dtype to);
  // A function with this text, in which {NAME} is its name: covec_ and `name`. Equal ones are one.
  std::string function(const std::string& name, const std::string& text);
  // An array that holds the tensor's elements.
  std::string constant(const Value& tensor);
  // The number of the error, 1 and more.
  size_t error(uint32_t place, const std::string& text);

  // Its functions, and the arrays that `text`, which calls them, names.
  std::string definitions(const std::string& text) const;
  const std::vector<Error>& errors() const { return errors_; }

  ops::Builder& eager;  // computes what is known

 private:
  std::string fresh(const std::string& name);
  const std::string name_;
  std::string functions_;
  std::vector<std::pair<std::string, std::string>> constants_;  // their names and texts
  std::map<std::string, std::string> by_text_;                  // names
  std::map<std::string, size_t> uses_;                          // of a name
  std::vector<Error> errors_;
};

// A number that is known, as people write it.
std::string number_text(Dtype dtype, uint64_t bits);

// The function of doubles that rounds once (library.hpp).
inline constexpr const char* fma_name = "covec_fma";

}  // namespace covec::emit

// Names of NumPy, PyTorch, JAX, Julia, MATLAB and similar systems, and what is written here instead. One table serves
// unknown names, methods, attributes, keyword arguments, modules and statements. It is read only if there is an error.
// To add a habit, add a row in foreign_names.cpp or foreign_words.cpp and one in tests/hints/hints.txt; the test runs
// its suggestion.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace covec::foreign_syntax {

// Where a word stands. A name's row holds for methods and attributes of tensors, too, where they have none of their
// own.
enum class At : uint8_t {
  name,
  tensor,
  list,
  text,
  record,
  function,
  argument,
  annotation,
  decorator,
  statement,
  command,
  module,
  path,
  surplus,  // a builtin that is given more than it takes
  lacking   // or less than it needs
};

struct ForeignSyntax {
  At at;
  std::string_view word;
  std::string_view replacement;
};

// The rows, in two files: of At::name, and all others.
std::span<const ForeignSyntax> names();
std::span<const ForeignSyntax> words();

// "" where there is none.
std::string_view replacement(At at, std::string_view word);

std::string_view replacement_of_name(std::string_view word);
std::string_view replacement_of_method(At receiver, std::string_view word);  // or of an attribute

// `np.random.randn`: by its longest end that the table has. "" where no end is known.
std::string_view replacement_of_path(std::string_view path);
// The name that takes a word's place, of a replacement "write name"; "" of any other.
std::string_view single_word(std::string_view replacement);
bool is_foreign_module(std::string_view word);

}  // namespace covec::foreign_syntax

// Names of NumPy, PyTorch, JAX, Julia, MATLAB and similar systems, and what is written here instead. One table serves
// unknown names, methods, attributes, keyword arguments, modules and statements. It is read only if there is an error.
// To add a habit, add a row in habit_names.cpp or habit_words.cpp and one in tests/hints/hints.txt; the test runs its
// suggestion.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace covec::habits {

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
  surplus  // a builtin that is given more than it takes
};

struct Habit {
  At at;
  std::string_view word;
  std::string_view cure;
};

// The rows, in two files: of At::name, and all others.
std::span<const Habit> names();
std::span<const Habit> words();

// "" where there is none.
std::string_view cure(At at, std::string_view word);

std::string_view cure_of_name(std::string_view word);
std::string_view cure_of_method(At receiver, std::string_view word);  // or of an attribute

// `np.random.randn`: by its longest end that the table has. "" where no end is known.
std::string_view cure_of_path(std::string_view path);
bool is_foreign_module(std::string_view word);

}  // namespace covec::habits

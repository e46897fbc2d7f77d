#include "interpreter/repl/show_value.hpp"

#include <iostream>

#include "interpreter/repl/picture.hpp"
#include "stdlib/value/string.hpp"

namespace covec {

void show_value(const Session& session, const Console& console, const Value& value) {
  if (value.is(ObjectKind::string) && value.string().text.find('\n') != std::string::npos) {
    const std::string& text = value.string().text;
    std::cout << text << (text.ends_with('\n') ? "" : "\n");
  } else if (const std::optional<std::string> picture = picture_of(value, console.screen())) {
    std::cout << *picture << '\n';
  } else {
    std::cout << session.repr_of(value) << '\n';
  }
}

}  // namespace covec

#include "interpreter/command/shapes.hpp"

#include <charconv>
#include <iostream>

#include "frontend/resolve/definitions.hpp"
#include "interpreter/command/program_target.hpp"
#include "interpreter/command/sandbox.hpp"
#include "interpreter/compiler.hpp"
#include "interpreter/repl/streams.hpp"
#include "interpreter/session/stack.hpp"

namespace covec {

namespace {

uint32_t number(const std::string& word) {
  uint32_t value = 0;
  std::from_chars(word.data(), word.data() + word.size(), value);
  return value;
}

std::string shape_in(Session& session, const std::string& text, const std::vector<std::string>& words,
                     const Parts& parts) {
  const uint32_t file = session.sources().add(words[0], text);
  const std::string definitions = definitions_of(session.sources(), file, stack_left());
  if (words[0] != "-") session.stand_for(words[0]);
  session.run_text(words[0], definitions);
  const Value& function = function_named(session, words[1]);
  const ShapeQuestion question{
      words[2], {0, number(words[3]), number(words[4])}, number(words[5]), words[6] == "write"};
  const std::unique_ptr<Compiler> compiler = parts.make_compiler(session);
  std::string shape;
  session.within([&] { shape = parts.shape(*compiler, function, question); });
  return shape;
}

}  // namespace

int run_shapes(const std::vector<std::string>& words, SessionOptions options, const Parts& parts) {
  constexpr size_t fixed_words = 7;  // before the folders, as shapes.hpp says
  if (words.size() < fixed_words) return 2;
  const std::string text = program_on_standard_input();
  SandboxRequest request;
  request.read.assign(words.begin() + fixed_words, words.end());
  request.seconds = shapes_seconds;
  SilentOutput silent;
  options.output = &silent;
  options.input = nullptr;
  options.make_compiler = nullptr;
  confine(request, options);
  shut_in(request);
  Session session(std::move(options));
  try {
    std::cout << shape_in(session, text, words, parts) << '\n';
    return 0;
  } catch (const CovecError& error) {
    std::cerr << session.render(error);
    return 1;
  }
}

}  // namespace covec

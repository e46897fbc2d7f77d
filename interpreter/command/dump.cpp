#include "interpreter/command/dump.hpp"

#include <iostream>

#include "interpreter/command/program_target.hpp"
#include "interpreter/compiler.hpp"
#include "interpreter/repl/streams.hpp"
#include "stdlib/value/callable.hpp"

namespace covec {

namespace {

std::string dump_source(Session& session, const std::string& stage, const std::string& file, std::string text) {
  const uint32_t id = session.sources().add(file, std::move(text));
  if (stage == "ast") return dump_ast(session.sources(), id);
  ModuleScope scope;
  const auto unit = compile_unit(session.sources(), id, scope, session.names(), session.builtins());
  return dump_core(*unit);
}

// The program runs eagerly, and its function goes to a compiler of its own.
std::string dump_function(Session& session, const DumpRequest& request, const ProgramTarget& place,
                          const Parts& parts) {
  session.run_file(place.file);
  const Value function = function_named(session, place.function);
  const std::unique_ptr<Compiler> compiler = parts.make_compiler(session);
  return parts.dump(*compiler, function, request.stage, request.types);
}

}  // namespace

int run_dump(const DumpRequest& request, SessionOptions options, const Parts& parts) {
  const ProgramTarget place = split_target(request.place);
  SilentOutput silent;
  options.output = &silent;
  options.make_compiler = nullptr;
  Session session(std::move(options));
  try {
    if (request.stage == "ast" || request.stage == "core") {
      std::cout << dump_source(session, request.stage, place.file, program_in(place.file));
      return 0;
    }
    if (place.function.empty()) {
      std::cerr << "error: --" << request.stage << " needs a function: " << place.file << ":name\n";
      return 2;
    }
    std::cout << dump_function(session, request, place, parts);
    return 0;
  } catch (const CovecError& error) {
    std::cerr << session.render(error);
    return 1;
  }
}

}  // namespace covec

#include "interpreter/repl/dump.hpp"

#include <fstream>
#include <iostream>
#include <iterator>

namespace covec {

namespace {

struct Place {
  std::string file;
  std::string function;
};

Place split(const std::string& place) {
  const size_t colon = place.rfind(':');
  if (colon == std::string::npos || colon + 1 >= place.size()) return {place, ""};
  return {place.substr(0, colon), place.substr(colon + 1)};
}

std::string dump_source(Session& session, const std::string& stage, const std::string& file, std::string text) {
  const uint32_t id = session.sources().add(file, std::move(text));
  if (stage == "ast") return dump_ast(session.sources(), id);
  ModuleScope scope;
  const auto unit = compile_unit(session.sources(), id, scope, session.names(), session.builtins());
  return dump_core(*unit);
}

}  // namespace

int run_dump(const DumpRequest& request, SessionOptions options, DumpFunction dump_compiled) {
  const Place place = split(request.place);
  std::ifstream in(place.file, std::ios::binary);
  if (!in) {
    std::cerr << "error: cannot read " << place.file << '\n';
    return 1;
  }
  Session session(std::move(options));
  try {
    if (request.stage == "ast" || request.stage == "core") {
      std::cout << dump_source(session, request.stage, place.file, std::string(std::istreambuf_iterator<char>(in), {}));
      return 0;
    }
    if (place.function.empty()) {
      std::cerr << "error: --" << request.stage << " needs a function: " << place.file << ":name\n";
      return 2;
    }
    session.run_file(place.file);
    std::cout << dump_compiled(session, request.stage, place.function, request.types);
    return 0;
  } catch (const CovecError& error) {
    std::cerr << session.render(error);
    return 1;
  }
}

}  // namespace covec

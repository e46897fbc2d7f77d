#include "interpreter/repl/doc.hpp"

#include <iostream>
#include <optional>

#include "frontend/common/nearest.hpp"
#include "interpreter/assist/documentation.hpp"
#include "interpreter/assist/html.hpp"
#include "interpreter/assist/manual.hpp"
#include "interpreter/repl/help.hpp"
#include "interpreter/repl/streams.hpp"

namespace covec {

namespace {

int write(const DocRequest& request, const std::string& markdown) {
  std::cout << (request.html ? html_of(request.name.empty() ? "Covec" : request.name, markdown) : markdown);
  return 0;
}

int write_file(const DocRequest& request) {
  Session session;
  try {
    return write(request, documentation_of_text(session, request.name, program_in(request.name)));
  } catch (const CovecError& error) {
    std::cerr << session.render(error);
    return 1;
  }
}

}  // namespace

int run_doc(const DocRequest& request, SessionOptions options) {
  const std::string& name = request.name;
  if (name.ends_with(".covec")) return write_file(request);
  if (name.empty() && request.tokens) return write({}, Manual::tokens());
  Manual manual(std::move(options));
  if (name.empty() && request.words) return write({}, manual.words());
  if (name.empty() && request.status) return write(request, manual.status());
  if (name.empty()) return write(request, manual.book() + (request.html ? documentation_of_library() : ""));
  if (const auto page = manual.page(name)) return write(request, *page);
  const Session session;
  if (!request.html && Help(session).answer_of_module(name, true)) return 0;
  if (const auto page = request.html ? documentation_of_module(name) : std::nullopt) return write(request, *page);
  const std::string_view near = nearest_name(name, session.builtins().names());
  std::cerr << "error: there is no builtin or module " << name
            << (near.empty() ? "" : "; did you mean " + std::string(near) + "?") << '\n';
  return 1;
}

}  // namespace covec

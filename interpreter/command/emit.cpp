#include "interpreter/command/emit.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <system_error>

#include "interpreter/command/program_target.hpp"
#include "interpreter/compiler.hpp"
#include "stdlib/files/atomic.hpp"
#include "stdlib/value/callable.hpp"
#include "stdlib/value/tree.hpp"

namespace covec {

namespace {

// The derivative, in the program's own language.
Value derivative_of(Session& session, const std::string& derivative, const std::string& name, const Value& function) {
  if (derivative.empty()) return function;
  std::string text = derivative + "(" + name + ")";
  if (derivative == "vjp") {
    std::string arguments;
    for (const std::string_view parameter : function.function().parameter_names()) {
      arguments += std::string(parameter) + ", ";
    }
    text = "(" + arguments + "cotangent_) -> vjp(" + name + ", (" + arguments + "))[1](cotangent_)";
  }
  return *session.run_text("--" + derivative, text);
}

std::string place_text(const Session& session, Span span) {
  if (!span.known()) return "";
  const SourceFile& file = session.sources().file(span.file);
  const Position at = file.position(span.begin);
  return file.name() + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

std::string identifier(const std::string& name) {
  std::string text;
  for (const char c : name) text += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return text;
}

// The program runs eagerly; what its function becomes is made by a compiler of its own.
template <class Run>
int with_task(const EmitRequest& request, SessionOptions options, const Parts& parts, Run run) {
  const ProgramTarget place = split_target(request.place);
  if (place.function.empty()) {
    std::cerr << "error: emit needs a function: " << place.file << ":name\n";
    return 2;
  }
  SilentOutput silent;
  options.output = &silent;
  options.make_compiler = nullptr;
  Session session(std::move(options));
  try {
    session.run_file(place.file);
    EmitTask task;
    task.types_of = function_named(session, place.function);
    if (const Value* compiled = task.types_of.function().compiled_from()) task.types_of = Value(*compiled);
    task.function = derivative_of(session, request.derivative, place.function, task.types_of);
    task.cotangent = request.derivative == "vjp";
    task.types = request.types;
    task.name = identifier(place.function) + (request.derivative.empty() ? "" : "_" + request.derivative);
    task.origin =
        (request.derivative.empty() ? "" : request.derivative + " of ") + place.function + " in " + place.file;
    const std::unique_ptr<Compiler> compiler = parts.make_compiler(session);
    return run(session, *compiler, task, [&](Span span) { return place_text(session, span); });
  } catch (const CovecError& error) {
    std::cerr << session.render(error);
    return 1;
  } catch (const OpError& error) {  // of files
    std::cerr << "error: " << error.message << '\n';
    return 1;
  }
}

std::vector<Value> given_in(Session& session, const std::string& text) {
  if (text.empty()) return {};
  const std::optional<Value> value = session.run_text("--given", "(" + text + ",)");
  return *children(*value);
}

}  // namespace

int run_emit(const EmitRequest& request, SessionOptions options, const Parts& parts) {
  return with_task(request, std::move(options), parts,
                   [&](Session& session, Compiler& compiler, const EmitTask& task, PlaceText place) {
                     const EmittedFiles files = parts.emit(compiler, task, place);
                     // A folder that cannot be made cannot be written to: the next lines say so.
                     std::error_code ignored;
                     std::filesystem::create_directories(request.folder, ignored);
                     files::AtomicFile header(request.folder + "/" + files.name + ".h", session.context());
                     files::AtomicFile source(request.folder + "/" + files.name + ".c", session.context());
                     header.write(files.header);
                     source.write(files.source);
                     header.commit();
                     source.commit();
                     return 0;
                   });
}

int run_compare(const EmitRequest& request, SessionOptions options, const Parts& parts) {
  return with_task(request, std::move(options), parts,
                   [&](Session& session, Compiler& compiler, const EmitTask& task, PlaceText place) {
                     const EmitComparison compared = parts.compare(
                         compiler, task, place, {given_in(session, request.given), request.draws, request.build});
                     std::cout << compared.report;
                     return compared.same ? 0 : 1;
                   });
}

}  // namespace covec

#include "interpreter/session/definition.hpp"

#include "interpreter/eval/values/closure.hpp"

namespace covec {

std::optional<Definition> definition_of(const Session& session, const Value& function) {
  const Callable* callable = &function.function();
  while (const Value* from = callable->compiled_from()) callable = &from->function();
  if (callable->callable_kind != CallableKind::closure) return std::nullopt;
  const Span span = static_cast<const Closure*>(callable)->function.span;
  if (!span.known()) return std::nullopt;
  const SourceFile& file = session.sources().file(span.file);
  return Definition{file.name(), file.library(), static_cast<unsigned>(file.position(span.begin).line),
                    std::string(file.slice(span))};
}

}  // namespace covec

// explain(f): what was compiled, why, and what became of it.
#include <cstdio>

#include "jit/compiler/compiler.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::jit {

void JitCompiler::explain_cause(Specialization& made, const Value& function, std::span<const Value> args) const {
  const std::vector<std::string_view> names = function.function().parameter_names();
  for (size_t i = 0; i < args.size(); ++i) {
    if (i > 0) made.types += ", ";
    if (i < names.size()) made.types += std::string(names[i]) + ": ";
    made.types += describe_signature(args[i]);
  }
}

std::string JitCompiler::explain(const Value& function) {
  const Value& inner = is_compiled(function) ? static_cast<const Compiled&>(function.function()).function() : function;
  std::string text = inner.function().name() + ":\n";
  Signature wanted;
  Value copy = inner;
  wanted.add(copy);
  for (const auto& [hash, known] : known_) {
    for (const Specialization& made : known.made) {
      if (made.words.size() < wanted.words.size() ||
          !std::equal(wanted.words.begin(), wanted.words.end(), made.words.begin())) {
        continue;
      }
      text += "  for (" + made.types + ")\n";
      if (made.interpreted) {
        text += "    interpreted: " + made.reason + "\n";
        continue;
      }
      for (const ir::Graph::Unstaged& unstaged : made.graph->unstaged) {
        text += "    interpreted at " + walker_.place_text(unstaged.at) + ": " + unstaged.reason + "\n";
      }
      double total = 0;
      for (const PassTime& time : made.times) total += time.microseconds;
      char line[128];
      std::snprintf(line, sizeof line, "    compiled in %.0f us, %zu bytes of code, %zu kernels\n", total,
                    made.code_bytes, made.plan->program.kernels.size());
      text += line;
    }
  }
  return text;
}

}  // namespace covec::jit

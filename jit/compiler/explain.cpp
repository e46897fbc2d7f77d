// explain(f): for each compilation its key and why it was made, what it took, then the kernels with what was fused and
// why fusion stopped, the steps that are calls of library code, and what the interpreter still does.
#include <cstdio>
#include <map>

#include "jit/compiler/compiler.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::jit {

namespace {

const char* said(loops::Boundary boundary) {
  switch (boundary) {
    case loops::Boundary::none: return "";
    case loops::Boundary::elsewhere: return "its operands are made by other than elementwise operations";
    case loops::Boundary::order: return "an effect or a possible failure lies between";
    case loops::Boundary::placement: return "something between needs its result";
    case loops::Boundary::shape: return "a result is needed in a shape of its own";
    case loops::Boundary::inputs: return "it would read too many arrays";
    case loops::Boundary::size: return "the kernel would be too large";
  }
  return "";
}

std::string plural(size_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

void JitCompiler::explain_cause(Specialization& made, const Value& function, std::span<const Value> args) const {
  const std::vector<std::string_view> names = function.function().parameter_names();
  const Specialization* nearest = nullptr;
  size_t most = 0;
  for (size_t i = 0; i < args.size(); ++i) {
    made.argument_types.push_back((i < names.size() ? std::string(names[i]) + ": " : "") + describe_signature(args[i]));
    made.types += (i > 0 ? ", " : "") + made.argument_types.back();
  }
  for (const auto& [hash, others] : known_) {
    for (const Specialization& other : others.made) {
      if (&other == &made || other.name != made.name || other.argument_types.size() != made.argument_types.size())
        continue;
      size_t same = 1;
      for (size_t i = 0; i < args.size(); ++i) same += other.argument_types[i] == made.argument_types[i];
      if (same > most) {
        most = same;
        nearest = &other;
      }
    }
  }
  if (nearest == nullptr) {
    made.cause = "the first call";
    return;
  }
  for (size_t i = 0; i < args.size(); ++i) {
    if (nearest->argument_types[i] == made.argument_types[i]) continue;
    made.cause += (made.cause.empty() ? "" : "; ") + made.argument_types[i] + " after " + nearest->argument_types[i];
  }
  if (made.cause.empty()) made.cause = "what it captures or a module-level name has changed";
}

std::string JitCompiler::explain(const Value& function) {
  const Value& inner = is_compiled(function) ? static_cast<const Compiled&>(function.function()).function() : function;
  Signature wanted;
  wanted.add(inner);
  std::map<unsigned, const Specialization*> in_order;
  for (const auto& [hash, known] : known_) {
    for (const Specialization& made : known.made) {
      const bool mine = made.words.size() >= wanted.words.size() &&
                        std::equal(wanted.words.begin(), wanted.words.end(), made.words.begin());
      if (mine) in_order[made.number] = &made;
    }
  }
  std::string text = inner.function().name() + ": ";
  text +=
      in_order.empty() ? "not compiled yet (it is when it is called)" : "compiled " + plural(in_order.size(), "time");
  for (const auto& [number, made] : in_order) text += "\n" + explain(*made);
  return text;
}

std::string JitCompiler::explain(const Specialization& made) const {
  std::string text = "  for (" + made.types + "): " + made.cause + "\n";
  if (made.interpreted) return text + "    interpreted: " + made.reason + "\n";
  double total = 0;
  std::string passes;
  char number[64];
  for (const PassTime& time : made.times) {
    total += time.microseconds;
    std::snprintf(number, sizeof number, "%s %.0f", time.name.c_str(), time.microseconds);
    passes += (passes.empty() ? "" : ", ") + std::string(number);
  }
  std::snprintf(number, sizeof number, "%.0f", total);
  text += "    compiled in " + std::string(number) + " us (" + passes + "), " + std::to_string(made.code_bytes) +
          " bytes of code\n";
  for (const loops::Launch& launch : made.plan->launches) text += explain_kernel(made, launch);
  std::map<std::string, size_t> calls;
  for (const loops::Step& step : made.plan->steps) {
    if (step.kind == loops::Step::Kind::apply && !step.raises) ++calls[std::string(step.entry->name)];
  }
  if (!calls.empty()) {
    text += "    library calls:";
    for (const auto& [name, count] : calls) text += " " + name + (count > 1 ? " x" + std::to_string(count) : "");
    text += "\n";
  }
  for (const ir::Graph::Unstaged& unstaged : made.graph->unstaged) {
    text += "    interpreted at " + walker_.place_text(unstaged.at) + ": " + unstaged.reason + "\n";
  }
  return text;
}

std::string JitCompiler::explain_kernel(const Specialization& made, const loops::Launch& launch) const {
  std::string text = "    kernel " + std::to_string(launch.kernel) + ":", lines, last;
  std::string stopped;
  for (const loops::Launch::Member& member : launch.members) {
    text += " " + std::string(member.entry->name);
    const std::string place = walker_.place_text(made.graph->places[member.place].whole);
    if (place != last) lines += (lines.empty() ? "" : ", ") + place;
    last = place;
    if (const char* why = said(member.boundary); *why != 0 && member.boundary != loops::Boundary::elsewhere)
      stopped = why;
  }
  for (const loops::Launch::Reduction& reduction : launch.reductions)
    text += " | " + std::string(reduction.entry->name);
  text += "\n      from " + lines + "\n      over [";
  for (unsigned axis = 0; axis < launch.extents.rank(); ++axis) {
    text += (axis > 0 ? ", " : "") + ir::print(*made.graph, launch.extents[axis]);
  }
  text += "], " + std::to_string(launch.bytes_read) + " bytes read and " + std::to_string(launch.bytes_written) +
          " written, " + plural(launch.flops, "operation") + " for each element";
  if (!stopped.empty()) text += "\n      not fused further: " + stopped;
  return text + "\n";
}

}  // namespace covec::jit

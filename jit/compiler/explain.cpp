#include "jit/compiler/explain.hpp"

#include <cstdio>
#include <map>

#include "jit/compiler/stage.hpp"
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

std::string explain_kernel(const Walker& walker, const ir::Graph& graph, const loops::Launch& launch) {
  std::string text = "    kernel " + std::to_string(launch.kernel) + ":", lines, last;
  std::string stopped;
  for (const loops::Launch::Member& member : launch.members) {
    text += " " + std::string(member.entry->name);
    const std::string place = walker.place_text(graph.places[member.place].whole);
    if (place != last) lines += (lines.empty() ? "" : ", ") + place;
    last = place;
    if (const char* why = said(member.boundary); *why != 0 && member.boundary != loops::Boundary::elsewhere)
      stopped = why;
  }
  for (const loops::Launch::Reduction& reduction : launch.reductions)
    text += " | " + std::string(reduction.entry->name);
  text += "\n      from " + lines + "\n      over [";
  for (unsigned axis = 0; axis < launch.extents.rank(); ++axis) {
    text += (axis > 0 ? ", " : "") + ir::print(graph, launch.extents[axis]);
  }
  text += "], " + std::to_string(launch.bytes_read) + " bytes read and " + std::to_string(launch.bytes_written) +
          " written, " + plural(launch.flops, "operation") + " for each element";
  if (!stopped.empty()) text += "\n      not fused further: " + stopped;
  return text + "\n";
}

std::string times_text(const Code& code) {
  double total = 0;
  std::string passes;
  char number[64];
  for (const PassTime& time : code.times) {
    total += time.microseconds;
    std::snprintf(number, sizeof number, "%s %.0f", time.name.c_str(), time.microseconds);
    passes += (passes.empty() ? "" : ", ") + std::string(number);
  }
  std::snprintf(number, sizeof number, "%.0f", total);
  return "    compiled in " + std::string(number) + " us (" + passes + "), " + std::to_string(code.bytes) +
         " bytes of code\n";
}

std::string calls_text(const loops::Plan& plan) {
  std::map<std::string, size_t> calls;
  for (const loops::Step& step : plan.steps) {
    if (step.kind == loops::Step::Kind::apply && !step.raises) ++calls[std::string(step.entry->name)];
  }
  if (calls.empty()) return "";
  std::string text = "    library calls:";
  for (const auto& [name, count] : calls) text += " " + name + (count > 1 ? " x" + std::to_string(count) : "");
  return text + "\n";
}

std::string explain(const Walker& walker, const Specialization& made) {
  std::string text = "  for (" + made.types + "): " + made.cause + "\n";
  if (made.interpreted) return text + "    interpreted: " + made.reason + "\n";
  const ir::Graph& graph = *made.code.graph;
  text += times_text(made.code);
  for (const loops::Launch& launch : made.code.plan->launches) text += explain_kernel(walker, graph, launch);
  text += calls_text(*made.code.plan);
  for (const ir::Graph::Unstaged& unstaged : graph.unstaged) {
    text += "    interpreted at " + walker.place_text(unstaged.at) + ": " + unstaged.reason + "\n";
  }
  return text;
}

void add_types(Specialization& made, const Callable& function, std::span<const Value> args) {
  const std::vector<std::string_view> names = names_of_arguments(function);
  for (size_t i = 0; i < args.size(); ++i) {
    made.argument_types.push_back((i < names.size() ? std::string(names[i]) + ": " : "") + describe_signature(args[i]));
    made.types += (i > 0 ? ", " : "") + made.argument_types.back();
  }
}

// Another of that name whose arguments differ least.
const Specialization* nearest_to(const Specialization& made, const CodeTable& table) {
  const Specialization* nearest = nullptr;
  size_t most = 0;
  table.each([&](const Specialization& other) {
    const size_t arguments = made.argument_types.size();
    if (&other == &made || other.name != made.name || other.argument_types.size() != arguments) return;
    size_t same = 1;
    for (size_t i = 0; i < arguments; ++i) same += other.argument_types[i] == made.argument_types[i];
    if (same <= most) return;
    most = same;
    nearest = &other;
  });
  return nearest;
}

}  // namespace

void explain_cause(Specialization& made, const CodeTable& table, const Value& function, std::span<const Value> args) {
  add_types(made, function.function(), args);
  const Specialization* nearest = nearest_to(made, table);
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

std::string explain(const Walker& walker, const CodeTable& table, const Value& function) {
  Signature wanted;
  wanted.add(function);
  std::map<unsigned, const Specialization*> in_order;
  table.each([&](const Specialization& made) {
    const bool mine = made.words.size() >= wanted.words.size() &&
                      std::equal(wanted.words.begin(), wanted.words.end(), made.words.begin());
    if (mine) in_order[made.number] = &made;
  });
  std::string text = function.function().name() + ": ";
  text +=
      in_order.empty() ? "not compiled yet (it is when it is called)" : "compiled " + plural(in_order.size(), "time");
  for (const auto& [number, made] : in_order) text += "\n" + explain(walker, *made);
  return text;
}

}  // namespace covec::jit

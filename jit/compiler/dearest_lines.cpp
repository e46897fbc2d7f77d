#include "jit/compiler/dearest_lines.hpp"

#include <algorithm>
#include <map>

#include "jit/compiler/explain.hpp"
#include "jit/device/code.hpp"
#include "jit/explain/advice.hpp"
#include "jit/explain/loops_around.hpp"
#include "jit/explain/trial.hpp"
#include "stdlib/tensor/pool.hpp"

namespace covec::jit {

namespace {

// How an argument would be annotated that has the extents of the first call along these axes.
class Annotations {
 public:
  Annotations(const Specialization& made, bool has_sizes) : made_(made), has_sizes_(has_sizes) {}

  std::string operator()(const std::set<std::pair<ir::Id, uint32_t>>& axes) const {
    std::map<size_t, std::string> texts;  // by argument
    for (const auto& [parameter, axis] : axes) {
      const ir::FirstValue* const value = value_of(parameter);
      if (value == nullptr || !may_annotate(value->argument)) return "";
      texts.emplace(value->argument, "");
    }
    std::string all;
    for (auto& [argument, text] : texts) {
      text = annotated(argument, axes);
      if (text.empty()) return "";
      all += (all.empty() ? "`" : "` and `") + text;
    }
    constexpr size_t longest = 80;  // bytes of what one line may tell to write
    return all.size() > longest ? "the sizes of these arguments in annotations" : all + "`";
  }
  std::string name_of(ir::Id number) const {
    const ir::FirstValue* const value = value_of(number);
    if (value == nullptr || value->argument >= made_.cause.argument_types.size()) return "";
    const std::string& type = made_.cause.argument_types[value->argument];
    return type.ends_with(": i64") ? "`" + type.substr(0, type.find(':')) + "`" : "";
  }

 private:
  const ir::FirstValue* value_of(ir::Id parameter) const {
    const auto found = std::ranges::find(made_.first_values, parameter, &ir::FirstValue::parameter);
    return found == made_.first_values.end() ? nullptr : &*found;
  }
  // An argument with a name, of tensors, records and tuples of these.
  bool may_annotate(size_t argument) const {
    if (has_sizes_ || argument >= made_.cause.argument_types.size()) return false;
    const std::string& type = made_.cause.argument_types[argument];
    const auto has = [&](const char* part) { return type.find(part) != std::string::npos; };
    return has(": ") && !has("\"") && !has("…") && !has("list") && !has(": d ");
  }
  // The type as it is told, in which each `_` is an axis whose extent is not in the key.
  std::string annotated(size_t argument, const std::set<std::pair<ir::Id, uint32_t>>& axes) const {
    const ir::Graph& graph = *made_.code.graph;
    std::string text = made_.cause.argument_types[argument];
    size_t at = text.find(": ");
    for (const ir::FirstValue& value : made_.first_values) {
      if (value.argument != argument) continue;
      const Shape& shape = graph.values[value.parameter].type.shape;
      const auto leaf = static_cast<size_t>(&value - made_.first_values.data());
      const SmallExtents key = leaf < made_.key.extents.size() ? made_.key.extents[leaf] : 0;
      const auto rank = static_cast<unsigned>(value.extents.size());
      for (unsigned axis = 0; axis < rank; ++axis) {
        if (extent_in(key, rank - 1 - axis) != 0) continue;
        at = text.find('_', at + 1);
        if (at == std::string::npos) return "";
        const bool known = axis < shape.rank() && shape[axis].known();
        if (known || axes.contains({value.parameter, axis})) text.replace(at, 1, std::to_string(value.extents[axis]));
      }
    }
    return at == std::string::npos || text.find('_', at + 1) == std::string::npos ? text : "";
  }

  const Specialization& made_;
  const bool has_sizes_;  // the family has code for other sizes
};

constexpr double worthwhile = 0.7;    // of the time: advice that gains less is none
constexpr size_t longest_types = 48;  // bytes of types in a line with other things
constexpr const char* no_cure = "nothing to change: no other way to write it is known";

std::string to_do(std::string_view cure) { return cure.empty() ? no_cure : "to do: " + std::string(cure); }

// --- what one compilation says: the second line and the third ---

std::string of_device(const runtime::DeviceCode& code) {
  const std::string name = code.accelerator().device().name();
  const auto& fetched = code.tally.fetched;
  const auto most = std::ranges::max_element(fetched, {}, [](const auto& operators) { return operators.second.bytes; });
  if (most == fetched.end())
    return "nothing stands out: its kernels run on " + name + "\n  nothing to change: it is computed there";
  return "`" + most->first + "`, which the processor computes: " + human_bytes(most->second.bytes) + " fetched in " +
         plural(most->second.times, "call") + "\n  nothing to change: " + name + " does not compute it";
}

std::string of_interpreted(const Walker& walker, const Specialization& made) {
  const LeftOut* const worst = made.share.worst();
  const Span at = worst != nullptr ? worst->whole : made.reason_at;
  const std::string_view cure = cure_of(worst == nullptr || made.recursive ? made.reason : worst->reason);
  if (made.by_choice && cure.empty()) return "nothing stands out\n  nothing to change: compiled code would be slower";
  const std::string dearest =
      at.known() ? walker.place_text(at) + ": the interpreter runs it" : "all of it: the interpreter runs it";
  return dearest + "\n  " + to_do(cure);
}

// The operator of the program that a rule belongs to; the own call of the program, for a built-in module.
Span place_in_program(const RunHost& host, const ir::Graph& graph, const ir::SourcePlace& place) {
  const Span at = written_at(place);
  const std::optional<ProgramCall> call = host.call_of_program(graph, at, frame_of(graph, at, place.frame, true));
  const bool inside = call && std::ranges::any_of(graph.frames, [&](const ir::Frame& frame) {
                        return frame.site.file == call->site.file && frame.site.begin == call->site.begin;
                      });
  return inside ? call->site : at;
}

CodeLines lines_of(const RunHost& host, const Walker& walker, const Specialization& made, const Code& code) {
  return {walker, code, made.first_values,
          [&](const ir::Graph& graph, const ir::SourcePlace& place) { return place_in_program(host, graph, place); }};
}

std::string of_code(const RunHost& host, const Walker& walker, const Specialization& made, const CodeLines& lines,
                    bool has_sizes, const Roofline* roofline, size_t used) {
  const Line* const line = lines.dearest();
  const std::string text = dearest_text(walker, made.code, line, roofline, longest_line - used) + "\n  ";
  const Annotations annotations(made, has_sizes);
  const auto name_of = [&](ir::Id number) { return annotations.name_of(number); };
  const auto tried = [&](const FirstCall::Origins& sizes) -> std::optional<double> {
    const std::optional<Code> code = with_sizes(made.code, made.first_values, sizes);
    if (!code) return std::nullopt;
    const CodeLines then = lines_of(host, walker, made, *code);
    const Line* const found = then.like(*line);
    const bool of_numbers = found == nullptr || found->calls + found->kernels == 0;
    if (!of_numbers || then.ns() > worthwhile * lines.ns()) return std::nullopt;
    return found == nullptr ? 0 : found->ns;
  };
  const Advice advice(*made.code.graph, made.first_values, annotations, name_of, tried, made.code.lanes);
  return text + advice.text(line);
}

// Nobody knows how long it takes what the interpreter runs: it comes first.
bool has_interpreted(const Specialization& made) { return made.reads_interpreted() || !made.share.left_out.empty(); }

}  // namespace

std::string dearest_lines(const RunHost& host, const Walker& walker, std::span<const Specialization* const> all,
                          const Specialization* many, const Roofline* roofline) {
  const Specialization* dearest = all.front();
  std::optional<CodeLines> lines;
  double most = -1;
  for (const Specialization* made : all) {
    if (has_interpreted(*made) || made->code.device != nullptr) continue;
    CodeLines own = lines_of(host, walker, *made, made->code);
    const double ns = own.dearest() != nullptr ? own.dearest()->all() : 0;
    if (ns <= most) continue;
    most = ns;
    dearest = made;
    lines.emplace(std::move(own));
  }
  std::string text = "  dearest: ";
  if (all.size() > 1) text = "  dearest, for (" + shortened(dearest->cause.types, longest_types) + "): ";
  if (many != nullptr)
    return text + "calls with new types: the interpreter runs them\n  " + to_do(cure_of(many->reason)) + "\n";
  if (has_interpreted(*dearest)) return text + of_interpreted(walker, *dearest) + "\n";
  if (dearest->code.device != nullptr) return text + of_device(*dearest->code.device) + "\n";
  const auto of_family = [&](const Specialization* made) { return made->family == dearest->family; };
  const bool has_sizes = std::ranges::count_if(all, of_family) > 1;
  text += of_code(host, walker, *dearest, *lines, has_sizes, roofline, text.size()) + "\n";
  const std::string measuring = measuring_text(dearest->code, roofline);
  return measuring.empty() ? text : text + "  " + measuring + "\n";
}

}  // namespace covec::jit

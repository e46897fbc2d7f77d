#include "jit/explain/dearest.hpp"

#include <algorithm>

#include "jit/cost/cost_model.hpp"
#include "jit/explain/loops_around.hpp"
#include "jit/passes/analysis/costs.hpp"
#include "jit/passes/analysis/iterations.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/linalg/linalg.hpp"

namespace covec::jit {

namespace costs = passes::costs;
using ir::Kind;
using ir::Operation;

namespace {

constexpr unsigned max_instructions = 64;  // of an element: rare ways of long bodies are left to the library; roughly
constexpr double usual_elements = 32;      // of a tensor of which nothing is known

bool is_view(const ops::Entry* entry) {
  const ops::Handles& known = ops::handles();
  const ops::Entry* const all[] = {&known.reshape, &known.squeeze,    &known.unsqueeze, &known.permute,
                                   &known.narrow,  &known.index_read, &known.diagonal,  &known.broadcast_to};
  return std::ranges::find(all, entry) != std::end(all);
}

// The steps that the code calls, rare cases left out.
std::set<uint32_t> steps_called(const loops::Plan& plan) {
  std::set<uint32_t> called;
  const auto call = [&](uint32_t step) {
    called.insert(step);
    if (const auto* const tiles = plan.steps[step].get_if<loops::step::RunRowTiles>()) {
      for (const auto& member : plan.row_tiles[tiles->row_tiles].members) called.insert(member.step);
    }
    const auto* const run = plan.steps[step].get_if<loops::step::RunLaunch>();
    if (run != nullptr && plan.launches[run->launch].product != loops::Launch::nowhere)
      called.insert(plan.launches[run->launch].product);
  };
  size_t open = 0, cold = 0;  // Ifs; of these the outermost cold one, from 1
  for (const loops::Instruction& i : plan.program.code.instructions) {
    if (const auto* const branch = std::get_if<loops::instruction::If>(&i)) {
      ++open;
      if (branch->cold && cold == 0) cold = open;
    } else if (loops::is<loops::instruction::EndIf>(i)) {
      if (cold == open--) cold = 0;
    } else if (const auto* const step = std::get_if<loops::instruction::CallStep>(&i); step != nullptr && cold == 0) {
      call(step->step);
    }
  }
  return called;
}

}  // namespace

// Over one graph: that of the function, or of one that calls itself.
class CodeLines::Walk {
 public:
  Walk(CodeLines& lines, const Code& code, std::span<const ir::FirstValue> first, PlaceOf place_of)
      : lines_(lines),
        code_(code),
        graph_(*code.graph),
        plan_(*code.plan),
        first_(graph_, first),
        loops_around_(graph_),
        place_of_(place_of) {
    for (const uint32_t step : steps_called(plan_)) {
      const auto* const apply = plan_.steps[step].get_if<loops::step::Apply>();
      const auto* const run = plan_.steps[step].get_if<loops::step::RunLaunch>();
      if (plan_.steps[step].is<loops::step::RunVectorLoop>()) vectorized_.emplace(plan_.steps[step].place, step);
      if (apply != nullptr && apply->operation != nullptr) steps_.emplace(apply->operation->results[0], step);
      if (run == nullptr) continue;
      for (const loops::Launch::Member& member : plan_.launches[run->launch].members)
        steps_.emplace(member.value, step);
    }
  }

  void region(const ir::Region& region, const Loops& around) {
    for (const Operation& operation : region.operations) {
      if (!operation.regions.empty())
        nested(operation, around);
      else if (operation.kind == Kind::apply)
        apply(operation, around);
      else if (operation.kind == Kind::push)
        kept(operation, around);
    }
  }

 private:
  Span place_of(const Operation& operation) {
    const auto [found, is_new] = places_.try_emplace(operation.place);
    if (is_new) found->second = place_of_(graph_, graph_.places[operation.place]);
    return found->second;
  }
  bool is_number(const Value& value) const {
    return ir::is_symbol(value)
               ? !graph_.values[ir::id_of(value)].boxed && graph_.values[ir::id_of(value)].type.shape.empty()
               : !value.is_tensor();
  }

  // --- what has regions ---

  void nested(const Operation& operation, const Loops& around) {
    if (ir::is_loop(operation)) {
      const Loops inner{around.depth + 1, around.times * iterations_of(operation), place_of(operation)};
      if (around.depth == 0) inside_.clear();
      for (const ir::Region& each : operation.regions) region(each, inner);
      note_lanes(operation);
      if (around.depth == 0) note_loop(operation);
      const auto vectorized = vectorized_.find(operation.place);
      if (vectorized != vectorized_.end() && inner.innermost.known())
        note_time(line(inner.innermost, operation, inner), vectorized->second);
      return;
    }
    if (operation.kind == Kind::if_) {
      if (const std::optional<Value> taken = first_.number(operation.args[0]); taken && taken->tag() == Tag::boolean)
        return region(operation.regions[taken->boolean() ? 0 : 1], around);
      if (is_rare(operation)) return region(operation.regions[1], around);
    }
    for (const ir::Region& inner : operation.regions) region(inner, around);
  }
  // The time of a loop's iterations that run side by side is that of the dearest line in it, and so is that of an
  // outermost loop.
  void note_lanes(const Operation& loop) {
    if (code_.meter == nullptr || inside_.empty()) return;
    for (size_t step = 0; step < plan_.steps.size(); ++step) {
      if (plan_.steps[step].place == loop.place && plan_.steps[step].is<loops::step::RunLaneLoop>())
        note_time(dearest_inside(), step);
    }
  }
  Line& dearest_inside() const {
    return **std::ranges::max_element(inside_, {}, [](const Line* line) { return line->all(); });
  }
  void note_loop(const Operation& loop) {
    if (code_.meter == nullptr || inside_.empty()) return;
    const auto is_its = [&](const loops::Step& step) {
      return step.place == loop.place && step.is<loops::step::PollInterrupt>();
    };
    const auto found = std::ranges::find_if(plan_.steps, is_its);
    const auto poll = static_cast<size_t>(found - plan_.steps.begin());
    if (found == plan_.steps.end() || code_.meter->times_of_loop(poll) == 0) return;
    Line& dearest = dearest_inside();
    const double seconds = code_.meter->seconds_of_loop(poll);
    if (seconds > dearest.seconds) {
      dearest.loop_poll = poll;
      dearest.measured.reset();
    }
    dearest.seconds += seconds;
  }
  double iterations_of(const Operation& loop) const {
    const std::optional<Value> count = loop.kind == Kind::for_ ? first_.number(loop.args[0]) : std::nullopt;
    return count && count->tag() == Tag::i64 ? static_cast<double>(std::max<int64_t>(count->i64(), 0))
                                             : passes::usual_iterations;
  }
  // The library's way where a system of numbers is singular (scalarize.cpp).
  bool is_rare(const Operation& choice) const {
    return std::ranges::any_of(choice.regions[0].operations, [&](const Operation& operation) {
      return operation.kind == Kind::apply && passes::is_system(operation.entry) &&
             passes::why_not(graph_, evaluator_, operation) == passes::WhyNot::no_gain;
    });
  }

  // --- operations ---

  Line& line(Span at, const Operation& operation, const Loops& around) {
    Line& line = lines_.line(at, loop_of(operation, around), around.times);
    if (around.depth > 0) inside_.insert(&line);
    return line;
  }
  // As the program writes it. The inner ones of more than the graph has have been unrolled.
  Span loop_of(const Operation& operation, const Loops& around) {
    if (around.depth == 0) return {};
    const std::vector<Span>& written = loops_around_.of(operation.place);
    if (written.empty()) return around.innermost;
    return written[written.size() - std::min(written.size(), around.depth)];
  }

  void kept(const Operation& push, const Loops& around) {
    const Span at = place_of(push);
    if (at.known() && !is_number(push.args[0])) line(at, push, around).ns += costs::kept;
  }

  void apply(const Operation& operation, const Loops& around) {
    const auto found = steps_.find(operation.results[0]);
    const Span at = place_of(operation);
    if (!at.known()) return;
    Line& line = this->line(at, operation, around);
    const bool in_code = found == steps_.end();
    const bool of_kernel = in_code && ends_kernel(operation);
    double ns = in_code && !of_kernel ? of_numbers(operation) : 0;
    if (of_kernel) note_tensors(line, operation);
    if (!in_code) {
      note_tensors(line, operation);
      if (const auto* const run = plan_.steps[found->second].get_if<loops::step::RunLaunch>())
        ns = of_launch(line, plan_.launches[run->launch], operation.results[0]);
      else
        ns = of_call(line, operation, std::get<loops::step::Apply>(plan_.steps[found->second].action).unless_done);
      if (ns > 0) note_time(line, found->second);
    }
    line.ns += ns;
    if (ns < line.dearest_ns) return;
    line.dearest_ns = ns;
    line.at = at;
  }

  // A reduction of what a kernel makes is done by that.
  bool ends_kernel(const Operation& operation) const {
    return operation.entry->reduce != nullptr && ir::is_symbol(operation.args[0]) &&
           steps_.contains(ir::id_of(operation.args[0])) && !is_number(operation.args[0]);
  }
  void note_tensors(Line& line, const Operation& operation) {
    line.on_tensors.push_back({&graph_, &operation});
    passes::each_small_part(graph_, operation, [&](const Type& type) {
      if (type.shape.empty()) return;
      const std::optional<int64_t> elements = first_.elements(type.shape);
      line.elements = line.elements && elements ? std::optional(std::max(*line.elements, *elements)) : std::nullopt;
    });
  }
  void note_time(Line& line, size_t step) {
    if (code_.meter == nullptr || code_.meter->of(step).times() == 0 || !timed_.insert(step).second) return;
    const double seconds = code_.meter->of(step).seconds();
    if (!line.measured || seconds > code_.meter->of(*line.measured).seconds()) line.measured = step;
    line.seconds += seconds;
  }

  // The last of what a kernel does stands for all of it.
  double of_launch(Line& line, const loops::Launch& launch, ir::Id value) {
    if (launch.members.back().value != value) return 0;
    ++line.kernels;
    const double elements = elements_of(launch.extents);
    const double reduces = launch.reductions.empty() ? 0 : costs::call;
    return costs::launch + reduces + elements * launch.weight / static_cast<double>(elements_in_ns);
  }
  // done_by_kernel: the launch before it has done it.
  double of_call(Line& line, const Operation& operation, bool done_by_kernel) {
    if (done_by_kernel) return costs::view;
    ++line.calls;
    const bool known_work = passes::is_product(operation.entry) || is_view(operation.entry);
    line.rough |= !known_work && largest_of(operation) > static_cast<double>(passes::max_elements);
    if (passes::is_system(operation.entry)) return costs::system_call + costs::load * largest_of(operation);
    if (passes::is_product(operation.entry))
      return costs::call + terms_of(operation) / static_cast<double>(elements_in_ns);
    return is_view(operation.entry) ? costs::view_call : costs::call + costs::load * largest_of(operation);
  }
  double elements_of(const Shape& shape) const {
    const std::optional<int64_t> elements = first_.elements(shape);
    return elements ? static_cast<double>(*elements) : usual_elements;
  }
  double largest_of(const Operation& operation) const {
    double most = 0;
    passes::each_small_part(graph_, operation,
                            [&](const Type& type) { most = std::max(most, elements_of(type.shape)); });
    return most;
  }
  // Products of numbers in a product of matrices.
  double terms_of(const Operation& operation) const {
    const Shape a = ir::type_in(graph_, operation.args[0]).shape;
    const double inner = a.empty() ? 1 : elements_of(Shape{a[a.rank() - 1]});
    return inner * elements_of(graph_.values[operation.results[0]].type.shape);
  }
  // The operation as numbers, or on numbers.
  double of_numbers(const Operation& operation) const {
    if (graph_.values[operation.results[0]].boxed) return costs::launch;
    if (passes::is_product(operation.entry)) return costs::instruction * terms_of(operation);
    const ops::Handles& known = ops::handles();
    const bool sets = operation.entry == &known.index_update || operation.entry == &known.index_add;
    const double instructions = elements_of(graph_.values[operation.results[0]].type.shape) * of_element(operation);
    if (sets || operation.entry->reduce != nullptr) return costs::instruction * largest_of(operation);
    return is_view(operation.entry) && !is_number(graph_.symbol(operation.results[0]))
               ? 0
               : costs::instruction * instructions;
  }
  double of_element(const Operation& operation) const {
    return std::min(passes::usual_instructions(graph_, operation), max_instructions);
  }

  CodeLines& lines_;
  const Code& code_;
  const ir::Graph& graph_;
  const loops::Plan& plan_;
  const FirstCall first_;
  LoopsAround loops_around_;
  const PlaceOf place_of_;
  std::unordered_map<ir::Id, size_t> steps_;         // by their results
  std::unordered_map<uint32_t, size_t> vectorized_;  // steps, by the loops' places
  std::set<size_t> timed_;
  std::set<Line*> inside_;                     // of the outermost loop
  std::unordered_map<uint32_t, Span> places_;  // of the program, by their numbers
  mutable passes::Evaluator evaluator_;
};

CodeLines::CodeLines(const Walker& walker, const Code& code, std::span<const ir::FirstValue> first, PlaceOf place_of)
    : walker_(walker) {
  Walk(*this, code, first, place_of).region(code.graph->body, {});
  Loops often;
  often.times = passes::usual_iterations;
  for (const Code& function : code.functions) Walk(*this, function, {}, place_of).region(function.graph->body, often);
}

Line& CodeLines::line(Span at, Span loop, double times) {
  const auto [found, is_new] =
      lines_.try_emplace({walker_.place_text(at), loop.known() ? walker_.place_text(loop) : ""});
  Line& line = found->second;
  if (is_new) line.at = at;
  line.loop = loop;
  line.times = std::max(line.times, times);
  return line;
}

const Line* CodeLines::like(const Line& line) const {
  const auto found = lines_.find({walker_.place_text(line.at), line.loop.known() ? walker_.place_text(line.loop) : ""});
  return found == lines_.end() ? nullptr : &found->second;
}

double CodeLines::ns() const {
  double sum = 0;
  for (const auto& [place, line] : lines_) sum += line.all();
  return sum;
}

const Line* CodeLines::dearest() const {
  const Line* most = nullptr;
  const auto rank = [](const Line& line) { return std::pair(line.seconds, line.all()); };
  for (const auto& [place, line] : lines_) {
    const bool stands_out = line.calls + line.kernels > 0 || line.loop.known();
    if (stands_out && line.all() > 0 && (most == nullptr || rank(line) > rank(*most))) most = &line;
  }
  return most;
}

}  // namespace covec::jit

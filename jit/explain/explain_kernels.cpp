#include "jit/explain/explain_kernels.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "stdlib/ops/linalg/linalg.hpp"

namespace covec::jit {

std::string product_text(const ir::Graph& graph, const std::vector<Dim>& dims, int64_t factor) {
  std::string text;
  for (const Dim dim : dims) {
    if (dim.known())
      factor *= dim.number();
    else
      text += " * " + ir::print(graph, dim);
  }
  return text.empty() ? std::to_string(factor) : factor == 1 ? text.substr(3) : std::to_string(factor) + text;
}

namespace {

using loops::Launch;

const char* said(loops::Boundary boundary) {
  switch (boundary) {
    case loops::Boundary::none: return "";
    case loops::Boundary::elsewhere: return "its operands are not elementwise results";
    case loops::Boundary::order: return "an operation between them has an effect or can fail";
    case loops::Boundary::placement: return "an operation between them needs its result";
    case loops::Boundary::shape: return "a result is needed in another shape";
    case loops::Boundary::inputs: return "it would read too many arrays";
    case loops::Boundary::size: return "the kernel would be too large";
  }
  return "";
}

std::vector<Dim> all_of(const Shape& shape) { return {shape.begin(), shape.end()}; }

bool is_while_at(const ir::Region& region, uint32_t place) {
  return std::ranges::any_of(region.operations, [&](const ir::Operation& operation) {
    return (operation.kind == ir::Kind::while_ && operation.place == place) ||
           std::ranges::any_of(operation.regions, [&](const ir::Region& inner) { return is_while_at(inner, place); });
  });
}

// How the examples of vmaps and comprehensions run, by the place of the call.
std::string examples_text(const Walker& walker, const ir::Graph& graph) {
  std::map<std::string, std::string> how;
  for (const Span call : graph.together) how[walker.place_text(call)] = "all at once, for a derivative around them";
  for (const Span call : graph.one_by_one) {
    if (call.known()) how[walker.place_text(call)] = "one by one, as a condition differs between them";
  }
  std::string text;
  for (const auto& [place, way] : how) text += "    the examples at " + place + ": " + way + "\n";
  return text;
}

class KernelReport {
 public:
  KernelReport(const Walker& walker, const Code& code, const Roofline* roofline)
      : walker_(walker), code_(code), graph_(*code.graph), plan_(*code.plan), roofline_(roofline) {
    for (const Launch& launch : plan_.launches) {
      for (const Launch::Member& member : launch.members) holds_.emplace(member.value, &launch);
    }
  }

  std::string text() {
    const std::string measuring = measuring_text(code_, roofline_);
    std::string text = (measuring.empty() ? "" : "    " + measuring + "\n") + call();
    for (const size_t step : steps<loops::step::RunLaunch>()) text += kernel(step);
    for (const size_t step : steps<loops::step::RunVectorLoop>()) text += vector_loop(step);
    text += examples_text(walker_, graph_);
    for (const size_t step : steps<loops::step::RunLaneLoop>()) text += lanes(step);
    for (const loops::LaneRefusal& refusal : plan_.lane_refusals) text += no_lanes(refusal);
    text += other_loops();
    for (const size_t step : steps<loops::step::RunRowTiles>()) text += rows_of(step);
    text += calls();
    for (const size_t step : told_calls()) text += library_call(step);
    text += parts<loops::step::Interpret>("a part that is interpreted") +
            parts<loops::step::CallValue>("a call of a function that is not compiled with it") +
            parts<loops::step::Invoke>("calls of a function that calls itself");
    return text;
  }

 private:
  template <class Action>
  std::vector<size_t> steps() const {
    std::vector<size_t> found;
    for (size_t i = 0; i < plan_.steps.size(); ++i) {
      if (plan_.steps[i].is<Action>()) found.push_back(i);
    }
    return found;
  }
  template <class Action>
  const Action& action(size_t step) const {
    return std::get<Action>(plan_.steps[step].action);
  }
  const ops::Entry& entry(size_t step) const { return *action<loops::step::Apply>(step).op.entry; }

  std::string place_of(uint32_t place) const {
    const Span whole = graph_.places[place].whole;
    return whole.known() ? walker_.place_text(whole) : "";
  }

  // --- loops in lanes of vectors ---

  std::string loop_at(uint32_t place) const {
    const std::string at = place_of(place);
    return "    the loop" + (at.empty() ? "" : " at " + at) + ": ";
  }
  std::string lanes(size_t step) const {
    if (code_.lanes == 0) return "";
    const int64_t most = plan_.program.lane_loops[action<loops::step::RunLaneLoop>(step).loop].max_elements;
    const std::string where =
        most == INT64_MAX ? "" : ", where arrays have at most " + std::to_string(most) + " elements";
    return loop_at(plan_.steps[step].place) + std::to_string(code_.lanes) + " iterations at once" + where + "\n" +
           time_text(step);
  }
  std::string no_lanes(const loops::LaneRefusal& refusal) const {
    const std::string at = refusal.at == 0 ? "" : place_of(refusal.at);
    return loop_at(refusal.place) + "one iteration at a time, as " + refusal.why + (at.empty() ? "" : ", at " + at) +
           "\n" + time_of_loop_at(refusal.place);
  }

  // Loops of the code itself of which nothing has been said, where they take more than a hundredth of a call.
  std::string other_loops() const {
    std::string text;
    for (const size_t poll : steps<loops::step::PollInterrupt>()) {
      const uint32_t place = plan_.steps[poll].place;
      if (time_of_loop(poll).empty() || is_refused(place)) continue;
      text += loop_at(place) +
              (is_at<loops::step::RunLaneLoop>(place)     ? "iterations that are not among these"
               : is_at<loops::step::RunVectorLoop>(place) ? "iterations that are not vectorized"
                                                          : one_at_a_time(place)) +
              "\n" + time_of_loop(poll);
    }
    return text;
  }
  std::string one_at_a_time(uint32_t place) const {
    return std::string("one iteration at a time, as ") + (is_while_at(graph_.body, place)
                                                              ? "only the run knows when it ends"
                                                              : "its iterations are not seen to be independent");
  }
  bool is_refused(uint32_t place) const {
    return std::ranges::any_of(plan_.lane_refusals, [&](const auto& refusal) { return refusal.place == place; });
  }
  template <class Action>
  bool is_at(uint32_t place) const {
    return std::ranges::any_of(plan_.steps,
                               [&](const loops::Step& step) { return step.place == place && step.is<Action>(); });
  }

  // --- times ---

  std::string call() const {
    if (meter() == nullptr || meter()->calls().times() == 0) return "";
    const runtime::StepTimes& calls = meter()->calls();
    const auto share = static_cast<int>(100 * std::min(1.0, meter()->accounted() / calls.seconds()));
    return "    a call: " + Roofline::text(calls.times(), calls.median().seconds) + "; of all calls " +
           std::to_string(share) + " % are timed below, the rest is between\n";
  }
  std::string time_of_loop(size_t poll) const {
    if (meter() == nullptr || meter()->times_of_loop(poll) == 0) return "";
    const double seconds = meter()->seconds_of_loop(poll);
    if (seconds < 0.01 * meter()->calls().seconds()) return "";
    const uint64_t times = meter()->times_of_loop(poll);
    return "      measured: " + Roofline::text(times, seconds / static_cast<double>(times)) + "\n";
  }
  std::string time_of_loop_at(uint32_t place) const {
    for (const size_t poll : steps<loops::step::PollInterrupt>()) {
      if (plan_.steps[poll].place == place) return time_of_loop(poll);
    }
    return "";
  }
  template <class Action>
  std::string parts(const char* what) const {
    std::string text;
    for (const size_t step : steps<Action>()) {
      if (!has_run(step)) continue;
      const std::string at = place_of(plan_.steps[step].place);
      text += std::string("    ") + what + (at.empty() ? "" : ", at " + at) + "\n" + time_text(step);
    }
    return text;
  }

  const runtime::Meter* meter() const { return roofline_ != nullptr ? code_.meter.get() : nullptr; }
  bool has_run(size_t step) const { return meter() != nullptr && meter()->of(step).times() > 0; }

  std::string time_text(size_t step) const {
    return has_run(step) ? "      measured: " + roofline_->text(meter()->of(step)) + "\n" : "";
  }

  // --- kernels and loops ---

  std::string kernel(size_t step) const {
    const Launch& launch = plan_.launches[action<loops::step::RunLaunch>(step).launch];
    std::string text = "    kernel " + std::to_string(launch.kernel) + ":", lines, last;
    std::string stopped;
    for (const Launch::Member& member : launch.members) {
      text += " " + std::string(member.entry->name);
      const bool known = graph_.places[member.place].whole.known();
      const std::string place = known ? place_of(member.place) : last;
      if (place != last) lines += (lines.empty() ? "" : ", ") + place;
      last = place;
      if (const char* why = said(member.boundary); *why != 0 && member.boundary != loops::Boundary::elsewhere)
        stopped = why;
    }
    for (const Launch::Reduction& reduction : launch.reductions) text += " | " + std::string(reduction.entry->name);
    if (!lines.empty()) text += "\n      from " + lines;
    text += "\n      over " + shape_text(launch.extents) + ", " + std::to_string(launch.bytes_read) +
            " bytes read and " + std::to_string(launch.bytes_written) + " written, " +
            plural(launch.flops, "operation") + " for each element";
    if (launch.product != Launch::nowhere) text += "\n      epilogue of a matmul, row by row";
    if (!stopped.empty()) text += "\n      not fused further: " + stopped;
    return text + "\n" + time_text(step);
  }

  std::string vector_loop(size_t step) const {
    const loops::VectorLoop& loop = plan_.vector_loops[action<loops::step::RunVectorLoop>(step).loop];
    const std::string place = place_of(plan_.steps[step].place);
    const std::string how =
        loop.writes.empty() ? "its indices are checked once, before the loop" : "its iterations are vectorized";
    return "    loop" + (place.empty() ? "" : " at " + place) + ": " + how + " (from " + std::to_string(loop.fewest) +
           " iterations on, if they do not depend on each other)\n" + time_text(step);
  }

  std::string rows_of(size_t of) const {
    const loops::RowTileSteps& row_tiles = plan_.row_tiles[action<loops::step::RunRowTiles>(of).row_tiles];
    std::string text;
    for (const loops::RowTileSteps::Member& member : row_tiles.members) {
      const auto* const run = plan_.steps[member.step].get_if<loops::step::RunLaunch>();
      text += text.empty() ? "    row tiles of " : ", ";
      text += run == nullptr ? std::string(entry(member.step).name)
                             : "kernel " + std::to_string(plan_.launches[run->launch].kernel);
    }
    return text + ": rows pass through all of these in the cache, if there are many\n" + time_text(of);
  }

  // --- library calls ---

  std::string calls() const {
    std::map<std::string, size_t> calls;
    for (const size_t step : steps<loops::step::Apply>()) ++calls[std::string(entry(step).name)];
    if (calls.empty()) return "";
    std::string text = "    library calls:";
    for (const auto& [name, count] : calls) text += " " + name + (count > 1 ? " x" + std::to_string(count) : "");
    return text + "\n";
  }

  bool is_product(size_t step) const {
    const auto& made = action<loops::step::Apply>(step);
    const bool multiplies = made.op.entry == &ops::matmul_entry() || made.op.entry == &ops::scaled_matmul_entry();
    return multiplies && made.operation != nullptr && made.operation->args.size() >= 2;
  }

  // Products, and what has been measured, most time first.
  std::vector<size_t> told_calls() const {
    std::vector<size_t> told = steps<loops::step::Apply>();
    std::erase_if(told, [&](size_t step) { return !is_product(step) && !has_run(step); });
    const auto seconds = [&](size_t step) { return has_run(step) ? -meter()->of(step).seconds() : 0; };
    std::ranges::stable_sort(told, {}, seconds);
    return told;
  }

  std::string library_call(size_t step) const {
    const std::string place = place_of(plan_.steps[step].place);
    std::string text = "    " + std::string(entry(step).name) + (place.empty() ? "" : " from " + place);
    if (is_product(step)) text += product(step);
    return text + "\n" + time_text(step);
  }

  std::string product(size_t step) const {
    const ir::Operation& operation = *action<loops::step::Apply>(step).operation;
    return product_size(operation) + product_before(operation) + product_behind(step, operation.results[0]);
  }

  std::optional<Type> type_of(const Value& value) const {
    if (ir::is_symbol(value) && graph_.values[ir::id_of(value)].boxed) return std::nullopt;
    return ir::type_in(graph_, value);
  }

  std::string product_size(const ir::Operation& operation) const {
    const auto a = type_of(operation.args[0]), b = type_of(operation.args[1]);
    const auto c = type_of(graph_.symbol(operation.results[0]));
    if (!a || !b || !c || a->shape.empty() || b->shape.empty()) return "";
    std::vector<Dim> all = all_of(c->shape);
    all.push_back(a->shape[a->shape.rank() - 1]);
    const auto elements = [&](const Type& type) { return product_text(graph_, all_of(type.shape)); };
    return ": " + shape_text(a->shape) + " @ " + shape_text(b->shape) + "\n      " + product_text(graph_, all, 2) +
           " operations on " + std::string(name_of(c->dtype)) + ", " + std::to_string(size_of(c->dtype)) + " * (" +
           elements(*a) + " + " + elements(*b) + " + " + elements(*c) + ") bytes";
  }

  std::string product_before(const ir::Operation& operation) const {
    std::string text;
    const Launch* last = nullptr;
    for (const Value& factor : std::span(operation.args).first(2)) {
      const auto maker = ir::is_symbol(factor) ? holds_.find(ir::id_of(factor)) : holds_.end();
      if (maker == holds_.end() || maker->second == last) continue;
      last = maker->second;
      text += "\n      kernel " + std::to_string(last->kernel) +
              " before it stays separate: each element is needed many times, so the results are stored first";
    }
    return text;
  }

  std::string product_behind(size_t step, ir::Id result) const {
    const auto takes = [&](const Launch& launch) { return launch.product == step; };
    const auto end = std::ranges::find_if(plan_.launches, takes);
    if (end != plan_.launches.end())
      return "\n      kernel " + std::to_string(end->kernel) + " is its epilogue, row by row";
    const Launch* behind = nullptr;
    find_user(graph_.body, result, behind);
    if (behind == nullptr) return "";
    const char* why = &entry(step) == &ops::scaled_matmul_entry()
                          ? "the product of a derivative is first checked for zero terms"
                      : behind->can_fail                   ? "its elements can fail"
                      : !behind->reductions.empty()        ? "it reduces what it reads"
                      : behind->product != Launch::nowhere ? "it is the epilogue of another product"
                                                           : "other operations are between them";
    return "\n      kernel " + std::to_string(behind->kernel) + " after it is not its epilogue: " + why;
  }

  // The first kernel that reads a value.
  void find_user(const ir::Region& region, ir::Id value, const Launch*& found) const {
    for (const ir::Operation& operation : region.operations) {
      const auto reads = [&](const Value& arg) { return ir::is_symbol(arg) && ir::id_of(arg) == value; };
      if (found != nullptr) return;
      if (operation.kind == ir::Kind::apply && std::ranges::any_of(operation.args, reads)) {
        const auto holder = holds_.find(operation.results[0]);
        if (holder != holds_.end()) found = holder->second;
      }
      for (const ir::Region& inner : operation.regions) find_user(inner, value, found);
    }
  }

  std::string shape_text(const Shape& shape) const {
    std::string text;
    for (const Dim dim : shape) text += (text.empty() ? "" : ", ") + ir::print(graph_, dim);
    return "[" + text + "]";
  }

  const Walker& walker_;
  const Code& code_;
  const ir::Graph& graph_;
  const loops::Plan& plan_;
  const Roofline* const roofline_;
  std::map<ir::Id, const Launch*> holds_;  // by the value that one of its operations makes
};

}  // namespace

std::string plural(size_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string measuring_text(const Code& code, const Roofline* roofline) {
  if (roofline == nullptr) return "";
  if (code.meter == nullptr) return "not measured: its kernels run on a device";
  for (size_t i = 0; i < code.plan->steps.size(); ++i) {
    if (code.meter->of(i).times() > 0) return "";
  }
  return "measured from now on: call it, then ask again";
}

std::string explain_kernels(const Walker& walker, const Code& code, const Roofline* roofline) {
  return KernelReport(walker, code, roofline).text();
}

}  // namespace covec::jit

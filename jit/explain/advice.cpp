#include "jit/explain/advice.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "jit/explain/loops_around.hpp"
#include "jit/passes/analysis/costs.hpp"
#include "stdlib/ops/contract/entry.hpp"

namespace covec::jit {

namespace costs = passes::costs;

namespace {

// "about 1.9 us": two digits.
std::string about(double ns) {
  char text[48];
  if (ns < 1) return "less than 1 ns";
  if (ns >= 10 && ns < 995) ns = std::round(ns / (ns < 100 ? 1 : 10)) * (ns < 100 ? 1 : 10);
  const char* const units[] = {"ns", "us", "ms", "s"};
  size_t unit = 0;
  for (; ns >= 995 && unit < 3; ++unit) ns /= 1000;
  std::snprintf(text, sizeof text, unit > 0 && ns < 10 ? "about %.1f %s" : "about %.0f %s", ns, units[unit]);
  return text;
}

// The text at a place, as far as one line has room for it.
std::string excerpt(const Walker& walker, Span at, size_t room) {
  constexpr size_t longest = 40, shortest = 12;  // characters
  if (room < shortest) return "";
  const std::string_view all = walker.source(at), first = all.substr(0, all.find('\n'));
  const std::string text = beginning_of(first, std::min(longest, room));
  return ": " + (first.size() < all.size() && text == first ? text + " …" : text);
}

bool is_small(const Line& line) { return line.elements && *line.elements <= passes::max_elements; }

std::string with_commas(int64_t number) {
  std::string text = std::to_string(number);
  for (size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

std::string counts(const Line& line) {
  std::string text;
  if (line.calls > 0) text = plural(line.calls, "library call");
  if (line.kernels > 0) text += (text.empty() ? "" : " and ") + plural(line.kernels, "kernel");
  if (line.elements == 0) return text;
  if (!line.elements) return text + " on tensors whose sizes only the run knows";
  if (is_small(line)) return text + " on small tensors";
  return text + " on tensors of up to " + with_commas(*line.elements) + " elements";
}

// ", in each iteration of the loop at model.covec:3"; where there is little room, of one in the same file the line
// alone.
std::string in_loop(const Walker& walker, const Line& line, size_t room) {
  if (!line.loop.known()) return "";
  const std::string at = walker.place_text(line.at), loop = walker.place_text(line.loop);
  const std::string each = ", in each iteration of ";
  if (loop == at) return each + "its loop";
  const bool same_file = line.loop.file == line.at.file;
  if (!same_file && loop.starts_with('<')) return each + "a loop inside";
  const std::string number = loop.substr(loop.rfind(':') + 1);
  return each + "the loop at " + (same_file && loop.size() > room ? "line " + number : loop);
}

}  // namespace

std::string beginning_of(std::string_view text, size_t characters) {
  size_t end = 0;
  for (size_t count = 0; end < text.size(); ++end) {
    const bool begins = (static_cast<unsigned char>(text[end]) & 0xc0) != 0x80;  // a character, not its middle
    if (begins && count++ == characters) return std::string(text.substr(0, end)) + "…";
  }
  return std::string(text);
}

namespace {

std::string time_of_loop(const runtime::Meter& meter, size_t poll) {
  const uint64_t times = meter.times_of_loop(poll);
  return Roofline::text(times, meter.seconds_of_loop(poll) / static_cast<double>(times));
}

}  // namespace

std::string dearest_text(const Walker& walker, const Code& code, const Line* line, const Roofline* measured,
                         size_t room) {
  if (line == nullptr) return "nothing stands out";
  const std::string at = walker.place_text(line->at);
  const bool on_numbers = line->calls + line->kernels == 0;
  std::string text = ": " + (on_numbers ? "numbers alone" : counts(*line));
  if (measured != nullptr && line->measured)
    text += "; measured: " + measured->text(code.meter->of(*line->measured));
  else if (measured != nullptr && line->loop_poll)
    text += "; measured: " + time_of_loop(*code.meter, *line->loop_poll) + " the loop";
  else if (!on_numbers && line->elements && !line->rough)
    text += ", " + about(line->ns);
  constexpr size_t of_excerpt = 16, of_loop = 36;  // characters of what stands there, and of what tells of the loop
  const size_t used = at.size() + text.size();
  text = in_loop(walker, *line, room - std::min(room, used + of_excerpt + of_loop)) + text;
  return at + excerpt(walker, line->at, room - std::min(room, at.size() + text.size())) + text;
}

std::string Advice::text(const Line* line) const {
  const auto nothing = [](const std::string& why) { return "nothing to change: " + why; };
  if (line == nullptr) return nothing("all of it is fast");
  if (line->calls + line->kernels == 0)
    return nothing("its loops run on numbers" +
                   (lanes_ > 0 ? ", " + std::to_string(lanes_) + " iterations at once" : std::string()));
  if (line->elements == 0)
    return nothing(line->calls > 0 ? "the time goes into calls of the library" : "it works on numbers");
  if (!line->elements) return nothing("only the run knows how large these tensors are");
  if (!is_small(*line)) return nothing("the time goes into whole tensors");
  if (!line->loop.known()) return nothing("each operation runs once in a call");
  return of_small(*line);
}

// The advice about small tensors in a loop.
std::string Advice::of_small(const Line& line) const {
  passes::Evaluator evaluator;
  bool unknown = false;
  const ops::Entry* without_form = nullptr;
  for (const auto& [graph, operation] : line.on_tensors) {
    const passes::WhyNot why = passes::why_not(*graph, evaluator, *operation);
    unknown |= why == passes::WhyNot::unknown_extent;
    if (!passes::has_form(*graph, *operation) && !operation->entry->internal) without_form = operation->entry;
  }
  if (unknown) {
    const std::string advice = of_sizes(line);
    if (!advice.empty()) return "to do: " + advice;
  }
  if (is_of_examples(line))
    return "to do: take the gradient inside, `vmap(value_and_grad(f))`, and add, if the results are only added";
  if (without_form != nullptr)
    return "nothing to change: `" + std::string(without_form->name) + "` works on tensors alone";
  return unknown ? "nothing to change: the code serves any size of these small tensors"
                 : "nothing to change: they are needed as tensors, or would cost more as numbers";
}

// Whether a gradient keeps the examples of a vmap inside together, each of which would be one of numbers by itself.
bool Advice::is_of_examples(const Line& line) const {
  bool all = !graph_.together.empty();
  double one = 0;  // ns of an example by itself
  for (const auto& [graph, operation] : line.on_tensors) {
    if (graph != &graph_) return false;
    passes::each_small_part(graph_, *operation, [&](const Type& type) {
      const std::optional<int64_t> elements = first_.elements(type.shape);
      all &= type.shape.rank() <= 1 && elements && (elements == 1 || elements == line.elements);
    });
    one += std::max(costs::number_time, costs::instruction_time * passes::usual_instructions(*graph, *operation));
    const ir::SourcePlace& place = graph_.places[operation->place];
    all &= std::ranges::any_of(graph_.together, [&](Span vmap) { return stands_in(graph_, place, vmap); });
  }
  return all && static_cast<double>(line.elements.value_or(0)) * one < line.ns;
}

// Empty: nothing that helps.
std::string Advice::of_sizes(const Line& line) const {
  FirstCall::Origins origins;
  for (const auto& [graph, operation] : line.on_tensors) {
    origins.others |= graph != &graph_;  // of a function that calls itself
    if (origins.others) return "";
    passes::each_small_part(graph_, *operation, [&](const Type& type) {
      for (const Dim dim : type.shape) first_.find_origins(dim, origins);
    });
  }
  const std::string annotation = origins.axes.empty() ? "" : annotation_(origins.axes);
  if (origins.others || (!origins.axes.empty() && annotation.empty())) return "";
  std::string numbers;
  for (const ir::Id number : origins.numbers) {
    const std::string name = name_of_(number);
    if (name.empty()) return "";
    numbers += (numbers.empty() ? "" : ", ") + name;
  }
  const std::optional<double> tried = try_(origins);
  if (!tried) return "";
  std::string text;
  const bool several = annotation.find("` and `") != std::string::npos;
  if (!annotation.empty())
    text = "write " + annotation + (several ? ", if they always have these sizes" : ", if it always has this size");
  if (!numbers.empty())
    text += (text.empty() ? "" : "; ") + std::string("write the number itself as the size, not ") + numbers;
  return text + ": then numbers alone, " + about(*tried);
}

}  // namespace covec::jit

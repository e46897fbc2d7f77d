#include "jit/compiler/explain.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>

#include "jit/compiler/dearest_lines.hpp"
#include "jit/device/code.hpp"
#include "jit/explain/explain_saved.hpp"
#include "stdlib/tensor/pool.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::jit {

namespace {

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

std::string device_text(const runtime::DeviceCode& code) {
  const runtime::DeviceTally& tally = code.tally;
  std::string text = "    on " + code.accelerator().device().name() + ": " + plural(tally.kernels, "kernel") + " and " +
                     plural(tally.operators, "operator") + " so far\n";
  if (code.precision() != Precision::full) {
    text += std::string("    precision=") + (code.precision() == Precision::tf32 ? "tf32" : "bf16") + ": " +
            plural(tally.library, "product") + " by cuBLASLt\n";
  }
  for (const auto& [name, fetched] : tally.fetched) {
    text += "    fetched for " + name + ", which the processor computes: " + human_bytes(fetched.bytes) + " in " +
            plural(fetched.times, "call") + "\n";
  }
  if (tally.numbers > 0) {
    text += "    " + plural(tally.numbers, "number") +
            " fetched, for conditions, results and other work of the processor\n";
  }
  return text;
}

std::string placed(const Walker& walker, Span at, std::string_view reason) {
  return reason_text(reason) + (at.known() ? " (" + walker.place_text(at) + ")" : "");
}

// All that there is to say.
std::string details(const Walker& walker, const Specialization& made, const Roofline* roofline) {
  std::string text = "  for (" + made.cause.types + "): " + made.cause.text + "\n";
  if (made.reads_interpreted()) return text + "    interpreted: " + placed(walker, made.reason_at, made.reason) + "\n";
  text +=
      times_text(made.code) + explain_kernels(walker, made.code, roofline) + explain_saved(walker, *made.code.graph);
  if (made.checks() > Specialization::max_cheap_checks && made.code.device == nullptr)
    text += "    each call checks " + std::to_string(made.checks()) +
            " parts of its arguments; if the interpreter is faster, it runs the call (not with strict=true)\n";
  if (made.code.device != nullptr) text += device_text(*made.code.device);
  for (const LeftOut& part : made.share.left_out)
    text += "    interpreted at " + walker.place_text(part.at) + ": " + reason_text(part.reason) + "\n";
  return text;
}

// --- the first line ---

double interpreted_share(const Specialization& made) {
  if (made.by_choice) return 0;
  if (made.interpreted) return 1;
  return made.share.statements == 0
             ? 0
             : static_cast<double>(made.share.interpreted()) / static_cast<double>(made.share.statements);
}

std::string with_cure(std::string text, std::string_view reason) {
  const std::string_view cure = cure_of(reason);
  return cure.empty() ? text : text + "; " + std::string(cure);
}

std::string loops_of(const Walker& walker, const Share& share) {
  std::string places;
  size_t count = 0;
  for (const LeftOut& part : share.left_out) {
    if (part.loop) places += (count++ == 0 ? "" : ", ") + walker.place_text(part.whole);
  }
  return count == 0 ? "" : (count == 1 ? "the loop at " : "the loops at ") + places;
}

std::string headline(const Walker& walker, const Specialization& made) {
  const LeftOut* worst = made.share.worst();
  if (worst == nullptr && !made.reads_interpreted()) return "compiled, all of it";
  const bool all_left_out = made.share.interpreted() >= made.share.statements;
  if (worst == nullptr || made.recursive || (made.interpreted && all_left_out))
    return with_cure("interpreted: " + placed(walker, made.reason_at, made.reason), made.reason);
  const std::string loops = loops_of(walker, made.share);
  const std::string where = loops.empty() ? walker.place_text(worst->whole) : loops;
  const size_t compiled = made.share.statements - std::min(made.share.statements, made.share.interpreted());
  const std::string all = plural(made.share.statements, "statement");
  const std::string text = made.interpreted
                               ? "interpreted, because too few of its " + all + " could be compiled without " + where
                               : "compiled, " + std::to_string(compiled) + " of its " + all + ", not " + where;
  return with_cure(text + ": " + reason_text(worst->reason), worst->reason);
}

}  // namespace

std::string cliff_text(const Walker& walker, const Specialization& made) {
  return made.name + " runs mostly in the interpreter: " + headline(walker, made);
}

namespace {

bool is_of(const Specialization& made, const Signature& function) {
  return made.key.words.size() >= function.words.size() &&
         std::equal(function.words.begin(), function.words.end(), made.key.words.begin());
}

}  // namespace

std::string shortened(const std::string& types, size_t longest) {
  const size_t end = types.size() <= longest ? std::string::npos : types.rfind(", ", longest);
  return end == std::string::npos ? types : types.substr(0, end) + ", …";
}

namespace {

using Made = std::vector<const Specialization*>;

// In the order of making.
Made all_of(const CodeTable& table, const Value& function) {
  Signature wanted;
  wanted.add(function);
  Made all;
  table.each([&](const Specialization& made) {
    if (is_of(made, wanted)) all.push_back(&made);
  });
  std::ranges::sort(all, {}, [](const Specialization* made) { return made->number; });
  return all;
}

std::string in_short(const Made& all) {
  constexpr size_t max_shown = 8, longest = 72;  // combinations, and bytes of types
  const size_t shown = all.size() <= max_shown + 1 ? all.size() : max_shown;
  std::string text;
  for (const Specialization* made : std::span(all).first(shown))
    text += "  for (" + shortened(made->cause.types, longest) + "): " + shortened(made->cause.text, longest) + "\n";
  if (shown < all.size()) text += "  … and " + plural(all.size() - shown, "combination") + " more\n";
  return text;
}

}  // namespace

std::string explain(const RunHost& host, const Walker& walker, const CodeTable& table, const Value& function,
                    bool has_many, const Detail& detail) {
  const std::string name = function.function().name() + ": ";
  const Made all = all_of(table, function);
  const Specialization& many = table.many();
  if (all.empty() && has_many) return name + with_cure("interpreted: " + many.reason, many.reason);
  if (all.empty() && table.is_full()) return name + "interpreted: " + table.full().reason;
  if (all.empty()) {
    const char* measured = detail.roofline != nullptr ? ", and measures from then on" : "";
    return name + "not compiled yet: the first call compiles it" + measured;
  }
  const auto rank = [](const Specialization* made) {
    return std::pair(interpreted_share(*made), !made->reads_interpreted());
  };
  const Specialization* const worst = std::ranges::max(all, {}, rank);
  const auto is_better = [&](const auto* made) { return interpreted_share(*made) < interpreted_share(*worst); };
  const bool any_better = std::ranges::any_of(all, is_better);
  const bool any_code = std::ranges::any_of(all, [](const auto* made) { return !made->reads_interpreted(); });
  std::string text = name;
  if (has_many && any_code) {
    text += with_cure("compiled " + plural(all.size(), "time") + ", but interpreted now: " + many.reason, many.reason);
  } else {
    text += headline(walker, *worst);
    if (all.size() > 1)
      text += (any_better ? " (the worst of " : " (for ") + plural(all.size(), "combination") + " of types)";
  }
  text += "\n";
  if (detail.whole) {
    if (detail.roofline != nullptr) text += "  " + detail.roofline->text() + "\n";
    for (const Specialization* made : all) text += details(walker, *made, detail.roofline);
    return text;
  }
  Made worst_ones;
  std::ranges::copy_if(all, std::back_inserter(worst_ones),
                       [&](const auto* made) { return rank(made) == rank(worst); });
  text += dearest_lines(host, walker, worst_ones, has_many && any_code ? &many : nullptr, detail.roofline);
  return all.size() == 1 ? text : text + in_short(all);
}

void measure(CodeTable& table, const Value& function) {
  Signature wanted;
  wanted.add(function);
  table.each([&](Specialization& made) {
    if (is_of(made, wanted) && !made.interpreted) made.code.measure();
  });
}

std::string unmarked(const Value& function) {
  const Callable& callable = function.function();
  if (callable.entry() != nullptr) return callable.name() + ": a builtin, always native code";
  ClosureParts parts;
  if (closure_parts(callable, parts) && parts.function->stop.known())
    return callable.name() + ": interpreted, because it contains a breakpoint(), also as part of a compiled function";
  return callable.name() +
         ": not marked @compile, so it is interpreted; as part of a compiled function, it is compiled";
}

}  // namespace covec::jit

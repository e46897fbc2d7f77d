// Runs the steps that a compiled function's code asks for: one function for each kind of step.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>

#include "jit/device/code.hpp"
#include "jit/device/move.hpp"
#include "jit/runtime/activation.hpp"
#include "jit/runtime/launch.hpp"
#include "jit/runtime/meter.hpp"
#include "jit/runtime/panels.hpp"
#include "jit/runtime/product_launch.hpp"
#include "jit/runtime/row_run.hpp"
#include "jit/runtime/vector_loop.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/small_vector.hpp"
#include "stdlib/value/string.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::runtime {

using loops::Operand;
using loops::Step;
using Kind = Step::Kind;

void Activation::perform(const Step& step) {
  switch (step.kind) {
    case Kind::apply: return apply(step);
    case Kind::launch: return launch(step);
    case Kind::move: return move(step);
    case Kind::drop: return drop(step);
    case Kind::box: {
      Value value = taken(step.operands[0]);
      drop(step);
      return give(step.results[0], std::move(value));
    }
    case Kind::undefined: {
      const ir::ValueInfo& info = plan_.graph->values[static_cast<size_t>(step.number)];
      if (info.list) return give(step.results[0], make_list({}));
      const Type& type = info.type;
      const int64_t extents[max_rank] = {};
      return give(step.results[0], make_tensor(host_->eager().pool(), type.dtype, Shape(extents, type.shape.rank())));
    }
    case Kind::dimension: {
      const Value& x = slots_[step.operands[0].slot];
      Value extent(x.tensor().dim(static_cast<unsigned>(step.number)));
      if (step.operands[0].last) slots_[step.operands[0].slot] = Value();
      drop(step);
      return give(step.results[0], std::move(extent));
    }
    case Kind::interpret: return interpret(step);
    case Kind::call: return call(step);
    case Kind::invoke: return invoke(step);
    case Kind::push: return stacks_->values[static_cast<size_t>(step.number)].push(taken(step.operands[0]));
    case Kind::pop: return give(step.results[0], stacks_->values[static_cast<size_t>(step.number)].pop());
    case Kind::grow: return grow(step);
    case Kind::room: return room(slots_[step.operands[0].slot]);
    case Kind::list_push: return list_push(step);
    case Kind::list_item: return list_item(step);
    case Kind::list_set: return list_set(step);
    case Kind::vector_loop: return vector_loop(step);
    case Kind::panels: return panels(step);
    case Kind::fetch: return fetch(step);
    case Kind::interrupt: return kernels::poll_interrupt(host_->eager().context());
    case Kind::again:
      failed = 0;
      host_->make_again(Host::Again::routine);
      return;
    case Kind::assertion: throw OpError{"assertion", step.operands[0].value.string().text, {}, {}, nullptr};
    case Kind::pause: paused_ = taken(step.operands[0]); return drop(step);
  }
}

Value Activation::tree(const Operand& operand) {
  return ir::replace_symbols(operand.value, [&](const Value& symbol) { return slots_[ir::id_of(symbol)]; });
}

void Activation::drop(const Step& step) {
  for (const loops::SlotId slot : step.drops) slots_[slot] = Value();
}

Value apply_at(const loops::Plan& plan, Host& host, uint32_t place, const ops::Entry& entry, std::span<Value> args,
               std::span<Value> rest, uint32_t literals) {
  const ir::Place& where = plan.graph->places[place];
  const Span& applied = where.rule_of != nullptr && where.site.known() ? where.site : where.whole;
  const auto apply = [&] {
    host.eager().context().site = applied.known() ? &applied : host.call_site();  // of warnings
    return ops::call(host.eager(), entry, args, rest, literals);
  };
  return at_place(host, *plan.graph, place,
                  [&] { return entry.effects.calls ? host.within(apply, *plan.graph, place) : apply(); });
}

namespace {

// Numbers of one dtype as a tensor.
Value stacked_here(Pool& pool, std::span<const Value> numbers) {
  const Dtype dtype = numbers[0].scalar_dtype();
  const size_t size = size_of(dtype);
  Tensor* const tensor = Tensor::empty(pool, dtype, {Dim(static_cast<int64_t>(numbers.size()))});
  std::byte* to = tensor->data();
  for (const Value& number : numbers) {
    std::memcpy(to, number.scalar_data(), size);
    to += size;
  }
  return Value::adopt(tensor);
}

}  // namespace

// use(room for `count` Values), which are none; where they are many, in memory that stays with the activation.
template <class Use>
void Activation::with_room(size_t count, Use use) {
  constexpr size_t few = 8;
  if (count <= few) {
    SmallVector<Value, few> values(count);
    return use(span_of(values));
  }
  struct Clear {
    std::vector<Value>& values;
    ~Clear() { values.clear(); }
  } const clear{many_};
  many_.resize(count);
  use(std::span<Value>(many_));
}

void Activation::apply(const Step& step) {
  if (step.unless_done && slots_[step.operands[1].slot].is_none()) {
    Value done = taken(step.operands[0]);
    drop(step);
    return give(step.results[0], std::move(done));
  }
  with_room(step.operands.size(), [&](std::span<Value> all) { apply(step, all); });
}

// `all` becomes the operands.
void Activation::apply(const Step& step, std::span<Value> all) {
  for (size_t i = 0; i < step.operands.size(); ++i) all[i] = taken(step.operands[i]);
  drop(step);
  if (step.stacks_numbers && backend_.device == nullptr)
    return give(step.results[0], stacked_here(host_->eager().pool(), all.subspan(step.parameters)));
  if (backend_.device != nullptr) [[unlikely]] {
    if (step.stacks_numbers && std::ranges::any_of(all, &Value::is_tensor))
      return give(step.results[0],
                  stacked_there(backend_.device->accelerator(), host_->eager().pool(), all.subspan(step.parameters)));
    backend_.device->number_stays = step.stays;
  }
  const ops::Effects& effects = step.entry->effects;
  if (effects.prints || effects.outside || effects.calls) host_->note_effect();
  Value result = apply_at(plan_, *host_, step.place, *step.entry, all.first(step.parameters),
                          all.subspan(step.parameters), step.literals);
  if (step.raises) fail(message("internal"), {"an operation that must fail did not"});
  give(step.results[0], std::move(result));
}

void Activation::launch(const Step& step) {
  const loops::Launch& launch = plan_.launches[static_cast<size_t>(step.number)];
  if (launch.product != loops::Launch::nowhere) {
    if (ProductLaunch(plan_, launch, backend_, *host_, slots_).run()) return;
    apply(plan_.steps[launch.product]);
  }
  KernelLaunch(plan_, launch, backend_, *host_, slots_).run(std::exchange(places_, {}));
}

void Activation::fetch(const Step& step) {
  if (backend_.device != nullptr) backend_.device->fetch_number(slots_[step.results[0]]);
}

void Activation::vector_loop(const Step& step) {
  const loops::VectorLoop& loop = plan_.vector_loops[static_cast<size_t>(step.number)];
  give(step.results[0], Value(VectorLoopRun(loop, backend_, *host_, slots_).run()));
}

void Activation::perform_member(uint32_t index) {
  if (backend_.meter != nullptr) return measure(index);
  perform(plan_.steps[index]);
}

bool Activation::run_rows(const Step& step, const loops::Panels& panels) {
  using Clock = std::chrono::steady_clock;
  if (backend_.meter == nullptr) return RowRun(plan_, panels, backend_, host_->eager().context(), slots_).run();
  Sample sample{.work = work_before(plan_, step, slots_)};
  const Clock::time_point begin = Clock::now();
  if (!RowRun(plan_, panels, backend_, host_->eager().context(), slots_).run()) return false;
  sample.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  if (add_work_after(plan_, step, slots_, sample.work))
    backend_.meter->of(static_cast<size_t>(&step - plan_.steps.data())).add(sample);
  return true;
}

void Activation::panels(const Step& step) {
  const loops::Panels& panels = plan_.panels[static_cast<size_t>(step.number)];
  if (backend_.device == nullptr) {
    if (run_rows(step, panels)) return;
    const auto perform = [&](uint32_t member, std::span<const Value> places) {
      places_ = places;
      perform_member(member);
    };
    if (PanelRun(plan_, panels, host_->eager().context(), slots_, perform).run()) return;
    places_ = {};
  }
  for (const loops::Panels::Member& member : panels.members) {
    at_place(*host_, *plan_.graph, plan_.steps[member.step].place, [&] { perform_member(member.step); });
  }
}

void Activation::move(const Step& step) {
  if (step.results.size() == 1) return give(step.results[0], taken(step.operands[0]));
  with_room(step.operands.size(), [&](std::span<Value> values) {
    for (size_t i = 0; i < step.operands.size(); ++i) values[i] = taken(step.operands[i]);
    drop(step);
    for (size_t i = 0; i < step.results.size(); ++i) give(step.results[i], std::move(values[i]));
  });
}

void Activation::interpret(const Step& step) {
  SmallVector<Value, 8> live(step.operands.size());
  for (size_t i = 0; i < step.operands.size(); ++i) live[i] = taken(step.operands[i]);
  drop(step);
  const bool exits = step.operation->exits;
  host_->note_effect();
  SmallVector<Value, 8> results(step.results.size() - (exits ? 1 : 0), Value::unbound());
  const int64_t ended = host_->interpret(*step.operation, *plan_.graph, span_of(live), span_of(results));
  for (size_t i = 0; i < results.size(); ++i) give(step.results[i], std::move(results[i]));
  if (exits) give(step.results.back(), Value(ended));
}

void Activation::call(const Step& step) {
  SmallVector<Value, 8> values(step.operands.size());
  for (size_t i = 0; i < step.operands.size(); ++i) values[i] = taken(step.operands[i]);
  drop(step);
  host_->note_effect();
  give(step.results[0], host_->call(values[0], span_of(values).subspan(1), *plan_.graph, step.place));
}

// Where there may be too many calls the interpreter makes the whole call again, and says so.
void Activation::invoke(const Step& step) {
  constexpr size_t stack_bytes = 4096;  // more than one call takes of the machine's stack
  kernels::poll_interrupt(host_->eager().context());
  if (calls_left_ == unknown) calls_left_ = host_->calls_left(stack_bytes);
  if (calls_left_ <= static_cast<int64_t>(plan_.frames_inside)) host_->make_again(Host::Again::too_deep);
  const Function& function = backend_.functions[static_cast<size_t>(step.number)];
  Lease lease(*function.plan);
  lease.activation().invoke(step, *function.backend, *this);
}

void Activation::grow(const Step& step) {
  const auto number = static_cast<size_t>(step.number);
  loops::NumberStack& stack = stacks_->numbers[number];
  std::vector<uint64_t>& words = stacks_->memory[number].make_room();
  const auto used = stack.top - stack.base;
  stack.base = words.data();
  stack.top = stack.base + used;
  stack.end = stack.base + words.size();
}

// What a step raises is the program's error, in its place: no memory and interrupts too.
void Activation::keep_error(const Step& step) noexcept {
  try {
    host_->raise(current_error(), *plan_.graph, step.place);
  } catch (...) {
    error_ = std::current_exception();
  }
}

}  // namespace covec::runtime

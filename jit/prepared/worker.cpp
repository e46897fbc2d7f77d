#include "jit/prepared/worker.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>

#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/visits.hpp"

namespace covec::jit {

using loops::Operand;

// --- what code asks for ---

void WorkerHost::raise(const OpError& error, const ir::Graph& graph, uint32_t place) {
  throw Raised{error, &graph, place};
}

namespace {

[[noreturn]] void not_prepared() { fail(message("internal"), {"a prepared call that asks for the interpreter"}); }

constexpr int64_t most_calls = 10000;  // as the interpreter has it

}  // namespace

int64_t WorkerHost::interpret(const ir::Operation&, const ir::Graph&, std::span<Value>, std::span<Value>) {
  not_prepared();
}
Value WorkerHost::within(FunctionRef<Value()>, const ir::Graph&, uint32_t) { not_prepared(); }
Value WorkerHost::call(const Value&, std::span<Value>, const ir::Graph&, uint32_t) { not_prepared(); }

// The interpreter would find out more; here there is none.
void WorkerHost::make_again(Again why) {
  const std::atomic<bool>* const interrupt = eager().context().interrupt;
  if (interrupt->load(std::memory_order_relaxed)) fail(message("interrupted"));
  if (why == Again::too_deep)
    throw OpError{"recursion",
                  "recursion too deep for the stack, or for the limit of " + std::to_string(most_calls) + " calls",
                  {},
                  {},
                  nullptr};
  throw Raised{{"recursion_failed",
                "recursion too deep, or a call of the function by itself failed: a call in its session tells which",
                {},
                {},
                nullptr}};
}

int64_t WorkerHost::calls_left(size_t bytes) const {
  const char* const here = static_cast<const char*>(__builtin_frame_address(0));
  const int64_t room = here > floor_ ? (here - floor_) / static_cast<int64_t>(bytes) : 0;
  return std::min(room, most_calls);
}

// --- a copy of the image ---

Worker::Worker(std::shared_ptr<const Prepared> prepared)
    : prepared_(std::move(prepared)),
      pool_(Pool::create(prepared_->memory_limit)),
      builder_(context_),
      host_(builder_) {
  if (prepared_->guarded) pool_->guard();
  context_.pool = pool_.get();
  context_.output = &output_;
  context_.interrupt = &interrupt_;
  context_.isa = prepared_->isa;
  const Memory::Use use(*pool_);
  copy_image();
  add_places();
  add_results();
  activation_ = std::make_unique<runtime::Activation>(*plan_);
}

// Values go before the memory that they lie in.
Worker::~Worker() {
  const Memory::Use use(*pool_);
  activation_.reset();
  fixed_.clear();
  outputs_.clear();
  inputs_.clear();
  plan_.reset();
  plans_.clear();
}

std::unique_ptr<loops::Plan> Worker::own(const Image& image) {
  return copy_plan(*image.plan, *pool_, Elements::shared);
}

void Worker::copy_image() {
  const std::lock_guard alone(prepared_->copying);
  plan_ = own(prepared_->main);
  recurses_ = plan_->program.routine.has_value() || !prepared_->functions.empty();
  for (size_t i = 0; i < prepared_->functions.size(); ++i) {
    plans_.push_back(own(prepared_->functions[i]));
    backends_.push_back(prepared_->code.functions[i].backend);
  }
  for (size_t i = 0; i < plans_.size(); ++i) functions_.push_back({plans_[i].get(), &backends_[i]});
  for (runtime::Backend& backend : backends_) backend.functions = functions_.data();
  backend_ = prepared_->code.backend;
  backend_.functions = functions_.data();
  for (size_t i = 0; i < prepared_->places.size(); ++i) {
    const PreparedInput& place = prepared_->places[i];
    if (place.argument == PreparedInput::no_argument && plan_->inputs[i] != loops::Step::nowhere)
      fixed_.push_back({plan_->inputs[i], deep_copy(place.value, *pool_, Elements::shared)});
  }
  for (const PreparedOutput& result : prepared_->results) {
    Output output{.from = result.from, .numbers = result.numbers};  // numbers are not counted
    output.from.value = deep_copy(result.from.value, *pool_, Elements::shared);
    outputs_.push_back(std::move(output));
  }
}

void Worker::add_places() {
  for (const FixedType& type : prepared_->inputs) {
    inputs_.push_back({.dtype = type.dtype});
    has_bools_ |= type.dtype == Dtype::boolean;
  }
  for (size_t i = 0; i < prepared_->places.size(); ++i) {
    const size_t argument = prepared_->places[i].argument;
    if (argument != PreparedInput::no_argument) inputs_[argument].slot = plan_->inputs[i];
  }
  unbound_ = inputs_.size() + outputs_.size();
}

void Worker::add_results() {
  for (size_t i = 0; i < outputs_.size(); ++i) {
    outputs_[i].dtype = prepared_->outputs[i].dtype;
    outputs_[i].bytes = prepared_->outputs[i].bytes();
  }
}

// --- binding ---

namespace {

constexpr int64_t nothing = 0;  // lies where there are no elements

Value header_over(Pool& pool, const FixedType& type, const void* memory, bool read_only) {
  if (type.extents.empty()) return Value();
  return Tensor::lend(pool, type.dtype, type.shape(), const_cast<void*>(memory), read_only, nullptr, nullptr);
}

}  // namespace

void Worker::bind_input(size_t number, const void* memory) {
  if (memory == nullptr) memory = &nothing;
  const Memory::Use use(*pool_);
  Input& input = inputs_[number];
  input.tensor = header_over(*pool_, prepared_->inputs[number], memory, true);
  if (input.memory == nullptr) --unbound_;
  input.memory = memory;
  bound_anew_ = true;
}

void Worker::bind_output(size_t number, void* memory) {
  if (memory == nullptr) memory = const_cast<int64_t*>(&nothing);
  const Memory::Use use(*pool_);
  Output& output = outputs_[number];
  output.tensor = header_over(*pool_, prepared_->outputs[number], memory, false);
  if (output.memory == nullptr) --unbound_;
  output.memory = memory;
  bound_anew_ = true;
}

namespace {

bool meet(const void* a, size_t bytes_of_a, const void* b, size_t bytes_of_b) {
  const auto first = reinterpret_cast<uintptr_t>(a), second = reinterpret_cast<uintptr_t>(b);
  return first < second + bytes_of_b && second < first + bytes_of_a;
}

}  // namespace

void Worker::look_for_overlaps() {
  overlap_ = clash_ = false;
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const Output& output = outputs_[i];
    for (size_t k = 0; k < i; ++k) clash_ |= meet(output.memory, output.bytes, outputs_[k].memory, outputs_[k].bytes);
    for (size_t k = 0; k < inputs_.size(); ++k)
      overlap_ |= meet(output.memory, output.bytes, inputs_[k].memory, prepared_->inputs[k].bytes());
  }
  bound_anew_ = false;
}

// Arithmetic counts on a bool being 0 or 1.
bool Worker::are_bools(size_t number) const {
  unsigned all = 0;
  const auto* bytes = static_cast<const uint8_t*>(inputs_[number].memory);
  for (size_t i = 0; i < prepared_->inputs[number].bytes(); ++i) all |= bytes[i];
  return all <= 1;
}

const char* Worker::why_not_ready() {
  if (unbound_ != 0) return "an input or output is not bound";
  if (bound_anew_) look_for_overlaps();
  if (clash_) return "two outputs lie in the same memory";
  for (size_t i = 0; has_bools_ && i < inputs_.size(); ++i) {
    if (inputs_[i].dtype == Dtype::boolean && !are_bools(i)) return "a bool is neither 0 nor 1";
  }
  return nullptr;
}

// --- running ---

namespace {

// Most numbers are f64.
inline Value number_at(Dtype dtype, const void* memory) {
  if (dtype != Dtype::f64) return Value::scalar(dtype, memory);
  double number;
  std::memcpy(&number, memory, sizeof number);
  return Value(number);
}

}  // namespace

// The header stays with the worker as well, and its memory is read-only: nothing is ever written there.
void Worker::put_in() {
  for (const Fixed& each : fixed_) activation_->put(each.slot, each.value);
  for (const Input& input : inputs_) {
    if (input.slot == loops::Step::nowhere) continue;
    activation_->put(input.slot, input.tensor.is_object() ? input.tensor : number_at(input.dtype, input.memory));
  }
}

inline const Value& Worker::value_of(const Operand& operand) const {
  return operand.kind == Operand::Kind::slot ? activation_->held(operand.slot) : operand.value;
}

// What is still to be read lies where something is to be written.
void Worker::keep_apart() {
  for (Output& output : outputs_) {
    const Value& made = result(output);
    if (output.from.kind != Operand::Kind::slot || !made.is_tensor()) continue;
    Value copy = make_tensor(*pool_, made.tensor().dtype(), made.tensor().shape());
    copy_elements(made.tensor(), copy.tensor());
    activation_->put(output.from.slot, std::move(copy));
  }
}

void Worker::write_tensor(Output& output, const Value& made) {
  Tensor& to = output.tensor.tensor();
  const bool fits =
      made.is_tensor() && made.tensor().dtype() == to.dtype() && std::ranges::equal(made.tensor().dims(), to.dims());
  if (!fits) fail(message("internal"), {"a prepared call whose result has another type"});
  const Tensor& from = made.tensor();
  if (from.contiguous())
    std::memmove(output.memory, from.data(), output.bytes);
  else
    copy_elements(from, to);
}

void Worker::write_number(Output& output, const Value& made) {
  if (!made.is_scalar() || made.scalar_dtype() != output.dtype)
    fail(message("internal"), {"a prepared call whose result has another type"});
  if (output.bytes == sizeof(uint64_t))
    std::memcpy(output.memory, made.scalar_data(), sizeof(uint64_t));
  else
    std::memcpy(output.memory, made.scalar_data(), output.bytes);
}

void Worker::write_numbers(Output& output) {
  const size_t size = size_of(output.dtype);
  auto* to = static_cast<std::byte*>(output.memory);
  for (const Operand& number : output.numbers) {
    std::memcpy(to, value_of(number).scalar_data(), size);
    to += size;
  }
}

void Worker::take_out() {
  if (overlap_) keep_apart();
  for (Output& output : outputs_) {
    if (!output.numbers.empty())
      write_numbers(output);
    else if (output.tensor.is_object())
      write_tensor(output, result(output));
    else
      write_number(output, result(output));
  }
}

std::optional<Worker::Failure> Worker::run(const char* (*stack_floor)()) {
  const Memory::Use use(*pool_);
  const Visits::Use visits(context_);
  interrupt_.store(false, std::memory_order_relaxed);
  struct Forget {
    runtime::Activation& activation;
    ~Forget() { activation.forget(); }
  } const forget{*activation_};
  try {
    if (recurses_) host_.set_stack_floor(stack_floor());
    put_in();
    activation_->run_kept(backend_, host_);
    take_out();
    return std::nullopt;
  } catch (const WorkerHost::Raised& raised) {
    return failure(raised);
  } catch (...) {
    return Failure{current_error(), nullptr};
  }
}

// --- errors ---

Worker::Failure Worker::failure(const WorkerHost::Raised& raised) const {
  const auto text_in = [&](const Image& image) -> const ErrorText* {
    const bool is_there = image.plan->graph.get() == raised.graph && raised.place < image.texts.size();
    return is_there ? &image.texts[raised.place] : nullptr;
  };
  const ErrorText* text = raised.graph == nullptr ? &prepared_->itself : text_in(prepared_->main);
  for (const Image& function : prepared_->functions) text = text != nullptr ? text : text_in(function);
  return {raised.error, text};
}

namespace {

// "optim.adam: …": modules begin their own messages so, and nobody puts a name before that.
bool names_function(std::string_view message) {
  const std::string_view name = message.substr(0, std::min(message.find(": "), message.size()));
  const auto in_name = [](char c) { return c == '.' || c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; };
  return name.size() < message.size() && name.find('.') != std::string_view::npos && std::ranges::all_of(name, in_name);
}

}  // namespace

std::string Worker::Failure::message() const {
  const bool is_told = error.kind == ErrorKind::ordinary || error.kind == ErrorKind::no_value;
  if (text == nullptr || !is_told || names_function(error.message)) return error.message;
  return text->before + error.message + text->after;
}

const TextPlace* Worker::Failure::place() const {
  if (text == nullptr) return nullptr;
  for (const ArgumentLabel& label : error.labels) {
    const bool placed = label.argument >= 0 && static_cast<size_t>(label.argument) < text->operands.size();
    if (placed && text->operands[static_cast<size_t>(label.argument)].line != 0)
      return &text->operands[static_cast<size_t>(label.argument)];
    if (text->whole.line != 0) break;
  }
  return &text->whole;
}

}  // namespace covec::jit

// to(x, device) and devices(). The place of a tensor never changes what is computed with it.
#include "stdlib/device/devices.hpp"

#include "stdlib/gate/gate.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/devices/family.hpp"
#include "stdlib/value/callable.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/string.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

std::string device_argument(const Call& call) {
  const Value& device = call.args[1];
  if (device.is(ObjectKind::string)) return device.string().text;
  const Entry* const dtype = device.is(ObjectKind::function) ? device.function().entry() : nullptr;
  const bool casts = dtype != nullptr && dtype->dtype.has_value();
  fail_attribute(call, 1, "the name of a device, \"gpu\" or \"cpu\"",
                 casts ? "use a dtype to cast: write " + std::string(dtype->name) + "(x)" : "");
}

Value to_eager(Builder& builder, Call& call) {
  const std::string name = device_argument(call);
  Value& x = call.args[0];
  if (name == "cpu") {
    if (x.is_tensor()) x.tensor().data();
    return std::move(x);
  }
  device::Devices* devices = builder.context().devices;
  if (devices == nullptr) fail(message("device_unknown"), {name, "this session can use only the processor"});
  device::Accelerator& accelerator = devices->find(name, 1);
  if (!x.is_tensor() || x.tensor().size() == 0) return std::move(x);
  return accelerator.blocks().moved(builder.pool(), x);
}

Value to_again(Builder& builder, const Value& x, const Residuals& residuals, const Entry& entry) {
  Value args[] = {x, residual_call(entry, residuals).args[1]};
  return call(builder, entry, args);
}

Value devices_eager(Builder& builder, Call&) {
  builder.context().gate->require(Use::devices);
  std::vector<Value> list;
  static const auto layout = std::make_shared<RecordLayout>(RecordLayout{{"name", "description", "memory"}});
  device::Devices* devices = builder.context().devices;
  if (devices == nullptr) return make_list(std::move(list));
  for (const auto& each : devices->all()) {
    const device::Device& device = each->device();
    list.push_back(make_record(layout, {make_string(device.name()), make_string(device.description()),
                                        Value(static_cast<int64_t>(device.memory()))}));
  }
  return make_list(std::move(list));
}

const Entry& to_entry() {
  static const Entry entry{
      .name = "to",
      .doc =
          "The same tensor on a device: \"gpu\", \"gpu:1\", one that `devices()` names, or \"cpu\".\n\nWhat is "
          "computed "
          "with it is the same wherever it lies: compiled functions with `device=` work on it there, everything else "
          "fetches it first. Numbers stay where they are. An error where there is no such device.",
      .parameters = {tensor_parameter("x"), attribute("device")},
      .carries = true,
      .type = [](ShapeBuilder&, const Call& call) { return operand_type(call, 0); },
      .eager = to_eager,
      .derivative = Derivative::linearly(
          1, [](RuleContext& rule, unsigned, const Residuals& residuals,
                const Value& cotangent) { return to_again(rule.builder(), cotangent, residuals, to_entry()); }),
      .batch = [](Builder& builder, Call& call, const Batching&) { return ops::call(builder, to_entry(), call.args); },
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[1.0, 2], \"cpu\"", .expected = "[1.0, 2]", .differentiate = true},
                  {.arguments = "3, \"cpu\"", .expected = "3"}},
      .example = R"(x = to([1.0, 2.0], "cpu")
print(x, x.device)  # expect: [1.0, 2.0] cpu)",
  };
  return entry;
}

const Entry& devices_entry() {
  static const Entry entry{
      .name = "devices",
      .doc =
          "The devices beside the processor that compiled functions can run on: a list of records {name, description, "
          "memory}, memory in bytes.\n\nEmpty where no driver offers any. They are looked for when this is first "
          "asked, "
          "or when one is used. An error in a session that may not use devices.",
      .parameters = {},
      .eager = devices_eager,
      .derivative = Derivative::none("gives a list"),
      .effects = {.may_fail = true, .outside = true},
      .example = R"(for d in devices() { print(d.name, d.description) })",
  };
  return entry;
}

}  // namespace

Family devices_family() {
  static const Entry* const entries[] = {&devices_entry(), &to_entry()};
  return entries;
}

}  // namespace covec::ops

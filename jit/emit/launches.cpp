#include "jit/emit/launches.hpp"

#include <algorithm>
#include <stdexcept>

#include "jit/emit/operators.hpp"
#include "jit/emit/reductions.hpp"
#include "jit/source/kernel_body.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/ops/reduce/reduce.hpp"

namespace covec::emit {

using loops::Kernel;
using loops::Launch;

std::vector<int64_t> repeated_strides(const SlotType& type, std::span<const int64_t> extents) {
  std::vector<int64_t> strides(extents.size(), 0);
  int64_t step = 1;
  const size_t missing = extents.size() - type.rank();
  for (size_t axis = extents.size(); axis-- > missing;) {
    const int64_t extent = type.extents[axis - missing];
    strides[axis] = extent == 1 ? 0 : step;
    step *= extent;
  }
  return strides;
}

namespace {

struct Array {
  std::string pointer;
  std::vector<int64_t> strides;
};

// Loops over elements: axes that all arrays go through in one stride are one.
struct Nest {
  std::vector<int64_t> extents;
  std::vector<Array> arrays;

  void merge() {
    std::vector<int64_t> merged;
    std::vector<std::vector<int64_t>> strides(arrays.size());
    for (size_t axis = 0; axis < extents.size(); ++axis) {
      if (extents[axis] == 1) continue;
      const bool joins = !merged.empty() && fits(strides, axis);
      if (!joins) merged.push_back(1);
      merged.back() *= extents[axis];
      for (size_t a = 0; a < arrays.size(); ++a) {
        if (!joins) strides[a].push_back(0);
        strides[a].back() = arrays[a].strides[axis];
      }
    }
    extents = std::move(merged);
    for (size_t a = 0; a < arrays.size(); ++a) arrays[a].strides = std::move(strides[a]);
  }

 private:
  bool fits(const std::vector<std::vector<int64_t>>& strides, size_t axis) const {
    for (size_t a = 0; a < arrays.size(); ++a) {
      if (strides[a].back() != arrays[a].strides[axis] * extents[axis]) return false;
    }
    return true;
  }
};

std::string place(const Array& array, std::span<const std::string> indices) {
  std::string text;
  for (size_t axis = 0; axis < indices.size(); ++axis) {
    const int64_t stride = array.strides[axis];
    if (stride == 0) continue;
    text += (text.empty() ? "" : " + ") + indices[axis] + (stride == 1 ? "" : " * " + std::to_string(stride));
  }
  return array.pointer + "[" + (text.empty() ? "0" : text) + "]";
}

class LaunchWriter {
 public:
  LaunchWriter(Frame& frame, const Launch& launch)
      : frame_(frame),
        launch_(launch),
        kernel_(loops::expanded(frame.plan.program.kernels[launch.kernel])),
        place_(launch.members[0].place) {}

  void write() {
    if (launch_.of_numbers) return write_numbers();
    nest_.extents = extents();
    for (const Launch::Input& input : launch_.inputs)
      nest_.arrays.push_back({Frame::pointer(input.slot), repeated_strides(frame_.type(input.slot), nest_.extents)});
    for (const Launch::Output& output : launch_.outputs) {
      if (frame_.type(output.slot).extents != nest_.extents)
        throw std::logic_error("a kernel has results of several shapes");
      nest_.arrays.push_back({Frame::pointer(output.slot), repeated_strides(frame_.type(output.slot), nest_.extents)});
    }
    if (!launch_.reductions.empty()) add_reduced();
    loops();
    if (!launch_.reductions.empty()) {
      const Launch::Reduction& reduction = launch_.reductions[0];
      write_reduction(frame_, *reduction.entry, reduction.axes, {reduced_, reduced_text_},
                      frame_.argument(reduction.slot), reduction.place);
    }
  }

 private:
  std::vector<int64_t> extents() const {
    std::vector<int64_t> widest;
    for (const Launch::Member& member : launch_.members) {
      const SlotType type = type_of(*frame_.plan.graph, member.value, member.place);
      if (type.rank() > widest.size()) widest.insert(widest.begin(), type.rank() - widest.size(), 1);
      for (size_t k = 0; k < type.rank(); ++k) {
        int64_t& extent = widest[widest.size() - type.rank() + k];
        extent = extent == 1 ? type.extents[k] : extent;
      }
    }
    return widest;
  }

  // What is reduced is made whole before.
  void add_reduced() {
    const Launch::Reduction& reduction = launch_.reductions[0];
    reduced_ = type_of(*frame_.plan.graph, launch_.members[reduction.member].value, place_);
    if (reduced_.extents != nest_.extents) throw std::logic_error("a kernel has results of several shapes");
    for (const Launch::Output& output : launch_.outputs) {
      if (output.member == reduction.member) reduced_text_ = Frame::pointer(output.slot);
    }
    if (reduced_text_.empty()) reduced_text_ = frame_.scratch(reduced_.bytes(), memory_type(reduced_.dtype));
    nest_.arrays.push_back({reduced_text_, repeated_strides(reduced_, nest_.extents)});
  }

  void loops() {
    int64_t elements = 1;
    for (const int64_t extent : nest_.extents) elements *= extent;
    if (elements == 0) return;
    nest_.merge();
    std::vector<std::string> indices;
    frame_.open("");
    numbers();
    for (size_t axis = 0; axis < nest_.extents.size(); ++axis) {
      if (axis + 1 == nest_.extents.size() && may_be_vectors()) frame_.put("COVEC_INDEPENDENT");
      indices.push_back(frame_.open_loop(nest_.extents[axis]));
    }
    const source::KernelNames names{
        [&](uint32_t k) { return source::c_loaded(kernel_.inputs[k].dtype, place(nest_.arrays[k], indices)); },
        [](uint32_t k) { return "number" + std::to_string(k); }, true, fma_name};
    body(names);
    for (size_t k = 0; k < kernel_.outputs.size(); ++k) {
      const Array& array = nest_.arrays[launch_.inputs.size() + k];
      frame_.put(place(array, indices) + " = " +
                 source::c_stored(kernel_.outputs[k].dtype, "v" + std::to_string(kernel_.outputs[k].value)) + ";");
    }
    for (size_t axis = 0; axis < nest_.extents.size(); ++axis) frame_.close();
    frame_.close();
  }
  // No iteration reads what another one has written: an output lies where an input does only element by element.
  bool may_be_vectors() const {
    return kernel_.fails == Kernel::never && std::ranges::none_of(kernel_.code, [](const loops::KernelInstruction& i) {
             return i.kind == loops::KernelInstruction::Kind::rare;
           });
  }

  void body(const source::KernelNames& names) {
    frame_.lines.add(source::kernel_body(kernel_, frame_.lines.depth(), names));
    if (kernel_.fails != Kernel::never) frame_.put("if (v" + std::to_string(kernel_.fails) + ") " + failing());
  }
  void numbers() {
    for (size_t k = 0; k < kernel_.numbers.size(); ++k) {
      const Argument from = frame_.argument(launch_.numbers[k]);
      const Dtype to = launch_.number_dtypes[k];
      frame_.put("const " + number_type(to) + " number" + std::to_string(k) + " = " +
                 frame_.file.converted(from.text, from.type.dtype, to) + ";");
    }
  }

  void write_numbers() {
    frame_.open("");
    numbers();
    body({{}, [](uint32_t k) { return "number" + std::to_string(k); }, true, fma_name});
    for (size_t k = 0; k < launch_.outputs.size(); ++k)
      frame_.put(Frame::number(launch_.outputs[k].slot) + " = v" + std::to_string(kernel_.outputs[k].value) + ";");
    frame_.close();
  }

  // The one operation that can fail.
  std::string failing() const {
    const auto fails = [](const Launch::Member& member) { return member.entry->pointwise->lower_failure != nullptr; };
    const Launch::Member& found = *std::ranges::find_if(launch_.members, fails);
    return frame_.fail(found.place, pointwise_error_text(*found.entry));
  }

  Frame& frame_;
  const Launch& launch_;
  const Kernel kernel_;
  const uint32_t place_;
  Nest nest_;
  SlotType reduced_;
  std::string reduced_text_;
};

}  // namespace

void write_launch(Frame& frame, const Launch& launch) { LaunchWriter(frame, launch).write(); }

}  // namespace covec::emit

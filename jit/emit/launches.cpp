#include "jit/emit/launches.hpp"

#include <algorithm>
#include <stdexcept>

#include "jit/emit/moves.hpp"
#include "jit/emit/operators.hpp"
#include "jit/emit/reductions.hpp"
#include "jit/source/kernel_body.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/ops/reduce/reduce.hpp"

namespace covec::emit {

using loops::Kernel;
using loops::Launch;

std::vector<Size> repeated_strides(const SlotType& type, std::span<const Size> extents) {
  std::vector<Size> strides(extents.size(), 0);
  Size step = 1;
  const size_t missing = extents.size() - type.rank();
  for (size_t axis = extents.size(); axis-- > missing;) {
    const Size& extent = type.extents[axis - missing];
    strides[axis] = extent == extents[axis] && !extent.is(1) ? step : step * Size::unless_one(extent);
    step *= extent;
  }
  return strides;
}

namespace {

struct Array {
  std::string pointer;
  std::vector<Size> strides;
};

// Loops over elements: axes that all arrays go through in one stride are one.
struct LoopNest {
  std::vector<Size> extents;
  std::vector<Array> arrays;

  void merge() {
    std::vector<std::vector<Size>*> strides;
    for (Array& array : arrays) strides.push_back(&array.strides);
    merge_axes(extents, strides);
  }
};

std::string place(const Array& array, std::span<const std::string> indices) {
  std::string text;
  for (size_t axis = 0; axis < indices.size(); ++axis) {
    const Size& stride = array.strides[axis];
    if (stride.is(0)) continue;
    text += (text.empty() ? "" : " + ") + indices[axis] + (stride.is(1) ? "" : " * " + stride.factor());
  }
  return array.pointer + "[" + (text.empty() ? "0" : text) + "]";
}

class LaunchWriter {
 public:
  LaunchWriter(Frame& frame, const Launch& launch)
      : frame_(frame), launch_(launch), kernel_(loops::expanded(frame.plan.program.kernels[launch.kernel])) {}

  void write() {
    if (launch_.of_numbers) return write_numbers();
    loop_nest_.extents = extents();
    check();
    for (const Launch::Input& input : launch_.inputs)
      loop_nest_.arrays.push_back(
          {Frame::pointer(input.slot), repeated_strides(frame_.type(input.slot), loop_nest_.extents)});
    for (const Launch::Output& output : launch_.outputs) {
      const SlotType type = type_of(launch_.members[output.member]);
      if (type.extents != loop_nest_.extents) throw std::logic_error("a kernel has results of several shapes");
      const std::string pointer = output.slot != loops::Step::nowhere
                                      ? Frame::pointer(output.slot)
                                      : frame_.scratch(type.bytes(), memory_type(type.dtype));
      loop_nest_.arrays.push_back({pointer, repeated_strides(type, loop_nest_.extents)});
    }
    if (!launch_.reductions.empty()) add_reduced();
    loops();
    if (!launch_.reductions.empty()) {
      const Launch::Reduction& reduction = launch_.reductions[0];
      if (reduction.slot == loops::Step::nowhere) {  // it is there for its error
        if (!reduction.entry->reduce->has_empty)
          check_elements(frame_, std::string(reduction.entry->name), reduction.axes, reduced_, reduction.place);
        return;
      }
      write_reduction(frame_, *reduction.entry, reduction.axes, {reduced_, reduced_text_},
                      frame_.argument(reduction.slot), reduction.place);
    }
  }

 private:
  SlotType type_of(const Launch::Member& member) const { return frame_.shapes.type_of(member.value, member.place); }
  std::vector<Size> extents() const {
    std::vector<Size> widest;
    for (const Launch::Member& member : launch_.members) {
      const SlotType type = type_of(member);
      if (type.rank() > widest.size()) widest.insert(widest.begin(), type.rank() - widest.size(), 1);
      for (size_t k = 0; k < type.rank(); ++k) {
        Size& extent = widest[widest.size() - type.rank() + k];
        extent = Size::wider(extent, type.extents[k]);
      }
    }
    return widest;
  }
  // Where only the caller knows, what is broadcast fits.
  void check() {
    for (const Launch::Member& member : launch_.members) {
      const SlotType result = type_of(member);
      for (size_t k = 0; k < member.operands; ++k) {
        const Launch::Source& source = member.args[k];
        SlotType type;
        if (source.kind == Launch::Source::Kind::input) type = frame_.type(launch_.inputs[source.index].slot);
        if (source.kind == Launch::Source::Kind::member) type = type_of(launch_.members[source.index]);
        for (size_t axis = 0; axis < type.rank(); ++axis) {
          const Size &from = type.extents[axis], &to = result.extents[result.rank() - type.rank() + axis];
          if (from == to || from.is(1)) continue;
          const std::string own = from.factor();
          frame_.put("if (" + own + " != " + to.factor() + " && " + own + " != 1) " +
                     frame_.fail(member.place, fit_error));
        }
      }
    }
  }

  // What is reduced is made whole before.
  void add_reduced() {
    const Launch::Reduction& reduction = launch_.reductions[0];
    reduced_ = type_of(launch_.members[reduction.member]);
    if (reduced_.extents != loop_nest_.extents) throw std::logic_error("a kernel has results of several shapes");
    for (const Launch::Output& output : launch_.outputs) {
      if (output.member == reduction.member) reduced_text_ = Frame::pointer(output.slot);
    }
    if (reduced_text_.empty()) reduced_text_ = frame_.scratch(reduced_.bytes(), memory_type(reduced_.dtype));
    loop_nest_.arrays.push_back({reduced_text_, repeated_strides(reduced_, loop_nest_.extents)});
  }

  void loops() {
    if (Size::product(loop_nest_.extents).is(0)) return;
    loop_nest_.merge();
    std::vector<std::string> indices;
    frame_.open("");
    numbers();
    for (size_t axis = 0; axis < loop_nest_.extents.size(); ++axis) {
      Size extent = loop_nest_.extents[axis];
      if (extent.text().find('?') != std::string::npos) {  // GCC looks at what is simple alone
        const std::string name = frame_.fresh("i");
        frame_.put("const int64_t " + name + " = " + extent.text() + ";");
        extent = Size::named(name);
      }
      if (axis + 1 == loop_nest_.extents.size() && may_be_vectors()) frame_.put("COVEC_INDEPENDENT");
      indices.push_back(frame_.open_loop(extent));
    }
    const source::KernelNames names{
        [&](uint32_t k) { return source::c_loaded(kernel_.inputs[k].dtype, place(loop_nest_.arrays[k], indices)); },
        [](uint32_t k) { return "number" + std::to_string(k); }, true, fma_name};
    body(names);
    for (size_t k = 0; k < kernel_.outputs.size(); ++k) {
      const Array& array = loop_nest_.arrays[launch_.inputs.size() + k];
      frame_.put(place(array, indices) + " = " +
                 source::c_stored(kernel_.outputs[k].dtype, "v" + std::to_string(kernel_.outputs[k].value)) + ";");
    }
    for (size_t axis = 0; axis < loop_nest_.extents.size(); ++axis) frame_.close();
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
      if (is_half(to)) frame_.put("(void)number" + std::to_string(k) + ";");  // its f32 may be what is used
    }
  }

  void write_numbers() {
    frame_.open("");
    numbers();
    body({{}, [](uint32_t k) { return "number" + std::to_string(k); }, true, fma_name});
    for (size_t k = 0; k < launch_.outputs.size(); ++k) {
      if (launch_.outputs[k].slot == loops::Step::nowhere) continue;
      frame_.put(Frame::number(launch_.outputs[k].slot) + " = v" + std::to_string(kernel_.outputs[k].value) + ";");
    }
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
  LoopNest loop_nest_;
  SlotType reduced_;
  std::string reduced_text_;
};

}  // namespace

void write_launch(Frame& frame, const Launch& launch) { LaunchWriter(frame, launch).write(); }

}  // namespace covec::emit

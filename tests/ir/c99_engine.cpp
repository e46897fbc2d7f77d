#include "tests/ir/c99_engine.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "jit/loops/build.hpp"
#include "jit/lower/lower.hpp"
#include "jit/source/c99.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::tests {

namespace {

struct Array {  // covec_array of the C text
  const void* data;
  const int64_t* strides;
};
using Dimensions = int64_t (*)(const int64_t* const*, int64_t*);
using Run = int64_t (*)(const Array*, const int64_t*, void* const*);

Shape known_shape(const Shape& shape, const std::vector<int64_t>& d) {
  Shape known;
  for (Dim dim : shape) known.push_back(dim.known() ? dim : Dim(d[dim.id()]));
  return known;
}

}  // namespace

C99Engine::C99Engine() {
  char name[] = "/tmp/covec-c99-XXXXXX";
  if (mkdtemp(name) == nullptr) throw std::runtime_error("no temporary folder");
  folder_ = name;
}

C99Engine::~C99Engine() {
  if (library_ != nullptr) dlclose(library_);
  std::filesystem::remove_all(folder_);
}

size_t C99Engine::add(ir::Graph graph) {
  auto function = std::make_unique<Function>();
  function->graph = std::move(graph);
  try {
    function->program = loops::build(function->graph);
  } catch (const ir::NotLowered& refused) {
    throw std::runtime_error(refused.reason + " in\n" + ir::print(function->graph));
  }
  function->name = "f" + std::to_string(functions_.size());
  functions_.push_back(std::move(function));
  return functions_.size() - 1;
}

void C99Engine::build() {
  std::ofstream text(folder_ + "/functions.c");
  text << source::c99_prelude();
  for (const auto& function : functions_) text << source::c99(function->program, function->name);
  text.close();
  const std::string command = "cc -std=c99 -O0 -fPIC -shared -ffp-contract=off -Wall -Wno-unused-variable -Wno-unused-function -o " + folder_ +
                              "/functions.so " + folder_ + "/functions.c -lm > " + folder_ + "/log 2>&1";
  if (std::system(command.c_str()) != 0) {
    std::ifstream log(folder_ + "/log");
    throw std::runtime_error("cc: " + std::string(std::istreambuf_iterator<char>(log), {}).substr(0, 4000));
  }
  library_ = dlopen((folder_ + "/functions.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) throw std::runtime_error(dlerror());
  for (const auto& function : functions_) {
    function->dimensions = dlsym(library_, (function->name + "_dimensions").c_str());
    function->run = dlsym(library_, (function->name + "_run").c_str());
  }
}

C99Engine::Outcome C99Engine::run(size_t number, std::vector<Value> arguments, Pool& pool) const {
  const Function& function = *functions_[number];
  const ir::Graph& graph = function.graph;
  static const int64_t none[1] = {0};
  std::vector<const int64_t*> dims;
  std::vector<Array> inputs;
  for (const Value& argument : arguments) {
    dims.push_back(argument.is_scalar() ? none : argument.tensor().dims().data());
    inputs.push_back({data_of(argument), argument.is_scalar() ? none : argument.tensor().strides().data()});
  }
  std::vector<int64_t> d(graph.dims.size() + 1);
  const int64_t guard = reinterpret_cast<Dimensions>(function.dimensions)(dims.data(), d.data());
  if (guard > 0) return {{}, graph.guards[static_cast<size_t>(guard - 1)].operation};

  std::vector<Value> values;
  std::vector<void*> buffers;
  for (const loops::Buffer& buffer : function.program.buffers) {
    Value value = buffer.is_parameter ? Value() : make_tensor(pool, buffer.type.dtype, known_shape(buffer.type.shape, d));
    values.push_back(std::move(value));
  }
  for (Value& value : values) {
    buffers.push_back(value.is_none() ? nullptr : value.is_scalar() ? value.scalar_data() : value.tensor().data());
  }
  const int64_t failed = reinterpret_cast<Run>(function.run)(inputs.data(), d.data(), buffers.data());
  if (failed > 0) return {{}, static_cast<uint32_t>(failed - 1)};
  Outcome outcome;
  for (uint32_t result : function.program.results) {
    outcome.results.push_back(result < arguments.size() ? arguments[result] : values[result]);
  }
  return outcome;
}

namespace {

template <class T>
bool same_elements(const Value& a, const Value& b) {
  const auto* x = static_cast<const T*>(data_of(a));
  const auto* y = static_cast<const T*>(data_of(b));
  const int64_t n = a.is_scalar() ? 1 : a.tensor().size();
  for (int64_t i = 0; i < n; ++i) {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(x[i]) && std::isnan(y[i])) continue;
    }
    if (std::memcmp(&x[i], &y[i], sizeof(T)) != 0) return false;
  }
  return true;
}

}  // namespace

bool same_bits(const Value& a, const Value& b) {
  if (!a.is_numeric() || !b.is_numeric() || !(type_of(a) == type_of(b))) return false;
  Pool& pool = *Pool::create();
  const Value x = contiguous(pool, a), y = contiguous(pool, b);
  pool.release();
  switch (dtype_of(a)) {
    case Dtype::boolean: return same_elements<uint8_t>(x, y);
    case Dtype::i32: return same_elements<int32_t>(x, y);
    case Dtype::i64: return same_elements<int64_t>(x, y);
    case Dtype::f32: return same_elements<float>(x, y);
    case Dtype::f64: return same_elements<double>(x, y);
  }
  return false;
}

}  // namespace covec::tests

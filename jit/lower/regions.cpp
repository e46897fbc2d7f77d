#include "jit/lower/regions.hpp"

#include "jit/lower/adjoint.hpp"
#include "jit/lower/join.hpp"
#include "jit/lower/loop_walk.hpp"

namespace covec::ir {

void walk_perhaps(const std::function<void()>& path) {
  try {
    path();
  } catch (BatchedControl& control) {
    control.perhaps = true;
    throw;
  }
}

void Regions::branch(const Value& condition, const Variables& variables, const Path& then, const Path& otherwise,
                     AdjointOf paths) {
  if (condition.tag() == Tag::boolean) return condition.boolean() ? then() : otherwise();
  const std::vector<Value> before = values_of(variables);
  RegionTapes tapes(builder_.context());
  Operation operation;
  operation.kind = Kind::if_;
  operation.args = {condition};
  Region regions[2];
  std::vector<Value> after[2];
  std::vector<Entries> entries[2];
  for (unsigned path = 0; path < 2; ++path) {
    regions[path].serial = ++writer_.graph().regions;
    regions[path].adjoint_of = path == 0 ? paths.first : paths.second;
    regions[path].sweep = regions[path].adjoint_of == 0 ? 0 : paths.sweep;
    writer_.note_region(regions[path]);
    put_back(variables, before);
    const GraphWriter::InRegion inside(writer_, regions[path]);
    walk_perhaps(path == 0 ? then : otherwise);
    after[path] = values_of(variables);
    entries[path] = tapes.cut();
  }
  tapes.set_base();
  Joiner joiner(writer_, conversions_, maybes_, tapes, {operation, regions[0], regions[1]});
  for (size_t i = 0; i < variables.size(); ++i) *variables[i] = joiner.join_variable(after[0][i], after[1][i]);
  const AdjointOf walked{regions[0].serial, regions[1].serial};
  for (Region& region : regions) operation.regions.push_back(std::move(region));
  writer_.append(std::move(operation));
  AdjointRecorder(builder_, writer_, *this)
      .record_branch(tapes, condition, std::move(entries[0]), std::move(entries[1]), walked, paths);
}

void Regions::walk(const Variables& variables, LoopSource source) {
  LoopWalk(*this, builder_, writer_, conversions_, maybes_, peeled_, variables, std::move(source)).run();
}

void Regions::repeat(const Value& count, const Variables& variables, const Pass& body) {
  walk(variables, {.count = count, .condition = nullptr, .body = body});
}

void Regions::repeat_back(const Value& count, const Variables& variables, const Pass& body, uint32_t adjoint_of,
                          bool whole, std::function<Value(size_t i, const Value& like)> zeros) {
  walk(variables, {.count = count,
                   .condition = nullptr,
                   .body = body,
                   .adjoint_of = adjoint_of,
                   .sweep = writer_.walk_back(adjoint_of),
                   .whole = whole,
                   .zeros = std::move(zeros)});
}

void Regions::loop(const Variables& variables, const std::function<Value()>& condition,
                   const std::function<Value()>& body) {
  walk(variables, {.count = Value(), .condition = condition, .body = [&](const Value&) { return body(); }});
}

}  // namespace covec::ir

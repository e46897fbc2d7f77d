// Makes a graph of its own from each recursive function. Recursive functions are staged as regions (Kind::recursion),
// and calls name them by serial. So the reverse sweep and residuals.cpp treat them like loops. Here each becomes a
// graph. Values from its surroundings that it uses, or that a function it calls uses, become further parameters. In its
// graph they keep their numbers, so nothing inside is renamed; every call passes on the caller's values.
//
// The trade-off: other passes see an opaque call, and look at each function by itself. Extents that stem from values
// outside the function are unknown there.
#include <algorithm>
#include <map>
#include <set>

#include "jit/passes/passes.hpp"

namespace covec::passes {

using namespace ir;

namespace {

class Outlining {
 public:
  explicit Outlining(Graph& graph) : graph_(graph) {}

  void run() {
    find(graph_.body);
    if (found_.empty()) return;
    while (spread()) {
    }
    pass_on(graph_.body);
    for (auto& [serial, function] : found_) {
      Region& region = *function.region;
      region.parameters.insert(region.parameters.end(), function.uses.begin(), function.uses.end());
    }
    take_out(graph_.body);
    for (Functions::Function& function : functions_.all) number(function.graph->body);
    number(graph_.body);
    graph_.functions = std::move(functions_);
  }

 private:
  struct Found {
    Region* region = nullptr;
    std::set<Id> made;         // in the region
    std::set<Id> uses;         // from around it
    std::set<uint32_t> calls;  // functions
  };

  void find(Region& region) {
    for (Operation& operation : region.operations) {
      for (Region& inner : operation.regions) find(inner);
      if (operation.kind == Kind::recursion) look_through(operation.regions[0]);
    }
  }
  void look_through(Region& region) {
    Found& function = found_[region.serial];
    function.region = &region;
    see(region, function);
    std::erase_if(function.uses, [&](Id id) { return function.made.contains(id); });
  }
  static void see(const Region& region, Found& function) {
    function.made.insert(region.parameters.begin(), region.parameters.end());
    const auto use = [&](const Value& value) { each_symbol(value, [&](Id id) { function.uses.insert(id); }); };
    for (const Operation& operation : region.operations) {
      function.made.insert(operation.results.begin(), operation.results.end());
      std::ranges::for_each(operation.args, use);
      std::ranges::for_each(operation.rest, use);
      if (operation.kind == Kind::invoke) function.calls.insert(static_cast<uint32_t>(operation.number));
      if (operation.kind == Kind::recursion) function.calls.insert(operation.regions[0].serial);
      for (const Region& inner : operation.regions) see(inner, function);
    }
    std::ranges::for_each(region.results, use);
  }

  // What a function uses its callers must have. True where that has become more.
  bool spread() {
    bool more = false;
    for (auto& [serial, function] : found_) {
      for (const uint32_t callee : function.calls) {
        for (const Id id : found_.at(callee).uses) {
          if (!function.made.contains(id)) more |= function.uses.insert(id).second;
        }
      }
    }
    return more;
  }

  void pass_on(Region& region) {
    for (Operation& operation : region.operations) {
      for (Region& inner : operation.regions) pass_on(inner);
      const bool calls = operation.kind == Kind::invoke || operation.kind == Kind::recursion;
      if (!calls) continue;
      const auto serial =
          operation.kind == Kind::invoke ? static_cast<uint32_t>(operation.number) : operation.regions[0].serial;
      for (const Id id : found_.at(serial).uses) operation.args.push_back(graph_.symbol(id));
    }
  }

  void take_out(Region& region) {
    for (Operation& operation : region.operations) {
      for (Region& inner : operation.regions) take_out(inner);
      if (operation.kind != Kind::recursion) continue;
      Region body = std::move(operation.regions[0]);
      operation.kind = Kind::invoke;
      operation.number = body.serial;
      operation.regions.clear();
      add(std::move(body));
    }
  }

  void add(Region body) {
    auto function = std::make_shared<Graph>();
    function->name = graph_.name + "_function" + std::to_string(functions_.all.size());
    function->values = graph_.values;
    function->dims = graph_.dims;
    function->places = graph_.places;
    function->frames = graph_.frames;
    function->stacks = graph_.stacks;
    function->replays_errors = graph_.replays_errors;
    function->is_function = true;
    const uint32_t serial = body.serial;
    function->body = std::move(body);
    functions_.all.push_back({serial, std::move(function)});
  }

  void number(Region& region) {
    for (Operation& operation : region.operations) {
      for (Region& inner : operation.regions) number(inner);
      if (operation.kind == Kind::invoke)
        operation.number = static_cast<int64_t>(functions_.index_of(static_cast<uint32_t>(operation.number)));
    }
  }

  Graph& graph_;
  std::map<uint32_t, Found> found_;  // by serial
  Functions functions_;
};

}  // namespace

void outline(Graph& graph) { Outlining(graph).run(); }

}  // namespace covec::passes

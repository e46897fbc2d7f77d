// The sequences that enumerate, zip and progress give. They may run over a tensor that only the run has. Then they have
// no length or items of their own, and the code that compiles a loop over them looks at their parts.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/value/context.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

// The items of anything that `for` walks, after those in `out`. `operand` is what an error points at.
void append_items(Builder& b, const Call& call, unsigned operand, std::vector<Value>& out);

struct Enumerated final : Sequence {
  Enumerated(Value v, Value s) : items(std::move(v)), start(std::move(s)) {}
  Value items;
  Value start;  // an integer, or a Symbol that stands for one
  int64_t length() const override;
  Value at(Builder& b, int64_t i) const override;
  void step(int64_t i) const override;
  std::string text() const override;
  std::string staging_key() const override { return "enumerate"; }
  std::vector<Value> parts() const override { return {items, start}; }
  Value with_parts(std::vector<Value> values) const override;
};

struct Zipped final : Sequence {
  explicit Zipped(std::vector<Value> v) : items(std::move(v)) {}
  std::vector<Value> items;
  int64_t length() const override;
  Value at(Builder& b, int64_t i) const override;
  void step(int64_t i) const override;
  std::string text() const override;
  std::string staging_key() const override { return "zip"; }
  std::vector<Value> parts() const override { return items; }
  Value with_parts(std::vector<Value> values) const override;
};

// Redraws its line, under those of the bars around it, at most ten times a second, and not at all for loops that end
// sooner.
struct Progress final : Sequence {
  using Clock = std::chrono::steady_clock;
  Progress(Value v, std::string l, Context& c) : items(std::move(v)), label(std::move(l)), context(c), bars(c.bars) {}
  ~Progress() override { end(); }
  Value items;
  std::string label;
  Context& context;
  std::shared_ptr<Bars> bars;  // a value may outlive its session
  mutable Clock::time_point begun, drawn;
  mutable int64_t done = 0;  // of the items
  mutable bool visible = false;

  int64_t length() const override;
  Value at(Builder& b, int64_t i) const override;
  std::string text() const override;
  void step(int64_t i) const override;
  void part(double share) const;  // of the item after those that are done
  std::string staging_key() const override { return "progress " + label; }
  std::vector<Value> parts() const override { return {items}; }
  Value with_parts(std::vector<Value> values) const override;

 private:
  std::string line(double share, double seconds) const;
  void redraw(double share, Clock::time_point now) const;
  Bars::iterator place() const;
  void end() const;  // with those inside
  void draw() const;
};

}  // namespace covec::ops

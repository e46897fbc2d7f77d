// Draws under an open vmap. Where all examples run at once, one operation draws for all of them. Where they run one by
// one, each starts from the call number that there is before the loop, under a key of its own (stdlib/ops/random/
// examples.hpp): each iteration gives the number that it has come to, and the highest is the session's behind the loop.
#pragma once

#include <vector>

#include "jit/lower/graph/graph_writer.hpp"
#include "stdlib/ops/contract/builder.hpp"
#include "stdlib/value/function_ref.hpp"

namespace covec::ir {

class ExampleDraws {
 public:
  using Body = FunctionRef<Value(const Value& number)>;

  ExampleDraws(ops::Builder& builder, GraphWriter& writer) : builder_(builder), writer_(writer) {}

  bool are_open() const;
  // Whether the innermost open vmap has just been opened, for examples that are to run one by one.
  bool begin_in_order() const;
  // Of a call that draws, while a vmap is open.
  Value draw(ops::Call& call);
  // The examples of the innermost open vmap, one by one: `stack` runs the body that it is given for each of them, and
  // stacks what that gives.
  Value in_order(Body body, FunctionRef<Value(Body body)> stack);
  // What has been staged since `before`, for all examples of a vmap at once, is staged again one by one. So nothing of
  // it stays, unless a tape `keeps` it or it has an effect; its draws take no call numbers in any case.
  void rollback(GraphWriter::Position before, bool keeps);

 private:
  // Of a vmap whose examples run one by one.
  struct Stream {
    Value number, key;  // of the example
    bool draws = false;
  };
  bool is_in_order(size_t k) const { return k < streams_.size() && !streams_[k].number.is_none(); }
  Value in_order(Body body, FunctionRef<Value(Body body)> stack, bool counts, bool& draws);
  Value under_keys(ops::Call& call, unsigned first_at_once);
  Value same_for_all(ops::Call& call);
  Operation operation(const ops::Entry& entry, std::vector<Value> args, Value& result);
  Value append(const ops::Entry& entry, std::vector<Value> args);

  ops::Builder& builder_;
  GraphWriter& writer_;
  std::vector<Stream> streams_;  // by the open vmaps, the outermost first; the others have no number
};

}  // namespace covec::ir

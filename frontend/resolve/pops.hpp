// Resolves xs.pop() within an expression, as in f(xs.pop()). A separate statement before the current one takes the
// item, and the expression reads it from a temporary. This is possible only if the expression is certainly evaluated
// exactly once, and nothing before it in the statement reads xs. Otherwise it stays a call, whose error at run time
// says what to write instead. Start reading at take.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "frontend/core/builtins.hpp"
#include "frontend/core/nodes.hpp"
#include "frontend/resolve/references.hpp"
#include "frontend/resolve/targets.hpp"
#include "frontend/scopes/scopes.hpp"

namespace covec::resolve {

class Pops {
 public:
  Pops(Nodes& nodes, Scopes& scopes, Names& names, const Builtins& builtins, References& references, Targets& targets)
      : nodes_(nodes),
        scopes_(scopes),
        names_(names),
        builtins_(builtins),
        references_(references),
        targets_(targets) {}

  // What is known of the statement that is read.
  struct Reading {
    Reading* outer;
    size_t reads;  // names read before the statement
    core::Block before = {};
    unsigned uncertain = 0;
    const ast::Call* own_call = nullptr;
    std::string_view own_name = {};
    std::vector<std::string_view> popped = {};
    std::vector<std::string_view> receivers = {};               // xs, while the argument of xs.pop(…) is read
    std::unordered_map<const ast::Call*, uint32_t> slots = {};  // one may be read more than once
  };

  // While it lives, a statement of a block is read.
  class Statement {
   public:
    explicit Statement(Pops& pops);
    ~Statement();
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;
    // What comes before the statement, in order, and then the statement.
    void put(core::Stmt* statement, core::Block& out) const;
    bool has_pops() const { return !reading_.before.empty(); }

   private:
    Pops& pops_;
    Reading reading_;
  };

  // While it lives, what is read may be evaluated several times, or not at all.
  class Uncertain {
   public:
    explicit Uncertain(Pops& pops) : statement_(pops.statement_) {
      if (statement_ != nullptr) ++statement_->uncertain;
    }
    ~Uncertain() {
      if (statement_ != nullptr) --statement_->uncertain;
    }
    Uncertain(const Uncertain&) = delete;
    Uncertain& operator=(const Uncertain&) = delete;

   private:
    Reading* statement_;
  };

  // While it lives, the arguments of a method's call are read: xs.pop(…) reads xs only after them.
  class Arguments {
   public:
    Arguments(Pops& pops, const ast::Call& call);
    ~Arguments() {
      if (statement_ != nullptr) statement_->receivers.pop_back();
    }
    Arguments(const Arguments&) = delete;
    Arguments& operator=(const Arguments&) = delete;

   private:
    Reading* statement_ = nullptr;
  };

  // The statement is this call: xs.push(v), v = xs.pop().
  void is_statement(const MutatingCall& call);
  // Whether it is an update of a variable.
  bool updates(const MutatingCall& call) const;
  // A node that reads the item; nullptr where it stays a call, which has been told why.
  core::Expr* take(const ast::Call& call, core::MethodCall& as_call);

 private:
  size_t reads_of(std::string_view name) const;

  Nodes& nodes_;
  Scopes& scopes_;
  Names& names_;
  const Builtins& builtins_;
  References& references_;
  Targets& targets_;
  Reading* statement_ = nullptr;
};

}  // namespace covec::resolve

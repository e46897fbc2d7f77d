// Applier: decides how operators are applied now. It uses a Builder: the eager one, or the one that a host or a
// transformation called with. While a function is staged it is the compiler's, and then there is its Staging too.
// Errors of operators get their source places here.
#pragma once

#include "interpreter/compiler.hpp"
#include "interpreter/eval/report/reporter.hpp"
#include "stdlib/ops/contract/builder.hpp"

namespace covec {

class Applier {
 public:
  Applier(ops::Builder& builder, const Reporter& reporter) : builder_(&builder), reporter_(reporter) {}

  ops::Builder& builder() const { return *builder_; }
  Staging* staging() const { return staging_; }  // nullptr: nothing is staged
  // Whether numbers are applied by the builder too, one by one: nodes choose no quick form (Operators, Updates).
  bool watches_numbers() const { return watches_numbers_; }
  void watch_numbers(bool on) { watches_numbers_ = on; }
  // The place of what is applied next, for warnings and what is called from inside; a node's, which lives as long as
  // its unit.
  void set_site(const Span& span) { builder_->context().site = &span; }
  const Span* site() const { return builder_->context().site; }
  Span site_span() const { return site() ? *site() : Span(); }

  // An operator that no node names (index_read, transpose for `.T`, …).
  Value call(const ops::Entry& entry, std::span<Value> args, std::span<Value> rest, uint32_t literals, Span whole,
             std::span<const Span> operands, const Frame& f) const;
  Value call(const ops::Entry& entry, std::span<Value> args, Span whole, const Frame& f) const {
    return call(entry, args, {}, 0, whole, {}, f);
  }

  // Another Builder, and Staging, until the end of the scope.
  class Switch {
   public:
    Switch(Applier& applier, ops::Builder& builder, Staging* staging)
        : applier_(applier), builder_(applier.builder_), staging_(applier.staging_) {
      applier.builder_ = &builder;
      applier.staging_ = staging;
    }
    ~Switch() {
      applier_.builder_ = builder_;
      applier_.staging_ = staging_;
    }
    Switch(const Switch&) = delete;
    Switch& operator=(const Switch&) = delete;

   private:
    Applier& applier_;
    ops::Builder* builder_;
    Staging* staging_;
  };

  // At the end of the scope the site is what it was.
  class KeepSite {
   public:
    explicit KeepSite(const Applier& applier) : context_(applier.builder().context()), site_(context_.site) {}
    ~KeepSite() { context_.site = site_; }
    KeepSite(const KeepSite&) = delete;
    KeepSite& operator=(const KeepSite&) = delete;

   private:
    ops::Context& context_;
    const Span* site_;
  };

 private:
  ops::Builder* builder_;
  Staging* staging_ = nullptr;
  bool watches_numbers_ = false;
  const Reporter& reporter_;
};

std::vector<Span> operand_spans(const core::Op& op);

}  // namespace covec

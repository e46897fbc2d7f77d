#include "interpreter/profile/run.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "stdlib/tensor/pool.hpp"

namespace covec::profile {

ProfileRun::ProfileRun(CallStack& stack, ops::Context& context, Profile::Of of)
    : stack_(stack), context_(context), paths_(stack, *this) {
  if (of == Profile::Of::time)
    sampler_.emplace(paths_);
  else
    allocations_.emplace(paths_, *context.pool);
  context_.activities = this;
}

ProfileRun::~ProfileRun() { context_.activities = nullptr; }

const void* ProfileRun::id_of(const std::shared_ptr<const void>& held, FunctionRef<ops::CodeParts()> parts) {
  const auto known = codes_.find(held.get());
  if (known == codes_.end()) codes_.emplace(held.get(), Code{held, parts()});
  return held.get();
}

namespace {

std::string name_of(const void* function) {
  if (function == nullptr) return "";
  const std::string_view name = static_cast<const core::Function*>(function)->name;
  return name.empty() ? "a lambda" : std::string(name);
}

// Line `line` of a text, without what surrounds it.
std::string line_of(const std::string& text, uint32_t begin) {
  const size_t before = begin == 0 ? text.npos : text.rfind('\n', begin - 1);
  size_t from = before == text.npos ? 0 : before + 1;
  const size_t end = std::min(text.find('\n', from), text.size());
  from = std::min(text.find_first_not_of(" \t", from), end);
  std::string line = text.substr(from, end - from);
  while (line.ends_with(' ') || line.ends_with('\r')) line.pop_back();
  return line;
}

struct LineOfText {
  std::string file;
  uint32_t line = 0;
  std::string text;
};

LineOfText place_in(const SourceMap& sources, uint32_t file_id, uint32_t begin) {
  const SourceFile& file = sources.file(file_id);
  if (file_id == 0 || begin > file.text().size()) return {};
  return {file.name(), file.position(begin).line, line_of(file.text(), begin)};
}

}  // namespace

Entry ProfileRun::entry_of(const Step& step, const SourceMap& sources) const {
  Entry entry;
  entry.kind = step.kind;
  if (step.kind == Step::Kind::call) {
    entry.function = name_of(step.what);
    LineOfText place = place_in(sources, step.file, step.where);
    entry.file = std::move(place.file);
    if (place.line != 0) entry.lines = {place.line};
    entry.text = std::move(place.text);
  } else if (step.kind == Step::Kind::compiling) {
    entry.function = name_of(step.what);
  } else if (step.kind == Step::Kind::code) {
    const ops::CodeParts& parts = codes_.at(step.what).parts;
    const bool is_step = step.where < parts.steps.size() && !parts.steps[step.where].text.empty();
    const ops::CodePart& part = is_step ? parts.steps[step.where] : parts.itself;
    entry.function = parts.function;
    entry.part = is_step ? part.text : "";
    ops::Places places = part.places.empty() ? parts.itself.places : part.places;
    if (step.file < parts.places.size() && parts.places[step.file].first != 0) places = {parts.places[step.file]};
    for (const auto& [file, begin] : places) {
      LineOfText place = place_in(sources, file, begin);
      if (entry.file.empty()) entry.file = place.file;
      if (place.line == 0 || place.file != entry.file) continue;
      entry.lines.push_back(place.line);
      entry.text = std::move(place.text);
    }
    std::ranges::sort(entry.lines);
    entry.lines.erase(std::unique(entry.lines.begin(), entry.lines.end()), entry.lines.end());
    if (entry.lines.size() > 1) entry.text.clear();
  }
  return entry;
}

// Numbers entries that are alike, and adds up stacks that are.
class ProfileRun::Stacks {
 public:
  Stacks(const ProfileRun& run, const SourceMap& sources, Profile& profile)
      : run_(run), sources_(sources), profile_(profile) {}
  Profile::Stack& of(const std::vector<Step>& steps) {
    std::vector<uint32_t> stack;
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) stack.push_back(number_of(*step));
    const auto [known, is_new] = stacks_.emplace(stack, profile_.stacks.size());
    if (is_new) profile_.stacks.push_back({std::move(stack)});
    return profile_.stacks[known->second];
  }

 private:
  uint32_t number_of(const Step& step) {
    Entry entry = run_.entry_of(step, sources_);
    const Key key{entry.kind, entry.function, entry.part, entry.file, entry.lines};
    const auto [known, is_new] = numbers_.emplace(key, static_cast<uint32_t>(profile_.entries.size()));
    if (is_new) profile_.entries.push_back(std::move(entry));
    return known->second;
  }

  using Key = std::tuple<Step::Kind, std::string, std::string, std::string, std::vector<uint32_t>>;
  const ProfileRun& run_;
  const SourceMap& sources_;
  Profile& profile_;
  std::map<Key, uint32_t> numbers_;
  std::map<std::vector<uint32_t>, size_t> stacks_;
};

Profile ProfileRun::end(const SourceMap& sources) {
  if (sampler_) sampler_->stop();
  if (allocations_) allocations_->stop();
  Profile profile;
  profile.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  Stacks stacks(*this, sources, profile);
  if (sampler_) {
    const Samples& samples = sampler_->samples();
    profile.samples = samples.count();
    profile.lost = samples.lost();
    for (const Samples::Path& path : samples.paths()) stacks.of(path.steps).count += path.count;
  } else {
    profile.of = Profile::Of::memory;
    profile.peak = allocations_->peak();
    profile.lost = allocations_->lost();
    for (const auto& [steps, bytes] : allocations_->paths()) {
      if (steps.empty()) continue;
      Profile::Stack& stack = stacks.of(steps);
      stack.count += bytes.at_peak;
      stack.bytes += bytes;
    }
  }
  std::ranges::sort(profile.stacks, {}, &Profile::Stack::entries);
  return profile;
}

}  // namespace covec::profile

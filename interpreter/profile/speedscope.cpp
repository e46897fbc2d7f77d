// A profile in the format of https://speedscope.app, which other viewers read, too.
#include "frontend/source/json_string.hpp"
#include "interpreter/profile/profile.hpp"

namespace covec::profile {

namespace {

std::string number_text(double number) {
  char buffer[32];
  std::snprintf(buffer, sizeof(buffer), "%.6g", number);
  return buffer;
}

std::string frame_text(const Entry& entry) {
  std::string text = "{\"name\":" + json_string(label_of(entry));
  if (!entry.file.empty()) text += ",\"file\":" + json_string(entry.file);
  if (!entry.lines.empty()) text += ",\"line\":" + std::to_string(entry.lines.front());
  return text + "}";
}

}  // namespace

std::string speedscope_of(const Profile& profile, std::string_view name) {
  std::string frames, samples, weights;
  for (const Entry& entry : profile.entries) frames += (frames.empty() ? "" : ",\n") + frame_text(entry);
  const bool is_memory = profile.of == Profile::Of::memory;
  const double seconds = profile.samples > 0 ? profile.seconds / static_cast<double>(profile.samples) : 0;
  const auto weight_of = [&](uint64_t count) {
    return is_memory ? std::to_string(count) : number_text(seconds * static_cast<double>(count));
  };
  for (const Profile::Stack& stack : profile.stacks) {
    std::string entries;
    for (const uint32_t entry : stack.entries) entries += (entries.empty() ? "" : ",") + std::to_string(entry);
    samples += (samples.empty() ? "[" : ",\n[") + entries + "]";
    weights += (weights.empty() ? "" : ",") + weight_of(stack.count);
  }
  return "{\"$schema\":\"https://www.speedscope.app/"
         "file-format-schema.json\",\"exporter\":\"covec\",\n\"shared\":{\"frames\":[" +
         frames + "]},\n\"profiles\":[{\"type\":\"sampled\",\"name\":" + json_string(name) +
         ",\"unit\":" + (is_memory ? "\"bytes\"" : "\"seconds\"") +
         ",\"startValue\":0,\"endValue\":" + (is_memory ? std::to_string(profile.peak) : number_text(profile.seconds)) +
         ",\n\"samples\":[" + samples + "],\n\"weights\":[" + weights + "]}]}\n";
}

}  // namespace covec::profile

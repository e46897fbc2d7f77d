// A flame graph as SVG that needs nothing else: a row for each depth of calls, outermost on top; widths are shares of
// time, or of memory at the peak. Browsers show the title of each box on hover.
#include <algorithm>
#include <map>
#include <memory>

#include "interpreter/profile/profile.hpp"
#include "stdlib/canvas/svg.hpp"
#include "stdlib/tensor/pool.hpp"

namespace covec::profile {

namespace {

// In units of the page.
constexpr double page_width = 1200, margin = 10, row_height = 18, head_height = 44, letter_width = 6.6;
constexpr double least_width = 0.4;  // of a box
constexpr int lowest_row = 4096;     // no deeper: chains of calls are shorter (Samples::longest_path)

struct Box {
  uint64_t count = 0;
  std::map<uint32_t, std::unique_ptr<Box>> inside;  // by entry
};

template <class... Numbers>
std::string printed(const char* format, Numbers... numbers) {
  char buffer[200];
  std::snprintf(buffer, sizeof(buffer), format, numbers...);
  return buffer;
}

// As many characters as there is room for.
std::string cut(const std::string& text, double width) {
  const auto room = static_cast<size_t>(std::max(0.0, (width - 6) / letter_width));
  if (room < 3) return "";
  size_t characters = 0, at = 0;
  for (; at < text.size(); ++at) {
    const bool begins = (static_cast<unsigned char>(text[at]) & 0xC0) != 0x80;
    if (begins && ++characters > room) break;
  }
  if (at == text.size()) return text;
  return text.substr(0, std::min(at, room - 1)) + "…";
}

// Shades of one colour for each kind, by the name.
std::string colour_of(const Entry& entry) {
  uint32_t hash = 2166136261;  // FNV-1a
  for (const char c : label_of(entry)) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619;
  const int hue = entry.kind == Step::Kind::code ? 205 : entry.kind == Step::Kind::compiling ? 280 : 32;
  return printed("hsl(%d,%d%%,%d%%)", hue + static_cast<int>(hash % 18), 62, 66 + static_cast<int>(hash / 18 % 12));
}

class FlameGraph {
 public:
  FlameGraph(const Profile& profile, std::string_view name) : profile_(profile), name_(name) {
    for (const Profile::Stack& stack : profile.stacks) {
      Box* at = &all_;
      at->count += stack.count;
      for (const uint32_t entry : stack.entries) {
        std::unique_ptr<Box>& inside = at->inside[entry];
        if (inside == nullptr) inside = std::make_unique<Box>();
        at = inside.get();
        at->count += stack.count;
      }
    }
  }

  std::string text() {
    double at = margin;
    for (const auto& [entry, box] : all_.inside) at = draw(*box, entry, at, 0);
    const double height = head_height + (deepest_ + 1) * row_height + margin;
    return printed("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" viewBox=\"0 0 %g %g\" ",
                   page_width, height, page_width, height) +
           "font-family=\"DejaVu Sans Mono, monospace\" font-size=\"11\">\n" +
           printed("<rect width=\"%g\" height=\"%g\" fill=\"#ffffff\"/>\n", page_width, height) +
           printed("<text x=\"%g\" y=\"27\" font-size=\"14\">", margin) + plot::xml_escaped(name_) + ", " + whole() +
           "</text>\n" + boxes_ + "</svg>\n";
  }

 private:
  std::string whole() const {
    return profile_.of == Profile::Of::memory ? human_bytes(profile_.peak) + " at the peak"
                                              : printed("%.2f s", profile_.seconds);
  }

  double width_of(const Box& box) const {
    return (page_width - 2 * margin) * static_cast<double>(box.count) /
           static_cast<double>(std::max<uint64_t>(all_.count, 1));
  }

  // Gives where the next box begins.
  double draw(const Box& box, uint32_t number, double x, int row) {
    const double width = width_of(box);
    if (width < least_width || row > lowest_row) return x + width;
    deepest_ = std::max(deepest_, row);
    const Entry& entry = profile_.entries[number];
    const double y = head_height + row * row_height;
    const double share = 100.0 * static_cast<double>(box.count) / static_cast<double>(all_.count);
    std::string title = label_of(entry) + printed(", %.1f %%", share);
    if (!entry.text.empty()) title += "\n" + entry.text;
    boxes_ += "<g><title>" + plot::xml_escaped(title) + "</title>" +
              printed("<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\" rx=\"2\" ", x, y,
                      std::max(width - 0.5, 0.3), row_height - 1) +
              "fill=\"" + colour_of(entry) + "\"/>";
    const std::string label = cut(label_of(entry), width);
    if (!label.empty())
      boxes_ += printed("<text x=\"%.2f\" y=\"%.1f\">", x + 3, y + 12.5) + plot::xml_escaped(label) + "</text>";
    boxes_ += "</g>\n";
    double at = x;
    for (const auto& [inner, inside] : box.inside) at = draw(*inside, inner, at, row + 1);
    return x + width;
  }

  const Profile& profile_;
  const std::string_view name_;
  Box all_;
  std::string boxes_;
  int deepest_ = 0;
};

}  // namespace

std::string flame_graph_of(const Profile& profile, std::string_view name) { return FlameGraph(profile, name).text(); }

}  // namespace covec::profile

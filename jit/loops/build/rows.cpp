#include "jit/loops/build/rows.hpp"

#include <algorithm>
#include <stdexcept>

namespace covec::loops {

using ir::id_of;
using ir::is_symbol;

void RowBuilder::before(const Unit& unit) {
  if (unit.row_tile == Unit::alone || !held_.empty()) return;
  steps_.hold(&held_);
  // What a member reads stays what it is until all have run.
  std::vector<SlotId> read;
  for (const RowMember& member : scopes_.block().row_tiles[unit.row_tile].members) {
    for (const Value& x : member.reads) read.push_back(places_.slot_of(x));
  }
  places_.keep(std::move(read));
}

void RowBuilder::after(const Unit& unit, const Unit* next) {
  if (unit.row_tile == Unit::alone || (next != nullptr && next->row_tile == unit.row_tile)) return;
  steps_.hold(nullptr);
  places_.keep({});
  finish(scopes_.block().row_tiles[unit.row_tile]);
  held_.clear();
}

uint32_t RowBuilder::number_of_read(RowTileSteps& row_tiles, SlotId slot, uint32_t rank) {
  const auto same = [&](const RowTileSteps::Read& read) { return read.slot == slot; };
  const auto found = std::ranges::find_if(row_tiles.reads, same);
  const auto number = static_cast<uint32_t>(found - row_tiles.reads.begin());
  if (found == row_tiles.reads.end()) row_tiles.reads.push_back({slot, rank, false});
  return number;
}

// What a member moves out of its slot nobody needs after the tile.
void RowBuilder::note_moved(RowTileSteps& row_tiles, const Step& step) {
  const auto moved = [&](SlotId slot) {
    for (RowTileSteps::Read& read : row_tiles.reads) read.last |= read.slot == slot;
    for (RowTileSteps::Made& made : row_tiles.made) made.needed &= made.slot != slot;
  };
  if (const auto* run = step.get_if<step::RunLaunch>()) {
    for (const Launch::Input& input : plan_.launches[run->launch].inputs) {
      if (input.last) moved(input.slot);
    }
  }
  for (const Operand& operand : step.operands) {
    if (operand.kind == Operand::Kind::slot && operand.last) moved(operand.slot);
  }
  for (const SlotId slot : step.drops) moved(slot);
}

void RowBuilder::finish(const RowTile& tile) {
  if (held_.size() != tile.members.size()) throw std::logic_error("a member of a row tile is no step");
  RowTileSteps row_tiles;
  for (size_t m = 0; m < held_.size(); ++m) {
    const RowMember& about = tile.members[m];
    RowTileSteps::Member& member = row_tiles.members.emplace_back(RowTileSteps::Member{.step = held_[m], .reads = {}});
    member.reduction = about.reduction;
    for (const Value& x : about.reads) {
      const SlotId slot = places_.slot_of(x);
      const auto is_it = [&](const RowTileSteps::Made& made) { return made.slot == slot; };
      if (std::ranges::any_of(row_tiles.made, is_it))
        member.reads_made = true;
      else if (const uint32_t read = number_of_read(row_tiles, slot, about.rank);
               std::ranges::find(member.reads, read) == member.reads.end())
        member.reads.push_back(read);
    }
    for (const RowMember::Made& made : about.made)
      row_tiles.made.push_back({places_.slot(made.id), true, made.whole, made.dtype});
    note_moved(row_tiles, plan_.steps[held_[m]]);
  }
  Step step{.action = step::RunRowTiles{static_cast<uint32_t>(plan_.row_tiles.size())},
            .place = plan_.steps[held_[0]].place};
  plan_.row_tiles.push_back(std::move(row_tiles));
  steps_.call(std::move(step));
}

}  // namespace covec::loops

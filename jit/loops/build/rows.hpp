// Builds the units of a row tile. They become steps that the code does not call itself, and one step that it calls. See
// row_tiles.hpp.
#pragma once

#include "jit/loops/build/steps.hpp"

namespace covec::loops {

class RowBuilder {
 public:
  RowBuilder(Plan& plan, Scopes& scopes, Placement& places, StepBuilder& steps)
      : plan_(plan), scopes_(scopes), places_(places), steps_(steps) {}
  // Before each unit; steps of those of a row tile are held back.
  void before(const Unit& unit);
  // After it: the last one of a row tile calls them all.
  void after(const Unit& unit, const Unit* next);

 private:
  void finish(const RowTile& tile);
  uint32_t number_of_read(RowTileSteps& row_tiles, SlotId slot, uint32_t rank);
  void note_moved(RowTileSteps& row_tiles, const Step& step);

  Plan& plan_;
  Scopes& scopes_;
  Placement& places_;
  StepBuilder& steps_;
  std::vector<uint32_t> held_;
};

}  // namespace covec::loops

#include "interpreter/lsp/features.hpp"

namespace covec::lsp {

std::optional<Cursor> place_in(Workspace& workspace, const Json& params) {
  Document* document = workspace.find(params.at("textDocument").at("uri").get<std::string>());
  if (document == nullptr) return std::nullopt;
  const Analysis& analysis = workspace.analysis_of(*document);
  return Cursor{*document, analysis, workspace.positions(*document).offset(params.at("position"))};
}

std::optional<Meaning> member_of(Workspace& workspace, const Cursor& place, uint32_t object, std::string_view name) {
  const NameIndex& names = place.analysis.names;
  const IndexedImport* import = object == no_index ? nullptr : names.import_of(object);
  const ReadText* module = import == nullptr ? nullptr : workspace.module(*import, place.document.path);
  if (module == nullptr) return std::nullopt;
  const uint32_t symbol = module->names.find(0, name);
  if (symbol == no_index) return std::nullopt;
  return Meaning{module, &module->names, module->file, symbol};
}

std::optional<Meaning> meaning_at(Workspace& workspace, const Cursor& place) {
  const NameIndex& names = place.analysis.names;
  if (const IndexedMember* member = names.member_at(place.offset))
    return member_of(workspace, place, member->object, member->name);
  const NameUse* use = names.use_at(place.offset);
  if (use == nullptr) return std::nullopt;
  return Meaning{nullptr, &names, place.analysis.file, use->symbol};
}

}  // namespace covec::lsp

" Indentation of Covec @VERSION@, written by the build: a step more than the line with the innermost open bracket.
if exists("b:did_indent")
  finish
endif
let b:did_indent = 1

setlocal indentexpr=CovecIndent() indentkeys=0},0),0],!^F,o,O
setlocal autoindent
let b:undo_indent = "setlocal indentexpr< indentkeys< autoindent<"

if exists("*CovecIndent")
  finish
endif

" Whether the bracket under the cursor is text.
function s:IsText() abort
  return synIDattr(synID(line("."), col("."), 0), "name") =~# '^covec\%(Comment\|String\|FString\|Escape\|DoubledBrace\|Format\)$'
endfunction

function CovecIndent() abort
  call cursor(v:lnum, 1)
  let opener = searchpair('[([{]', '', '[])}]', 'bnW', 's:IsText()', max([1, v:lnum - 2000]))
  if opener == 0
    return 0
  endif
  return indent(opener) + (getline(v:lnum) =~# '^\s*[])}]' ? 0 : shiftwidth())
endfunction

" Vim's syntax file for Covec @VERSION@, written by the build.
if exists("b:current_syntax")
  finish
endif

syn iskeyword @,48-57,_,192-255
syn keyword covecKeyword fn nextgroup=covecFunctionName skipwhite
@VIM_RULES@

" A field is no builtin, unless it is called.
syn match covecField +\.\h\k*\>\%(\s*(\)\@!+ contains=@VIM_KEYWORDS@
syn match covecFunctionName +\h\k*+ contained
syn match covecDecorator +^\s*@\h\k*+
syn match covecComment +#.*+ contains=covecTodo,@Spell
syn keyword covecTodo TODO FIXME XXX contained

" A string ends with its line.
syn match covecEscape +\\.+ contained
syn region covecString start=+"+ skip=+\\.+ end=+"+ end=+$+ contains=covecEscape,@Spell
syn region covecString start=+'+ skip=+\\.+ end=+'+ end=+$+ contains=covecEscape,@Spell
syn region covecFString start=+\<f"+ skip=+\\.+ end=+"+ end=+$+ contains=covecInterpolation,covecDoubledBrace,covecEscape,@Spell
syn region covecFString start=+\<f'+ skip=+\\.+ end=+'+ end=+$+ contains=covecInterpolation,covecDoubledBrace,covecEscape,@Spell

" Code in an f-string, up to its brace; a colon outside further brackets begins the format.
syn region covecInterpolation matchgroup=covecBrace start=+{+ end=+}+ contained contains=@covecCode,covecFormat
syn match covecDoubledBrace +{{\|}}+ contained
syn match covecFormat +:[^{}"']*+ contained
syn region covecNested start=+(+ end=+)+ contained contains=@covecCode
syn region covecNested start=+\[+ end=+]+ contained contains=@covecCode
syn region covecNested start=+{+ end=+}+ contained contains=@covecCode
syn cluster covecCode contains=covecComment,covecString,covecFString,covecField,covecNested,@VIM_GROUPS@
syn sync fromstart

hi def link covecFunctionName Function
hi def link covecDecorator PreProc
hi def link covecComment Comment
hi def link covecTodo Todo
hi def link covecString String
hi def link covecFString String
hi def link covecEscape SpecialChar
hi def link covecDoubledBrace SpecialChar
hi def link covecFormat SpecialChar
hi def link covecBrace Delimiter

let b:current_syntax = "covec"

" Comments, brackets and indentation of Covec @VERSION@, written by the build.
if exists("b:did_ftplugin")
  finish
endif
let b:did_ftplugin = 1

setlocal comments=:# commentstring=#\ %s
setlocal matchpairs=(:),[:],{:}
setlocal expandtab shiftwidth=4 softtabstop=4
setlocal suffixesadd=.covec
setlocal formatoptions-=t formatoptions+=croql
let b:undo_ftplugin = "setlocal comments< commentstring< matchpairs< expandtab< shiftwidth< softtabstop< suffixesadd< formatoptions<"

" Writes the class of each byte of the files given, a line for each file, to $COVEC_CLASSES.
let s:classes = {
  \ "covecKeyword": "k", "covecOperator": "k", "covecConstant": "k", "covecNumber": "n", "covecComment": "c", "covecTodo": "c",
  \ "covecString": "s", "covecFString": "s", "covecEscape": "s", "covecDoubledBrace": "s", "covecFormat": "s"}

function s:ClassesOfBuffer() abort
  let names = {}
  let classes = ""
  for line in range(1, line("$"))
    for column in range(1, len(getline(line)))
      let id = synID(line, column, 0)
      if !has_key(names, id)
        let names[id] = get(s:classes, synIDattr(id, "name"), ".")
      endif
      let classes .= names[id]
    endfor
    let classes .= "."
  endfor
  return classes
endfunction

let s:lines = []
for file in argv()
  execute "edit" fnameescape(file)
  call add(s:lines, s:ClassesOfBuffer())
endfor
call writefile(s:lines, $COVEC_CLASSES)

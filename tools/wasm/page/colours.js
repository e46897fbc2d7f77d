// Colours of programs. The kinds of tokens and their words are the table of the editors (tools/editors/write.py writes tokens.js).
import {WORDS, NUMBER} from './tokens.js';

const kinds = new Map(Object.entries(WORDS).flatMap(([kind, words]) => words.map(word => [word, kind])));
const GRAMMAR = new Set(['Keyword', 'Operator', 'Constant']);  // these are words everywhere; the others are names that may be hidden

const TOKEN = new RegExp([
  String.raw`(?<comment>#.*)`,
  String.raw`(?<string>\bf?"(?:\\.|[^"\\\n])*"?|"(?:\\.|[^"\\\n])*"?|\bf?'(?:\\.|[^'\\\n])*'?|'(?:\\.|[^'\\\n])*'?)`,
  String.raw`(?<decorator>^[ \t]*@[\p{L}_][\p{L}\p{N}_]*)`,
  String.raw`(?<number>(?<![\p{L}\p{N}_])(?:${NUMBER}))`,
  String.raw`(?<word>[\p{L}_][\p{L}\p{N}_]*)`,
].join('|'), 'gmu');

function kindOf(word, text, begin) {
  const kind = kinds.get(word);
  if (kind === undefined || GRAMMAR.has(kind)) return kind;
  const after = text.slice(begin + word.length, begin + word.length + 80);
  if (/^[ \t]*=(?!=)/.test(after)) return undefined;                            // it names something else
  return text[begin - 1] === '.' && !/^[ \t]*\(/.test(after) ? undefined : kind;  // the name of a field
}

// The pieces [kind, text] of a program, whose texts together are the program; `kind` is undefined for the rest.
export function* piecesOf(text) {
  let done = 0;
  for (const found of text.matchAll(TOKEN)) {
    const {comment, string, decorator, number, word} = found.groups;
    const kind = comment ? 'Comment' : string ? 'String' : decorator ? 'Decorator' : number ? 'Number' : kindOf(word, text, found.index);
    if (kind === undefined) continue;
    if (found.index > done) yield [undefined, text.slice(done, found.index)];
    yield [kind, found[0]];
    done = found.index + found[0].length;
  }
  if (done < text.length) yield [undefined, text.slice(done)];
}

// An element for each line.
export function linesOf(text) {
  const lines = [];
  const begin = () => {
    const line = document.createElement('span');
    line.className = 'line';
    lines.push(line);
  };
  begin();
  for (const [kind, piece] of piecesOf(text)) {
    piece.split('\n').forEach((part, i) => {
      if (i > 0) begin();
      if (part === '') return;
      if (kind === undefined) return lines.at(-1).append(part);
      const span = document.createElement('span');
      span.className = kind;
      span.textContent = part;
      lines.at(-1).append(span);
    });
  }
  return lines;
}

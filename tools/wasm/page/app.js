// The page: a program in a box, a worker that runs it, and what it tells. Start reading at run().
import {linesOf} from './colours.js';
import {Input} from './input.js';
import {fragmentOf, textOf} from './link.js';
import {Output} from './output.js';

const FIRST = '# Ctrl+Enter runs this.\nx = linspace(-1, 1, 5)\nprint(x^2)\ngrad(x -> sum(x^3))(x)\n';
const $ = id => document.getElementById(id);
const program = $('program'), state = $('state');

// --- the box ---

let marks = new Map();  // line -> kind

function paint() {
  const lines = linesOf(program.value);
  for (const [line, kind] of marks) lines[line - 1]?.classList.add(kind);
  $('colours').replaceChildren(...lines);
}

function go(line, column) {
  const before = program.value.split('\n').slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
  program.focus();
  program.setSelectionRange(before + column - 1, before + column - 1);
  $('colours').children[line - 1]?.scrollIntoView({block: 'nearest'});
}

function fill(text) {
  program.value = text;
  marks.clear();
  paint();
  $('editor').scrollTop = 0;
}

program.addEventListener('input', () => {
  marks.clear();
  paint();
});
program.addEventListener('keydown', event => {
  if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey && !event.isComposing) {
    const line = program.value.slice(0, program.selectionStart).split('\n').at(-1);
    const more = /[{([]\s*$/.test(line) ? '    ' : '';
    event.preventDefault();
    document.execCommand('insertText', false, '\n' + /^[ \t]*/.exec(line)[0] + more);  // which can be undone
  }
});

// --- the worker ---

let module, worker, ready = false, running = false;
const input = new Input();
let given = [];  // files for programs: [path, bytes]

const output = new Output($('output'), go, (line, kind) => {
  if (!marks.has(line)) marks.set(line, kind);
  paint();
});

function say(text) {
  state.textContent = text;
}

function update() {
  $('run').disabled = !ready || running;
  $('stop').disabled = !running;
}

// Ends the one before, and all that it holds.
function begin(files = given) {
  given = files;
  worker?.terminate();
  output.unask();
  ready = running = false;
  worker = new Worker('worker.js', {type: 'module'});
  worker.onmessage = ({data}) => hear(data);
  worker.onerror = event => {
    output.tell({kind: 'error', text: `error: the page failed: ${event.message}\n`});
    output.show();
    const hadBegun = ready;
    running = false;
    if (hadBegun) begin();
    say(hadBegun ? 'Started anew; variables are gone' : 'Covec could not be started');
    update();
  };
  worker.postMessage({do: 'begin', module, files, name: input.begin()});
  update();
}

function hear(piece) {
  if (piece.kind === 'ready') {
    ready = true;
    if (!/^(Stopped|Started)/.test(state.textContent)) say('Ready');
  } else if (piece.kind === 'done') {
    output.show();
    running = false;
    const took = piece.seconds < 0.1 ? `${(piece.seconds * 1000).toFixed(1)} ms` : `${piece.seconds.toFixed(2)} s`;
    say((piece.status === 0 ? `Done in ${took}` : `Ended with status ${piece.status} after ${took}`) +
        (piece.anew ? '; variables are gone' : ''));
    if (document.activeElement === $('output')) program.focus();  // where a question has left it
  } else if (piece.kind === 'ask') {
    say('Waiting for a line');
    output.tell({...piece, answer: line => answer(piece.number, line)});
  } else {
    output.tell(piece);
  }
  update();
}

function answer(number, line) {
  say('Running…');
  $('output').focus();
  input.answer(number, line);
}

function run() {
  if (!ready || running) return;
  marks.clear();
  paint();
  output.clear();
  running = true;
  say('Running…');
  update();
  worker.postMessage({do: 'run', text: program.value});
}

function stop() {
  if (!running) return;
  output.show();
  begin();
  say('Stopped; variables are gone');
  program.focus();
}

$('run').addEventListener('click', run);
$('stop').addEventListener('click', stop);
document.addEventListener('keydown', event => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    run();
  }
  if (event.key === 'Escape' && event.target.closest('.question')) stop();
});

// --- links ---

let linked;  // the fragment that the page has made itself

$('link').addEventListener('click', async () => {
  linked = await fragmentOf(program.value);
  history.replaceState(null, '', linked);
  const copied = await navigator.clipboard?.writeText(location.href).then(() => true, () => false);
  say(copied ? 'The link is copied, and is the address of this page' : 'The address of this page is the link');
});

async function openLink() {
  if (location.hash === linked) return true;
  const text = await textOf(location.hash);
  if (text !== undefined) fill(text);
  else if (location.hash.startsWith('#p=')) say('The link is broken: no program can be read from it');
  return text !== undefined;
}
addEventListener('hashchange', openLink);

// --- examples ---

let examples = [];

async function choose(example) {
  if (!example) return;
  fill(example.text);
  say('Loading…');
  const load = async path => [path, new Uint8Array(await (await fetch(`files/${path}`)).arrayBuffer())];
  const files = await Promise.all(example.files.map(load));
  output.clear();
  begin(files);
  say('Started anew with this example; Run shows what it does');
}

async function offer() {
  const listed = await (await fetch('examples.json')).json();
  examples = listed.offered;
  const groups = new Map();
  examples.forEach(({group, title}, i) => {
    if (!groups.has(group)) {
      groups.set(group, Object.assign(document.createElement('optgroup'), {label: group}));
      $('examples').append(groups.get(group));
    }
    groups.get(group).append(new Option(title, i));
  });
  for (const {title, note, picture} of listed.left_out) {
    const item = document.createElement('li');
    if (picture) item.append(Object.assign(document.createElement('img'), {src: picture, alt: '', loading: 'lazy'}));
    const line = document.createElement('p');
    line.textContent = `${title}: ${note}`;
    item.append(line);
    $('left-out').append(item);
  }
}

$('examples').append(new Option('Choose one', ''));
$('examples').addEventListener('change', () => choose(examples[$('examples').value]));

// --- all of it ---

async function compiled() {
  const answer = await fetch('covec.wasm');
  if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
  return answer.headers.get('Content-Type') === 'application/wasm' ? WebAssembly.compileStreaming(answer)
                                                                  : WebAssembly.compile(await answer.arrayBuffer());
}

async function main() {
  const compiling = compiled(), starting = input.start();
  if (!await openLink()) fill(FIRST);
  try {
    module = await compiling;
  } catch (error) {
    say(`Covec could not be loaded: ${error.message}`);
    return;
  }
  await starting;
  begin();
  await offer();
}

main();

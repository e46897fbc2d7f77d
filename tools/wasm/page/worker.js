// Runs programs, so that the page stays usable. It gets {do: 'begin', module, files, name} and then {do: 'run', text} from the page,
// and tells pieces {kind, text} of output in the order in which they came, {kind: 'ask', number} when the program waits for a line,
// {kind: 'file', path, bytes} of each file that the program wrote, and {kind: 'done', status, seconds} after them.
import {Covec} from './covec.js';

const PROGRAM = 'program.covec';
const MOST_FAILURES = 5;  // of requests for a line, one after the other: a service worker may be ended in the middle of one
const encoder = new TextEncoder(), decoder = new TextDecoder();

let covec;
let name, asked = 0, waited = 0;  // by which it asks; questions; milliseconds

function tell(kind, bytes) {
  postMessage({kind, text: decoder.decode(bytes)});
}

function log(bytes) {
  tell('error', bytes);
}

// The answer to a question, {line}: null at the end of the input, undefined where the user has not answered yet. No object: nobody
// answers.
function answerTo(number) {
  const request = new XMLHttpRequest();
  request.open('GET', `line?of=${name}&number=${number}`, false);
  for (let failures = 0; failures < MOST_FAILURES; ++failures) {
    try {
      request.send();
      return JSON.parse(request.responseText);
    } catch (error) {
      if (error instanceof SyntaxError) return undefined;  // a server has answered
    }
  }
  return undefined;
}

// The bytes of the user's next line (covec.js).
function ask() {
  if (name === undefined) return undefined;
  const start = performance.now(), number = ++asked;
  postMessage({kind: 'ask', number});
  let answer;
  while ((answer = answerTo(number)) && answer.line === undefined) continue;
  if (!answer) postMessage({kind: 'unasked'});
  waited += performance.now() - start;
  return typeof answer?.line === 'string' ? encoder.encode(answer.line) : answer?.line;
}

const known = new Map();  // what each file held when it was last looked at: a length and a sum

function sum(bytes) {
  let value = bytes.length;
  for (const byte of bytes) value = (Math.imul(value, 31) + byte) | 0;
  return value;
}

// Tells the files that are new, or have changed.
function tellFiles(silent = false) {
  for (const path of covec.paths()) {
    if (path === `/${PROGRAM}`) continue;
    const bytes = covec.fileAt(path);
    if (bytes === undefined || known.get(path) === sum(bytes)) continue;
    known.set(path, sum(bytes));
    if (!silent) postMessage({kind: 'file', path, bytes});
  }
}

function begin({module, files, name: given}) {
  name = given;
  covec = new Covec(module, {tell, log, ask});
  for (const [path, bytes] of files) covec.giveFile(path, bytes);
  tellFiles(true);
  postMessage({kind: 'ready'});
}

async function run({text}) {
  const calls = covec.calls;
  const given = covec.giveFile(PROGRAM, encoder.encode(text));
  const start = performance.now();
  waited = 0;
  const status = given ? await covec.run(PROGRAM, true) : 1;
  const seconds = (performance.now() - start - waited) / 1000;
  tellFiles();
  postMessage({kind: 'done', status, seconds, anew: covec.calls !== calls});
}

// The page hears of what nobody has caught, and starts another worker.
onmessage = async ({data}) => {
  try {
    await {begin, run}[data.do](data);
  } catch (error) {
    reportError(error);
  }
};

// What programs tell, as elements. All of it is shown as text, but for figures, which are images, and tables, of whose HTML the
// cells are taken.

const LONGEST = 4 << 20;  // characters that are kept; what came first is dropped
const CELLS = new Set(['TABLE', 'THEAD', 'TBODY', 'TR', 'TH', 'TD', 'P']);
const PLACE = /^( *--> |.*called from )(program\.covec:(\d+)(?::(\d+))?)/;
const TYPES = {svg: 'image/svg+xml', csv: 'text/csv', txt: 'text/plain', wav: 'audio/wav', json: 'application/json'};

function element(name, kind, text = '') {
  const made = document.createElement(name);
  if (kind) made.className = kind;
  made.textContent = text;
  return made;
}

// Styles of cells, which the page's own rules forbid. Texts in the module's HTML have no `<`.
function withoutStyles(html) {
  return html.replace(/<(t[dh](?: colspan="\d+")?) style="([^"]*)">/g,
                      (_, cell, style) => `<${cell}${style.includes('left') ? ' class="left"' : ''}>`);
}

// The table of HTML that the module wrote: its cells and their texts, and nothing else of it.
function copied(node) {
  if (node.nodeType === Node.TEXT_NODE) return document.createTextNode(node.data);
  const copy = CELLS.has(node.tagName) ? document.createElement(node.tagName) : document.createDocumentFragment();
  if (node.tagName === 'TD' || node.tagName === 'TH') {
    copy.colSpan = Math.max(1, Number(node.getAttribute('colspan') ?? 1));
    if (node.className === 'left') copy.className = 'left';
  }
  for (const child of node.childNodes) copy.append(copied(child));
  return copy;
}

export class Output {
  // `go(line, column)` is called when the place of an error is chosen; `mark(line, kind)` when one is told.
  constructor(box, go, mark) {
    Object.assign(this, {box, go, mark});
    this.waiting = [];  // pieces that the next frame shows
    this.clear();
  }

  clear() {
    this.waiting = [];
    this.addresses?.forEach(address => URL.revokeObjectURL(address));
    this.addresses = [];
    this.length = 0;
    this.value = this.progress = this.note = undefined;
    this.box.replaceChildren();
  }

  // Pieces come faster than they can be shown: those of a frame are shown at once.
  tell(piece) {
    const last = this.waiting.at(-1);
    if (last?.kind === piece.kind && piece.kind === 'output') last.text += piece.text;
    else if (last?.kind === piece.kind && piece.kind === 'progress') last.text = piece.text;
    else this.waiting.push(piece);
    if (last?.kind === 'output' && last.text.length > 2 * LONGEST) last.text = last.text.slice(-LONGEST);
    this.frame ??= setTimeout(() => this.show(), 30);
  }

  show() {
    clearTimeout(this.frame);
    this.frame = undefined;
    const below = this.box.scrollHeight - this.box.scrollTop - this.box.clientHeight;
    const pieces = this.waiting;
    this.waiting = [];
    for (const piece of pieces) this[`show_${piece.kind}`](piece);
    this.shorten();
    if (below < 40) this.box.scrollTop = this.box.scrollHeight;
  }

  add(made, length = 0) {
    if (this.progress) this.progress.before(made);
    else this.box.append(made);
    this.length += length;
    return made;
  }

  // One element for some lines: browsers lay a long text out anew for each that is added to it.
  show_output({text}) {
    const last = this.progress ? this.progress.previousSibling : this.box.lastChild;
    const open = last?.className === 'output' && !last.textContent.endsWith('\n');
    if (open) last.textContent += text;
    else this.add(element('pre', 'output', text));
    this.length += text.length;
  }

  show_value({text}) {
    this.value = this.add(element('pre', 'value', text), text.length);
  }

  // In place of its text, which stays for those who ask for it.
  replaceValue() {
    this.value?.classList.add('replaced');
    this.value = undefined;
  }

  show_svg({text}) {
    this.replaceValue();
    this.picture(new Blob([text], {type: TYPES.svg}), 'figure');
  }

  picture(blob, name) {
    const image = element('img');
    image.src = this.address(blob);
    image.alt = name;
    this.add(image);
  }

  address(blob) {
    this.addresses.push(URL.createObjectURL(blob));
    return this.addresses.at(-1);
  }

  show_html({text}) {
    this.replaceValue();
    const box = element('div', 'table');
    box.append(copied(new DOMParser().parseFromString(withoutStyles(text), 'text/html').body));
    this.add(box, text.length);
  }

  show_error({text}) {
    const made = element('pre', 'error');
    const kind = text.startsWith('warning:') ? 'warned' : 'marked';
    if (kind === 'warned') made.classList.add('warning');
    let first = true;
    for (const line of text.split(/(?<=\n)/)) {
      const found = PLACE.exec(line);
      if (!found) {
        made.append(line);
        continue;
      }
      const [, before, place, row, column] = found;
      const button = element('button', 'place', place);
      button.type = 'button';
      button.addEventListener('click', () => this.go(Number(row), Number(column ?? 1)));
      made.append(before, button, line.slice(found[0].length));
      if (first) this.mark(Number(row), kind);
      first = false;
    }
    this.add(made, text.length);
  }

  // Takes the place of the line before.
  show_progress({text}) {
    if (text.trim() === '') {
      this.progress?.remove();
      this.progress = undefined;
      return;
    }
    if (!this.progress) {
      const made = element('pre', 'progress');
      this.add(made);
      this.progress = made;
    }
    this.progress.textContent = text.replaceAll('\r', '');
  }

  // A line that is not at its end belongs to the question.
  show_ask({answer}) {
    const last = this.progress ? this.progress.previousSibling : this.box.lastChild;
    const begin = last?.className === 'output' ? last.textContent.lastIndexOf('\n') + 1 : 0;
    const prompt = last?.className === 'output' ? last.textContent.slice(begin) : '';
    if (prompt) last.textContent = last.textContent.slice(0, begin);
    const form = element('form', 'question'), label = element('label'), field = element('input');
    label.append(element('span', 'prompt', prompt), field);
    Object.assign(field, {type: 'text', autocomplete: 'off', spellcheck: false, autocapitalize: 'off'});
    if (!prompt.trim()) field.ariaLabel = 'A line for the program';
    const send = element('button', '', 'Send'), end = element('button', '', 'End of input');
    end.type = 'button';
    form.append(label, send, end);
    const close = line => {
      const told = element('pre', 'output', prompt);
      if (line !== undefined) told.append(element('span', 'given', line ?? ''), '\n');
      form.replaceWith(told);
      this.unask = () => {};
    };
    this.unask = () => close(undefined);
    const endWith = line => {
      close(line);
      answer(line);
    };
    form.addEventListener('submit', event => {
      event.preventDefault();
      endWith(field.value);
    });
    end.addEventListener('click', () => endWith(null));
    this.add(form);
    field.focus();
  }

  show_unasked() {
    this.unask();
  }

  // Takes the field away.
  unask() {}

  show_file({path, bytes}) {
    const name = path.slice(path.lastIndexOf('/') + 1);
    const blob = new Blob([bytes], {type: TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream'});
    if (name.endsWith('.svg')) this.picture(blob, name);
    const line = element('p', 'note', 'The program wrote ');
    const link = element('a', '', name);
    link.href = this.address(blob);
    link.download = name;
    line.append(link, '.');
    this.add(line);
  }

  show_note({text}) {
    this.add(element('p', 'note', text));
  }

  shorten() {
    if (this.length <= LONGEST) return;
    while (this.length > LONGEST && this.box.childElementCount > 1) {
      const oldest = this.box.firstElementChild === this.note ? this.note.nextElementSibling : this.box.firstElementChild;
      if (oldest === this.box.lastElementChild || oldest === null) break;
      this.length -= oldest.textContent.length;
      oldest.remove();
    }
    this.note ??= element('p', 'note', 'The first lines are left out here.');
    this.box.prepend(this.note);
  }
}

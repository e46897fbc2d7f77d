// Lines of the user for a program that waits for them in the worker. service.js says how it waits.

const LONGEST_START = 2000;  // milliseconds until a page begins without a service worker

async function control() {
  const services = navigator.serviceWorker;
  await services.register('service.js');
  const {active} = await services.ready;
  if (services.controller) return;
  const changed = new Promise(resolve => services.addEventListener('controllerchange', resolve, {once: true}));
  active.postMessage('claim');  // the first time, and after a reload past the cache
  await changed;
}

export class Input {
  constructor() {
    this.answers = new Map();  // number of a question -> {told, tell}: a promise of its line, and what keeps it
    navigator.serviceWorker?.addEventListener('message', ({data, source}) => this.serve(data, source));
  }

  // Browsers have service workers over https and on localhost, and not in all private windows.
  async start() {
    const late = new Promise(resolve => setTimeout(resolve, LONGEST_START));
    if (navigator.serviceWorker) await Promise.race([control(), late]).catch(() => {});
  }

  // A new worker: the name by which it asks, or undefined where it cannot.
  begin() {
    this.answers.clear();
    this.name = navigator.serviceWorker?.controller ? crypto.randomUUID() : undefined;
    return this.name;
  }

  question(number) {
    if (!this.answers.has(number)) {
      let tell;
      const told = new Promise(resolve => tell = resolve);
      this.answers.set(number, {told, tell});
    }
    return this.answers.get(number);
  }

  // `line`: null at the end of the input.
  answer(number, line) {
    this.question(number).tell(line);
  }

  // The service worker passes a question on, once or more often.
  async serve(question, service) {
    const asked = new URLSearchParams(question);
    if (asked.get('of') !== this.name) return;
    service.postMessage({question, line: await this.question(Number(asked.get('number'))).told});
  }
}

// The service worker of the page's folder. It lets the worker that runs programs wait for a line of the user: the worker sends a
// request that blocks it (`line?of=…&number=…`), and the page whose worker it is answers it through here. Nothing leaves the browser
// for it, and all other requests go their way. Browsers end service workers when they like, so the page keeps the lines.

const LONGEST = 10_000;  // milliseconds until the worker has to ask again: browsers end a request that takes minutes

const waiting = new Map();  // the text of a question -> what answers it

addEventListener('install', () => skipWaiting());

addEventListener('message', event => {
  if (event.data === 'claim') event.waitUntil(clients.claim());
  else waiting.get(event.data.question)?.(event.data);
});

addEventListener('fetch', event => {
  const {pathname, search} = new URL(event.request.url);
  if (pathname === new URL('line', registration.scope).pathname) event.respondWith(answer(search));
});

async function answer(question) {
  const told = new Promise(resolve => {
    waiting.set(question, resolve);
    setTimeout(resolve, LONGEST, {});
  });
  for (const page of await clients.matchAll()) page.postMessage(question);
  const {line} = await told;
  waiting.delete(question);
  return new Response(JSON.stringify({line}));
}

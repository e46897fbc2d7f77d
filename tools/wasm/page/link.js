// A program in the fragment of an address: deflated, then in base64 with letters that addresses may have.

async function through(bytes, transform) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(transform)).arrayBuffer());
}

export async function fragmentOf(text) {
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream('deflate-raw'));
  const letters = Array.from(bytes, byte => String.fromCharCode(byte)).join('');
  return '#p=' + btoa(letters).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

// undefined: there is none in it, or it is broken.
export async function textOf(fragment) {
  if (!fragment.startsWith('#p=')) return undefined;
  try {
    const letters = atob(fragment.slice(3).replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(letters, letter => letter.charCodeAt(0));
    return new TextDecoder('utf-8', {fatal: true}).decode(await through(bytes, new DecompressionStream('deflate-raw')));
  } catch {
    return undefined;
  }
}

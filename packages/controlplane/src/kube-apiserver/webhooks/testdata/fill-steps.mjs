/** Puts a webhook server's address and authorities in place of `{url}`, `{localhost}`, `{port}`, `{ca}` and `{otherCa}`. */
export function fillSteps(steps, { server, ca, otherCa }) {
  const base64 = (text) => Buffer.from(text).toString('base64');
  const text = JSON.stringify(steps)
    .replaceAll('"{port}"', String(server.port))
    .replaceAll('{url}', server.url)
    .replaceAll('{localhost}', `https://localhost:${server.port}`)
    .replaceAll('{otherCa}', base64(otherCa))
    .replaceAll('{ca}', base64(ca));
  // A body that is left out is none, not null.
  return JSON.parse(text).map(([method, path, body, options]) => [method, path, body ?? undefined, options ?? undefined]);
}

/** Takes them out of an answer again. */
export function withoutAddress(text, server) {
  return text
    .replaceAll(server.url, '{url}')
    .replaceAll(`https://localhost:${server.port}`, '{localhost}')
    .replaceAll(`\\"port\\":${server.port}`, '\\"port\\":1')
    .replaceAll(new RegExp(`\\b${server.port}\\b`, 'g'), '{port}')
    .replace(/\\"caBundle\\":\\"[^"\\]*\\"/g, '\\"caBundle\\":\\"CA\\"')
    .replace(/127\.0\.0\.1:\d+->/g, '{from}->');
}

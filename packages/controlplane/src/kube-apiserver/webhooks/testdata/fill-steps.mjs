/** Replaces `{url}`, `{localhost}`, `{port}`, `{ca}` and `{otherCa}` with the webhook server's address and CA certificates. */
export function fillSteps(steps, { server, ca, otherCa }) {
  const base64 = (text) => Buffer.from(text).toString('base64');
  const text = JSON.stringify(steps)
    .replaceAll('"{port}"', String(server.port))
    .replaceAll('{url}', server.url)
    .replaceAll('{localhost}', `https://localhost:${server.port}`)
    .replaceAll('{otherCa}', base64(otherCa))
    .replaceAll('{ca}', base64(ca));
  // An omitted body is undefined, not null.
  return JSON.parse(text).map(([method, path, body, options]) => [method, path, body ?? undefined, options ?? undefined]);
}

/** Replaces the server's address in a response with the placeholders. */
export function withoutAddress(text, server) {
  return text
    .replaceAll(server.url, '{url}')
    .replaceAll(`https://localhost:${server.port}`, '{localhost}')
    .replaceAll(`\\"port\\":${server.port}`, '\\"port\\":1')
    .replaceAll(new RegExp(`\\b${server.port}\\b`, 'g'), '{port}')
    .replace(/\\"caBundle\\":\\"[^"\\]*\\"/g, '\\"caBundle\\":\\"CA\\"')
    .replace(/127\.0\.0\.1:\d+->/g, '{from}->');
}

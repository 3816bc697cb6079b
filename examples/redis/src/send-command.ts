import { connect } from 'node:net';

/** Sends one command to a Redis server and returns its reply. @throws if the server is unreachable or replies with an error */
export function sendCommand(
  host: string,
  command: string,
  { signal, port = 6379 }: { readonly signal: AbortSignal; readonly port?: number },
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, signal });
    let reply = '';
    // One character per byte, because lengths are in bytes.
    socket.setEncoding('latin1');
    // seam: the timeout of a real connection
    socket.setTimeout(1_000, () => socket.destroy(new Error(`${host} did not respond to ${command}`)));
    socket.once('error', reject).once('close', () => reject(new Error(`${host} closed the connection`)));
    socket.once('connect', () => socket.write(`${command}\r\n`));
    socket.on('data', (text) => {
      reply += text;
      const [, kind, head = '', body = ''] = /^([$+:-])(.*?)\r\n(.*)$/s.exec(reply) ?? [];
      if (kind === undefined || (kind === '$' && head !== '-1' && body.length < Number(head) + 2)) return;
      if (kind === '-') reject(new Error(`${host} rejected ${command}: ${head}`));
      resolve(Buffer.from(kind === '$' ? body.slice(0, Number(head)) : head, 'latin1').toString());
      socket.destroy();
    });
  });
}

/**
 * A webhook server for the recorder and the replay. The request's path selects the behavior from a table (see
 * `admission-behaviors.mjs`, `conversion-behaviors.mjs`). The server keeps all requests verbatim.
 */
import { createServer } from 'node:https';

/** Starts the server. `behaviors` maps a path (without its slash) to `(review) => response`. */
export async function startWebhookServer({ key, cert, behaviors, port = 0, onHang = () => {} }) {
  const received = [];
  const sockets = new Set();
  const server = createServer({ key, cert }, (request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const url = new URL(request.url, 'https://host');
      received.push(receivedOf(request, url, text));
      const behavior = text === '' ? () => ({ status: 400, text: 'no review' }) : behaviors[url.pathname.slice(1)];
      const answer = behavior?.(text === '' ? undefined : JSON.parse(text)) ?? { status: 404, text: 'no such behavior' };
      if (answer === 'hang') onHang();
      else if (answer === 'cut') request.socket.destroy();
      else send(response, answer);
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    port: server.address().port,
    url: `https://127.0.0.1:${server.address().port}`,
    /** Returns the requests received since the last call. */
    take: () => received.splice(0),
    connections: () => sockets.size,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function receivedOf({ method, headers }, url, text) {
  return {
    method,
    path: url.pathname,
    query: url.search,
    type: headers['content-type'],
    accept: headers['accept'],
    ...(text !== '' && { body: JSON.parse(text) }),
  };
}

function send(response, { status = 200, headers = {}, body, text }) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(text ?? JSON.stringify(body));
}

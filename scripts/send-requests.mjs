// Sends requests to an API server over HTTPS without verifying its certificate; used by all recorders.
import { Agent, request as httpsRequest } from 'node:https';

/**
 * Returns a function `send(method, path, body?, headers?)`, which sends bodies other than text as JSON. It returns `{
 * status, headers, text, body }`; `body` is the parsed JSON, or the text if it is not JSON. Connections stay open while
 * the process has other work; `send.close()` closes them.
 */
export function requestSender(server, token, { userAgent = 'recorder/1' } = {}) {
  const agent = new Agent({ keepAlive: true });
  const send = (method, path, body, headers = {}) => {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const sent = {
      authorization: `Bearer ${token}`,
      'user-agent': userAgent,
      // Without a content length, Node sends the body of a DELETE unframed.
      ...(text !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
      ...headers,
    };
    return new Promise((resolve, reject) => {
      const call = httpsRequest(new URL(path, server), { method, agent, headers: sent, rejectUnauthorized: false });
      call.on('error', reject);
      call.on('response', (response) => read(response).then(resolve, reject));
      call.end(text);
    });
  };
  send.close = () => agent.destroy();
  return send;
}

async function read(response) {
  const chunks = [];
  for await (const chunk of response) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  return { status: response.statusCode, headers: response.headers, text, body: parsed(text) };
}

/** Parses a body, or returns it unchanged if it is not JSON, because unserved paths return plain text. */
function parsed(text) {
  if (!text.startsWith('{')) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text; // the events of a watch
  }
}

// Records a real API server's responses to nodes: node record.mjs https://127.0.0.1:26443 admintoken > node-requests-1.36.3.json
// The server needs --authorization-mode=Node,RBAC and --enable-admission-plugins=NodeRestriction.
import { play } from './node-requests.mjs';

process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
const [, , url, token] = process.argv;
const answers = await play(async (method, path, { body, headers }) => {
  // The node authorizer's graph lags a little behind writes.
  if (method === 'GET') await new Promise((resolve) => setTimeout(resolve, 20));
  const response = await fetch(url + path, { method, body, headers: { authorization: `Bearer ${token}`, ...headers } });
  return { status: response.status, text: await response.text() };
});
process.stdout.write(`${JSON.stringify(answers, undefined, 1)}\n`);

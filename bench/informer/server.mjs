// The server of informer.mjs: answers a list and a burst of watch events that were made beforehand.
import { createServer } from 'node:http';
import { thing } from './thing.mjs';

const [count, events] = process.argv.slice(2).map(Number);

const metadata = { resourceVersion: '2000000' };
const items = Array.from({ length: count }, (_, i) => thing(i, 0));
const list = Buffer.from(JSON.stringify({ apiVersion: 'example.com/v1', kind: 'ThingList', metadata, items }));
const lines = Buffer.from(
  Array.from(
    { length: events },
    (_, e) =>
      `${JSON.stringify({ type: e < count ? 'ADDED' : 'MODIFIED', object: thing(e % count, 1 + Math.floor(e / count)) })}\n`,
  ).join(''),
);
const bodies = {
  '/list': list,
  '/watch': lines,
  '/empty': Buffer.from(JSON.stringify({ apiVersion: 'example.com/v1', kind: 'ThingList', metadata, items: [] })),
};
const server = createServer((request, response) => response.end(bodies[request.url]));
server.listen(0, '127.0.0.1', () => {
  process.send(server.address().port);
});

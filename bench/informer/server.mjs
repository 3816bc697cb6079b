// The server of informer.mjs: serves a list and a burst of watch events, all built before the measurement.
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { thing } from './thing.mjs';

const [count, events] = process.argv.slice(2).map(Number);

const metadata = { resourceVersion: '10500000' };
const head = `{"apiVersion":"example.com/v1","kind":"ThingList","metadata":${JSON.stringify(metadata)},"items":[`;
const objects = Array.from({ length: count }, (_, i) =>
  Buffer.from(`${i > 0 ? ',' : ''}${JSON.stringify(thing(i, 0))}`),
);
const list = Buffer.concat([Buffer.from(head), ...objects, Buffer.from(']}')]);
objects.length = 0;
const lines = Buffer.concat(
  Array.from({ length: events }, (_, e) =>
    Buffer.from(
      `${JSON.stringify({ type: e < count ? 'ADDED' : 'MODIFIED', object: thing(e % count, 1 + Math.floor(e / count)) })}\n`,
    ),
  ),
);
const bodies = { '/list': list, '/watch': lines, '/empty': Buffer.from(`${head}]}`) };

/** Streams new versions of all objects after a request to `/go`. */
function* rewrites(times) {
  for (let version = 1; version <= times; version++) {
    for (let i = 0; i < count; i += 100) {
      let text = '';
      for (let j = i; j < Math.min(i + 100, count); j++) {
        text += `${JSON.stringify({ type: 'MODIFIED', object: thing(j, version) })}\n`;
      }
      yield text;
    }
  }
}

let go = () => {};
const server = createServer((request, response) => {
  const url = new URL(request.url, 'http://x');
  if (url.pathname === '/go') {
    go();
    response.end();
  } else if (url.pathname === '/rewrites') {
    response.write('\n');
    go = () => Readable.from(rewrites(Number(url.searchParams.get('count')))).pipe(response);
  } else response.end(bodies[url.pathname]);
});
server.listen(0, '127.0.0.1', () => {
  process.send(server.address().port);
});

import type { ImageProgram, ImageSource } from '../image-program.ts';
import { nginxStandIn } from './nginx-stand-in.ts';

/** Node programs that stand in for well-known images if the machine does not have the real program. */
const scripts: Readonly<Record<string, string>> = {
  nginx: nginxStandIn,
  redis: `
const { createServer } = require('node:net');
const data = new Map();
const answer = ([name = '', key = '', value = '']) => {
  switch (name.toUpperCase()) {
    case 'PING': return '+' + (key || 'PONG');
    case 'SET': data.set(key, value); return '+OK';
    case 'GET': return data.has(key) ? '$' + Buffer.byteLength(data.get(key)) + '\\r\\n' + data.get(key) : '$-1';
    case 'DEL': return ':' + Number(data.delete(key));
    case 'DBSIZE': return ':' + data.size;
    default: return "-ERR unknown command '" + name + "'";
  }
};
const server = createServer((socket) => {
  let buffer = '';
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    buffer += chunk;
    if (buffer.length > 1e6) return socket.destroy();
    for (;;) {
      const array = /^\\*(\\d+)\\r\\n((?:\\$\\d+\\r\\n[^\\r\\n]*\\r\\n)*)/.exec(buffer);
      const words = array ? [...array[2].matchAll(/\\$\\d+\\r\\n([^\\r\\n]*)\\r\\n/g)].map((match) => match[1]) : undefined;
      if (words && words.length >= Number(array[1])) {
        const used = words.slice(0, Number(array[1]));
        buffer = buffer.slice(array[0].length);
        socket.write(answer(used) + '\\r\\n');
      } else if (!buffer.startsWith('*') && buffer.includes('\\r\\n')) {
        const line = buffer.slice(0, buffer.indexOf('\\r\\n'));
        buffer = buffer.slice(line.length + 2);
        socket.write(answer(line.split(' ')) + '\\r\\n');
      } else return;
    }
  });
});
server.listen(6379, process.env.KUBEWRIGHT_LISTEN, () => console.log('Ready to accept connections tcp'));
server.on('error', (error) => { console.error('cannot listen: ' + error.message); process.exit(1); });
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0));
`,
  pause: `
setInterval(() => {}, 2 ** 30);
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0));
`,
};

/** Images that {@link standInImage} can stand in for. */
export type StandIn = 'nginx' | 'redis' | 'pause';

/** Returns an image that runs a small bundled program and says so in its log. */
export function standInImage(repository: StandIn, options: { readonly execPath: string }): ImageSource {
  return {
    repository,
    async find(): Promise<ImageProgram> {
      return {
        description: `the bundled stand-in for ${repository}`,
        ...(repository !== 'pause' && {
          standIn: `${repository}: running a bundled stand-in instead of the real program`,
        }),
        programFolders: [options.execPath],
        launch({ command, args, podIP, reachable, programPath }) {
          if (command !== undefined) {
            const [file = '', ...rest] = [...command, ...(args ?? [])];
            return { file, args: rest, env: {}, path: [] };
          }
          const env = { KUBEWRIGHT_LISTEN: podIP, KUBEWRIGHT_HTML: programPath('/usr/share/nginx/html') };
          return { file: reachable(options.execPath), args: ['-e', scripts[repository] ?? ''], env, path: [] };
        },
      };
    },
  };
}

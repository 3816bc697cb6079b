// Measures small gets over HTTP/2 with TLS from a bare node:http2 server in a separate process: requests per second and
// CPU time per request. Run: npm run build && node packages/client/bench/small-gets.mjs [parallel=16]
import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import { HttpTransport, KubernetesClient } from '@kubewright/client';

const certificates = JSON.parse(
  readFileSync(new URL('../src/transport/testdata/certificates.json', import.meta.url), 'utf8'),
);
const kind = { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', scope: 'Namespaced' };

if (process.send) {
  const body = JSON.stringify({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'web', namespace: 'shop', uid: 'u', resourceVersion: '1' },
    data: { key: 'x'.repeat(500) },
  });
  const server = createSecureServer({ ...certificates.server, allowHTTP1: true }, (_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(body);
  });
  server.listen(0, '127.0.0.1', () => process.send(server.address().port));
} else {
  const parallel = Number(process.argv[2] ?? 16);
  const child = fork(new URL(import.meta.url));
  const port = await new Promise((resolve) => child.once('message', resolve));
  for (const protocol of ['h2', 'http/1.1']) {
    const transport = new HttpTransport({
      server: `https://127.0.0.1:${port}`,
      trust: { ca: certificates.ca },
      protocols: [protocol],
    });
    const maps = new KubernetesClient({ transport }).resource(kind);
    const run = async (total) => {
      let left = total;
      const worker = async () => {
        while (left-- > 0) await maps.get({ namespace: 'shop', name: 'web' });
      };
      await Promise.all(Array.from({ length: parallel }, worker));
    };
    await run(3_000);
    const total = 20_000;
    const cpu = process.cpuUsage();
    const start = performance.now();
    await run(total);
    const seconds = (performance.now() - start) / 1000;
    const used = process.cpuUsage(cpu);
    process.stdout.write(
      `${protocol.padEnd(8)} ${parallel} parallel: ${Math.round(total / seconds)} gets/s, ` +
        `${Math.round((used.user + used.system) / total)} µs of CPU each, ` +
        `${Math.round(total / ((used.user + used.system) / 1e6))} gets per CPU second\n`,
    );
    await transport[Symbol.asyncDispose]();
  }
  child.kill();
}

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { isExpectedServerError } from './expected-server-errors.ts';
import { FuzzedServer } from './fuzzed-server.ts';
import { type RandomRequest, RandomRequests } from './random-requests.ts';

const seed = Number(process.env['KUBEWRIGHT_FUZZ_SEED'] ?? 1);
const count = Number(process.env['KUBEWRIGHT_FUZZ_REQUESTS'] ?? 100_000);
/** Maximum growth of the heap between the first and the last tenth of the requests, in MiB. 25,000 requests add about 5. */
const growthMib = 64;
/** Maximum CPU time of a request, in milliseconds. The slowest takes about 150 on a quiet machine. */
const longestMs = 2_000;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function heapMib(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

/** Formats a request with everything that is needed to send it again. */
function describeRequest({ method, path, headers, body }: RandomRequest): string {
  const text = Buffer.from(body ?? []).toString('latin1');
  return `${method} ${path} ${JSON.stringify(headers)} ${JSON.stringify(text.slice(0, 1_000))}`;
}

describe(`${count} random requests (KUBEWRIGHT_FUZZ_SEED=${seed})`, () => {
  it('cause no internal errors, do not block the server, and do not leak memory', { timeout: count * 30 }, async () => {
    await using server = await FuzzedServer.start();
    const requests = new RandomRequests(seed);
    for (const request of requests.first) await server.send(request);
    const faults: string[] = [];
    const slow: string[] = [];
    let firstMib = 0;
    for (let sent = 1; sent <= count; sent++) {
      const request = requests.next();
      const { status, text, cpuMs } = await server.send(request);
      if (status >= 500 && !isExpectedServerError(text)) faults.push(`${status} ${text}: ${describeRequest(request)}`);
      for (const error of server.errors.splice(0))
        faults.push(`${(error as Error).stack}: ${describeRequest(request)}`);
      if (cpuMs > longestMs) slow.push(`${cpuMs} ms: ${describeRequest(request)}`);
      if (sent === Math.ceil(count / 10)) firstMib = heapMib();
    }
    const grownMib = heapMib() - firstMib;
    process.stdout.write(`${server.report()}; heap +${grownMib.toFixed(0)} MiB\n`);
    expect(faults.slice(0, 20)).toEqual([]);
    expect(slow).toEqual([]);
    expect(grownMib).toBeLessThan(growthMib);
  });
});

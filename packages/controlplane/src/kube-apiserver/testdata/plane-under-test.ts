import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { seededRandom, VirtualClock } from '@kubewright/apimachinery';
import { ControlPlane } from '../control-plane.ts';
import type { ControlPlaneOptions } from '../control-plane-options.ts';
import { MemoryStorage, type ApiResponse } from '@kubewright/apiserver';
import { runSteps } from './run-steps.mjs';

/** A response, recorded or from this server. */
export interface StepAnswer {
  readonly step?: string;
  readonly status: number;
  readonly warning?: string | undefined;
  readonly text: string;
}

/** A request of a script, see `run-steps.mjs`. */
export type Step = readonly [method: string, path: string, body?: unknown, options?: Record<string, unknown>];

/** Reads responses recorded by `record-steps.mjs`. */
export function recordedAnswers(file: URL): readonly StepAnswer[] {
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as StepAnswer);
}

/** An in-memory control plane. Requests without a token come from an administrator. */
export class PlaneUnderTest implements AsyncDisposable {
  readonly clock: VirtualClock = new VirtualClock(Date.UTC(2026, 0, 2, 3, 4, 5));
  readonly storage: MemoryStorage;
  readonly plane: ControlPlane;
  readonly errors: unknown[] = [];

  constructor(options: Partial<ControlPlaneOptions> = {}) {
    const { clock } = this;
    this.storage = new MemoryStorage({ clock });
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    this.plane = new ControlPlane({
      storage: this.storage,
      clock,
      random: seededRandom(1),
      serviceAccountKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
      serverAddress: () => '10.99.0.1:6443',
      tokens: new Map([['admintoken', { username: 'admin', uid: 'admin', groups: ['system:masters'] }]]),
      onError: (error) => this.errors.push(error),
      ...options,
    });
  }

  static async start(options: Partial<ControlPlaneOptions> = {}): Promise<PlaneUnderTest> {
    const made = new PlaneUnderTest(options);
    await made.plane.start();
    return made;
  }

  /** Runs a script. Time advances only to let watches end. */
  play(steps: readonly Step[], settle: (answer: SettleCall) => Promise<void> | void = () => {}): Promise<StepAnswer[]> {
    return runSteps(steps, { send: this.send, settle });
  }

  readonly send = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<StepAnswer> => {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const response = await this.plane.handle({
      method,
      path,
      headers: { authorization: 'Bearer admintoken', 'user-agent': 'test/1.0', ...headers },
      body: text === undefined ? undefined : Buffer.from(text),
      signal: new AbortController().signal,
      connection: { remoteAddress: '127.0.0.1', protocol: 'in-process' },
    });
    const read = readBody(response);
    if (path.includes('watch=true')) await this.#untilRead(read);
    const warning = response.headers['warning'];
    return { status: response.status, ...(warning && { warning: [warning].flat().join(', ') }), text: await read };
  };

  async #untilRead(read: Promise<string>): Promise<void> {
    for (let tries = 0; tries < 5; tries++) await new Promise((resolve) => setImmediate(resolve));
    await this.clock.advance(10_000);
    await read;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.plane[Symbol.asyncDispose]();
    await this.storage[Symbol.asyncDispose]();
  }
}

/** The arguments of a `settle` function. */
export interface SettleCall {
  readonly method: string;
  readonly path: string;
  readonly answer: StepAnswer;
}

async function readBody({ body }: ApiResponse): Promise<string> {
  if (body instanceof Uint8Array) return Buffer.from(body).toString('utf8');
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** Returns a response without values that differ from run to run (uids, times, versions) and without repeated causes. */
export function comparable({ status, warning, text }: StepAnswer): unknown {
  // Only this server warns about objects that it ignores.
  const kept = warning?.replace(/(^|, )299 - "kubewright: [^"]*"/g, '');
  return { status, warning: kept ? scalar(kept) : undefined, body: withoutOrder(bodyOf(text)) };
}

/** Sorts the causes and removes them from the message, because upstream checks fields in the random order of Go's maps. */
function withoutOrder(body: unknown): unknown {
  const { message, details } = (body ?? {}) as { message?: string; details?: { causes?: unknown[] } };
  if (message === undefined || (details?.causes?.length ?? 0) < 2) return body;
  const causes = details?.causes?.map((cause) => JSON.stringify(cause)).sort();
  return { ...(body as object), message: message.replace(/is invalid: \[[^]*/, 'is invalid: CAUSES'), details: { ...details, causes } };
}

function bodyOf(text: string): unknown {
  if (!text.startsWith('{')) return text.trim();
  if (!text.trim().includes('\n{')) return normalise(JSON.parse(text));
  return text.trim().split('\n').map((line) => normalise(JSON.parse(line)));
}

function normalise(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => normalise(item));
    // Entries are sorted by time, and times differ here.
    if (key === 'managedFields') return items.sort((a, b) => (identity(a) < identity(b) ? -1 : 1));
    // Resources are listed in the random order of Go's maps.
    if (key === 'resources') return items.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
    return key === 'causes' ? unique(items) : items;
  }
  if (typeof value === 'object' && value !== null) {
    const out: Record<string, unknown> = {};
    for (const [name, item] of Object.entries(value)) {
      if (name === 'continue' && item === '') continue;
      out[name] = name === 'verbs' && Array.isArray(item) ? [...item].sort() : normalise(item, name);
    }
    return out;
  }
  if (typeof value !== 'string') return value;
  if (key === 'uid' && /^[0-9a-f-]{36}$/.test(value)) return 'UID';
  if ((key === 'resourceVersion' && value !== '') || key === 'resourceVersionMatch') return 'RV';
  if (key === 'continue') return 'TOKEN';
  if (key === 'storageVersionHash' || key === 'description') return 'HASH';
  return scalar(value);
}

function scalar(text: string): string {
  return text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UID')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'TIME')
    .replace(/in record \(\d+\)/g, 'in record (RV)')
    .replace(/^kube-api-access-\w{5}$/, 'kube-api-access-SUFFIX')
    .replace(/^10\.96\.\d+\.\d+$/, 'CLUSTER-IP')
    .replace(/^(?:(?:\d+[smhdy])+|<unknown>)$/, 'AGE')
    .replace(/Invalid value: "\{.*\}":/, 'Invalid value: OBJECT:');
}

function nameOf(item: unknown): string {
  return String((item as { readonly name?: unknown }).name);
}

function identity(entry: unknown): string {
  const { manager, operation, subresource, apiVersion } = entry as Record<string, unknown>;
  return [manager, operation, subresource, apiVersion].join(' ');
}

function unique(items: readonly unknown[]): unknown[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/**
 * Removes the status of a CustomResourceDefinition from the response to a write: this server writes the status in the same request,
 * upstream's controllers up to a second later.
 */
export function withoutSettled(answer: StepAnswer, [method, path]: Step): StepAnswer {
  if (!path.startsWith(CRDS) || !answer.text.startsWith('{') || answer.status >= 300) return answer;
  const { status, ...rest } = JSON.parse(answer.text);
  for (const { object } of rest.rows ?? []) delete object.metadata.managedFields;
  if (rest.kind !== 'CustomResourceDefinition') return { ...answer, text: JSON.stringify(rest) };
  // The status also has different field managers.
  delete rest.metadata.managedFields;
  return { ...answer, text: JSON.stringify(method === 'GET' ? { ...rest, status: settled(status) } : rest) };
}

function settled(status: { readonly conditions?: readonly { readonly type: string }[] }): unknown {
  return { ...status, conditions: [...(status.conditions ?? [])].sort((a, b) => (a.type < b.type ? -1 : 1)) };
}

/** Acts as the controller that finalizes CustomResourceDefinitions: deletes their custom objects, then removes the finalizer. */
export function cleanUpBehind({ send }: PlaneUnderTest): (call: SettleCall) => Promise<void> {
  return async ({ method, path, answer }) => {
    if (method !== 'DELETE' || !path.startsWith(`${CRDS}/`) || answer.status !== 200) return;
    const { spec } = JSON.parse(answer.text);
    const version = spec.versions.find((one: { readonly served: boolean }) => one.served);
    const type = { 'content-type': 'application/merge-patch+json' };
    const listed = await send('GET', `/apis/${spec.group}/${version?.name}/${spec.names.plural}`);
    if (listed.status !== 200) {
      // The definition's names were never accepted, so it has no objects.
      await send('PATCH', path, { metadata: { finalizers: null } }, type);
      return;
    }
    const collection = `/apis/${spec.group}/${version.name}/${spec.names.plural}`;
    const { items } = JSON.parse(listed.text);
    for (const { metadata } of items) {
      const space = metadata.namespace ? `namespaces/${metadata.namespace}/` : '';
      await send('DELETE', `/apis/${spec.group}/${version.name}/${space}${spec.names.plural}/${metadata.name}`);
    }
    const left = JSON.parse((await send('GET', collection)).text).items;
    if (left.length > 0) return;
    await send('PATCH', path, { metadata: { finalizers: null } }, type);
  };
}

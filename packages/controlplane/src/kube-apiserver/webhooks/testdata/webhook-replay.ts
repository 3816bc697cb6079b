import * as crypto from 'node:crypto';
import { type Clock, systemClock, issueCertificate } from '@kubewright/apimachinery';
import { podEviction, podStreams } from '../../pods/index.ts';
import type { NodeConnector } from '../../pods/node-connector.ts';
import { comparable, PlaneUnderTest, type SettleCall, type Step, type StepAnswer } from '../../testdata/plane-under-test.ts';
import { CERTIFICATE_NAMES } from './certificate-names.mjs';
import { fillSteps, withoutAddress } from './fill-steps.mjs';
import { type Received, startWebhookServer, type WebhookBehaviors } from './webhook-server.mjs';

/** A response, and the requests that webhooks received before it was sent. */
export interface WebhookStepAnswer extends StepAnswer {
  readonly received: readonly Received[];
}

/** Creates the certificates of one run. Their names match the recorder's. */
export function makeCertificates(): { readonly key: string; readonly cert: string; readonly ca: string; readonly otherCa: string } {
  const now = systemClock.now();
  const life = { notBeforeMs: now - 60_000, notAfterMs: now + 3_600_000 };
  const authority = (commonName: string) => issueCertificate({ subject: { commonName }, usage: 'authority', ...life }, crypto);
  const ca = authority('ca');
  const hosts = [...CERTIFICATE_NAMES.dns, ...CERTIFICATE_NAMES.ip];
  const issuer = { key: ca.key, subject: { commonName: 'ca' } };
  const { key, certificate } = issueCertificate({ subject: { commonName: 'webhook' }, usage: 'server', hosts, issuer, ...life }, crypto);
  return { key, cert: certificate, ca: ca.certificate, otherCa: authority('other').certificate };
}

/** Runs a script against an in-memory control plane and a webhook server on loopback. */
export async function playWithWebhooks(
  steps: readonly Step[],
  options: {
    readonly behaviors: WebhookBehaviors;
    settle?(plane: PlaneUnderTest): (call: SettleCall) => Promise<void>;
  },
): Promise<{ readonly answers: readonly WebhookStepAnswer[]; readonly errors: readonly unknown[] }> {
  const nowhere = { reach: () => Promise.reject(new Error('there is no node')) };
  // Declared before `plane`, whose clock it reads when it is used.
  const clock = { now: () => plane.clock.now() } as Clock;
  const connect = new Map([
    ...podStreams(nowhere as unknown as NodeConnector, clock),
    ['pods/eviction', podEviction({ handle: () => plane.plane.handle, clock })],
  ]);
  await using plane: PlaneUnderTest = await PlaneUnderTest.start({ connect });
  const certificates = makeCertificates();
  // Lets calls that hang time out.
  const onHang = (): void => void plane.clock.advance(1000);
  const { behaviors } = options;
  const server = await startWebhookServer({ ...certificates, behaviors, onHang });
  const received: (readonly Received[])[] = [];
  try {
    const settle = options.settle?.(plane);
    const filled = fillSteps(steps, { server, ...certificates });
    const answers = await plane.play(filled, async (call) => {
      await settle?.(call);
      received.push(server.take());
    });
    const whole = answers.map((answer, index) => ({ ...answer, received: received[index] ?? [] }));
    const shown = whole.map((answer) => JSON.parse(withoutAddress(JSON.stringify(answer), server)) as WebhookStepAnswer);
    return { answers: shown, errors: plane.errors };
  } finally {
    await server.close();
  }
}

/** Returns the requests that a webhook received, without values that differ from run to run. */
export function comparableReceived(received: readonly Received[]): unknown {
  return received.map(({ body, ...call }) => ({ ...call, ...(body && { body: comparableReview(body) }) }));
}

function comparableReview(body: NonNullable<Received['body']>): unknown {
  const review = JSON.parse(JSON.stringify(body)) as { request?: { object?: unknown; oldObject?: unknown } };
  for (const object of [review.request?.object, review.request?.oldObject]) withoutScaleOwners(object);
  const { body: compared } = comparable({ status: 0, text: JSON.stringify(review) }) as { readonly body: unknown };
  return compared;
}

/** Removes the managed fields of objects that are not stored. Those of a Scale are compared on its parent. */
function withoutScaleOwners(object: unknown): void {
  const { kind, metadata } = (object ?? {}) as { kind?: string; metadata?: Record<string, unknown> };
  if (kind === 'Scale' || kind === 'Binding' || kind === 'Eviction' || kind === 'TokenRequest' || kind === 'SelfSubjectReview') {
    delete metadata?.['managedFields'];
  }
}

/** Replaces generated names. */
export function withoutGeneratedNames(answer: WebhookStepAnswer): WebhookStepAnswer {
  return JSON.parse(JSON.stringify(answer).replace(/gen-[a-z0-9]{5}\b/g, 'gen-DRAWN')) as WebhookStepAnswer;
}

/** Returns ConversionReviews as text: which objects to convert to which version, without values that differ from run to run. */
export function reviewsOf(received: readonly Received[]): readonly string[] {
  return received.map(({ path, query, body }) => {
    const { request, ...review } = (body ?? {}) as { request?: { desiredAPIVersion?: unknown; objects?: readonly unknown[] } };
    const objects = (request?.objects ?? []).map((object) => comparable({ status: 0, text: JSON.stringify(unversioned(object)) }));
    return JSON.stringify(sorted([path, query, review, request?.desiredAPIVersion, objects]));
  });
}

/** Omits resource versions and managed fields, because caches convert objects both before and after these are set. */
function unversioned(object: unknown): unknown {
  const { metadata, ...rest } = object as { metadata: Record<string, unknown> };
  const { resourceVersion: _revision, managedFields: _owners, ...others } = metadata;
  return { ...rest, metadata: others };
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, item]) => [key, sorted(item)]));
}

import { VirtualClock } from '@kubewright/apimachinery';
import { defined } from '@kubewright/apimachinery/internal';
import { describe, expect, it } from 'vitest';
import type { ImageReference, PullRequest } from '../driver.ts';
import { BackOff } from './back-off.ts';
import { type ContainerWaitError, pullImage } from './image-pull.ts';

/** Pulls an image twice and returns the events. */
async function eventsOf(runs: string | undefined): Promise<readonly string[]> {
  const events: string[] = [];
  const found: ImageReference = { image: 'redis:7', imageId: 'local://1', ...defined({ runs }) };
  const host = { clock: new VirtualClock(), images: new Set<string>(), driver: { pullImage: async () => found } };
  // Only these parts are used.
  const context = {
    pod: { metadata: {} },
    slot: {},
    host,
    event: ({ reason = '', note = '' }) => void events.push(`${reason}: ${note}`),
  };
  const container = { name: 'c', image: 'redis:7' };
  for (let i = 0; i < 2; i++) await pullImage(container, context as unknown as Parameters<typeof pullImage>[1]);
  return events;
}

/** Pulls an image that fails twice; returns the events and the waiting reasons. */
async function failureOf(error: { reason?: string; message: string }, container: { image: string; policy?: 'Never' }) {
  const events: string[] = [];
  const clock = new VirtualClock();
  const driver = { pullImage: () => Promise.reject(Object.assign(new Error(error.message), error)) };
  const host = { clock, images: new Set<string>(), driver };
  const slot = { pulls: new BackOff({ initialMs: 10_000, maxMs: 300_000 }) };
  const event = ({ type = 'Normal', reason = '', note = '' }) => void events.push(`${type} ${reason}: ${note}`);
  const context = { pod: { metadata: {} }, slot, host, event } as unknown as Parameters<typeof pullImage>[1];
  const { image, policy } = container;
  const wanted = { name: 'c', image, ...defined({ imagePullPolicy: policy }) };
  const attempt = () => pullImage(wanted, context).catch((thrown: unknown) => thrown);
  const first = (await attempt()) as ContainerWaitError;
  await clock.advance(2_000);
  const second = (await attempt()) as ContainerWaitError;
  return { events, states: [first, second].map(({ reason, message }) => ({ reason, message })) };
}

describe('pullImage', () => {
  it("reports the kubelet's events and reasons for an image that cannot be pulled", async () => {
    const { events, states } = await failureOf({ reason: 'ErrImagePull', message: 'no such' }, { image: 'a' });
    expect(events).toEqual([
      'Normal Pulling: Pulling image "a"',
      'Warning Failed: Failed to pull image "a": no such',
      'Warning Failed: Error: ErrImagePull',
      'Normal BackOff: Back-off pulling image "a"',
      'Warning Failed: Error: ImagePullBackOff',
    ]);
    expect(states).toEqual([
      { reason: 'ErrImagePull', message: 'no such' },
      { reason: 'ImagePullBackOff', message: 'Back-off pulling image "a": ErrImagePull: no such' },
    ]);
  });

  it('does not pull an invalid image name', async () => {
    const message = 'Failed to apply default image tag "A"';
    const { events, states } = await failureOf({ reason: 'InvalidImageName', message }, { image: 'A' });
    const seen = [`Warning InspectFailed: ${message}`, 'Warning Failed: Error: InvalidImageName'];
    expect(events).toEqual([...seen, ...seen]);
    expect(states).toEqual([
      { reason: 'InvalidImageName', message },
      { reason: 'InvalidImageName', message },
    ]);
  });

  it('reports a missing image that must not be pulled', async () => {
    const container = { image: 'a:1', policy: 'Never' } as const;
    const { events, states } = await failureOf({ reason: 'ErrImagePull', message: 'not loaded' }, container);
    const message = 'Container image "a:1" is not present with pull policy of Never: not loaded';
    expect(events.slice(0, 2)).toEqual([
      `Warning ErrImageNeverPull: ${message}`,
      'Warning Failed: Error: ErrImageNeverPull',
    ]);
    expect(states[0]).toEqual({ reason: 'ErrImageNeverPull', message });
  });

  it("names the program that runs for an image, with the kubelet's reasons", async () => {
    expect(await eventsOf('the bundled stand-in for redis')).toEqual([
      'Pulling: Pulling image "redis:7"',
      'Pulled: Image "redis:7" was not pulled; its containers run as local processes with the bundled stand-in for redis',
      'Pulled: Container image "redis:7" already present on machine and can be accessed by the pod: the bundled stand-in for redis',
    ]);
  });

  it("uses the kubelet's wording if the image itself runs", async () => {
    expect(await eventsOf(undefined)).toEqual([
      'Pulling: Pulling image "redis:7"',
      expect.stringMatching(/^Pulled: Successfully pulled image "redis:7" in \S+ \(\S+ including waiting\)$/),
      'Pulled: Container image "redis:7" already present on machine and can be accessed by the pod',
    ]);
  });

  it.each([
    ['Always', 'loaded', false],
    ['Always', 'pulled', true],
    ['Always', 'absent', true],
    ['IfNotPresent', 'pulled', false],
    ['IfNotPresent', 'absent', true],
    ['Never', 'absent', false],
  ] as const)('with policy %s and an image that is %s: pulls %s', async (imagePullPolicy, state, expected) => {
    const requests: PullRequest[] = [];
    const events: string[] = [];
    const login = { metadata: { name: 'login', namespace: 'ns' } };
    const driver = {
      hasImage: () => state !== 'absent',
      isLoaded: () => state === 'loaded',
      pullImage: async (image: string, request: PullRequest): Promise<ImageReference> => {
        requests.push(request);
        return { image, imageId: 'x', ...(expected ? { pulledBytes: 7 } : {}) };
      },
    };
    const objects = { secret: (_namespace: string, name: string) => (name === 'login' ? login : undefined) };
    const host = { clock: new VirtualClock(), images: new Set(['app:1']), driver, objects };
    const spec = { imagePullSecrets: [{ name: 'login' }, { name: 'gone' }] };
    const pod = { metadata: { namespace: 'ns' }, spec };
    const context = {
      pod,
      slot: {},
      host,
      event: ({ reason = '', note = '' }) => void events.push(`${reason}: ${note}`),
    };
    await pullImage(
      { name: 'c', image: 'app:1', imagePullPolicy },
      context as unknown as Parameters<typeof pullImage>[1],
    );
    expect(requests).toMatchObject([{ isPresent: !expected, secrets: expected ? [login] : [] }]);
    const missing =
      'FailedToRetrieveImagePullSecret: Unable to retrieve some image pull secrets (gone); attempting to pull the image may not succeed.';
    expect(events.includes(missing)).toBe(expected);
    expect(events.at(-1)).toMatch(expected ? /Image size: 7 bytes\.$/ : /already present on machine/);
  });
});

import { VirtualClock } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import type { ImageReference } from '../driver.ts';
import { pullImage } from './image-pull.ts';

/** The events of getting an image twice. */
async function eventsOf(runs: string | undefined): Promise<readonly string[]> {
  const events: string[] = [];
  const found: ImageReference = { image: 'redis:7', imageId: 'local://1', ...(runs !== undefined && { runs }) };
  const host = { clock: new VirtualClock(), images: new Set<string>(), driver: { pullImage: async () => found } };
  // Only these parts are asked.
  const context = { slot: {}, host, event: ({ reason = '', note = '' }) => void events.push(`${reason}: ${note}`) };
  const container = { name: 'c', image: 'redis:7' };
  for (let i = 0; i < 2; i++) await pullImage(container, context as unknown as Parameters<typeof pullImage>[1]);
  return events;
}

describe('pullImage', () => {
  it("names what runs for an image, with the kubelet's reasons", async () => {
    expect(await eventsOf('bundled stand-in for redis')).toEqual([
      'Pulling: Pulling image "redis:7"',
      'Pulled: Image "redis:7" is run by bundled stand-in for redis; nothing was pulled, containers are processes of this machine',
      'Pulled: Container image "redis:7" already present on machine: bundled stand-in for redis',
    ]);
  });

  it("has the kubelet's words where the image itself runs", async () => {
    expect(await eventsOf(undefined)).toEqual([
      'Pulling: Pulling image "redis:7"',
      expect.stringMatching(/^Pulled: Successfully pulled image "redis:7" in \S+ \(\S+ including waiting\)$/),
      'Pulled: Container image "redis:7" already present on machine',
    ]);
  });
});

import { type Clock, formatTime, type Random } from '@kubewright/apimachinery';
import type { Storage } from '../../storage/storage.ts';
import { type Draft, encodeStored } from '../registry/index.ts';
import { bootstrapObjectsJson } from './generated/bootstrap-objects.ts';

/**
 * Stores what an API server makes for itself at its first start and misses nothing of at later ones: namespaces, roles and
 * bindings, priority classes, flow schemas, the range of service addresses, APIServices of the groups that are built in.
 *
 * The objects are kept as 200 requests once made them, for those requests took half of the time until the first answer;
 * each cluster has its own uids and times.
 */
export async function bootstrap(options: {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly random: Random;
}): Promise<void> {
  const { storage, clock, random } = options;
  const json = bootstrapObjectsJson.replaceAll('"TIME"', `"${formatTime(clock.now())}"`);
  // What the generator writes is pairs of these.
  const wanted = JSON.parse(json) as readonly { readonly key: string; readonly object: Draft }[];
  for (const { key, object } of wanted) {
    if (await storage.get(key)) continue;
    object.metadata.uid = random.uid();
    const encode = (revision: number): Uint8Array => encodeStored(object, String(revision));
    await storage.commit([{ key, expected: 0, encode }]);
  }
}

import type { Clock, Random } from '@kubewright/apimachinery';
import { formatTime } from '@kubewright/apimachinery/internal';
import type { Draft, Storage } from '@kubewright/apiserver';
import { encodeStored } from '@kubewright/apiserver/internal';
import { bootstrapObjectsJson } from './generated/bootstrap-objects.ts';

/**
 * Stores the objects that an API server creates for itself, unless they exist: namespaces, roles and bindings, priority classes,
 * flow schemas, the range of service IPs, APIServices of the built-in groups.
 *
 * The objects are stored in their final form, as 200 requests once created them, because those requests took half of the startup
 * time; each cluster has its own UIDs and times.
 */
export async function bootstrap(options: {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly random: Random;
}): Promise<void> {
  const { storage, clock, random } = options;
  const json = bootstrapObjectsJson.replaceAll('"TIME"', `"${formatTime(clock.now())}"`);
  // The generator writes pairs of these.
  const wanted = JSON.parse(json) as readonly { readonly key: string; readonly object: Draft }[];
  for (const { key, object } of wanted) {
    if (await storage.get(key)) continue;
    object.metadata.uid = random.uid();
    const encode = (revision: number): Uint8Array => encodeStored(object, String(revision));
    await storage.commit([{ key, expected: 0, encode }]);
  }
}

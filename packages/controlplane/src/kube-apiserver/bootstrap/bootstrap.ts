import type { Clock, Random } from '@kubewright/apimachinery';
import { formatTime } from '@kubewright/apimachinery/internal';
import type { Draft, Storage } from '@kubewright/apiserver';
import { encodeStored, RevisionMismatchError } from '@kubewright/apiserver/internal';
import { bootstrapObjectsJson } from './generated/bootstrap-objects.ts';

/** Range of service IPs in CIDR notation, if none is chosen; kubeadm's, cut to upstream's limit of 65,536 addresses. */
export const defaultServiceCidr = '10.96.0.0/16';

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
  /** Range of service IPs in CIDR notation. */
  readonly serviceCidr: string;
}): Promise<void> {
  const { storage, clock, random, serviceCidr } = options;
  const json = bootstrapObjectsJson
    .replaceAll('"TIME"', `"${formatTime(clock.now())}"`)
    .replaceAll(`"${defaultServiceCidr}"`, `"${serviceCidr}"`);
  // The generator writes pairs of these.
  const wanted = JSON.parse(json) as readonly { readonly key: string; readonly object: Draft }[];
  // At the same time, so a durable storage commits them together.
  const create = async ({ key, object }: (typeof wanted)[number]): Promise<void> => {
    if (await storage.get(key)) return;
    object.metadata.uid = random.uid();
    try {
      await storage.commit([{ key, expected: 0, bytes: encodeStored(object) }]);
    } catch (error) {
      // Another server has just created it.
      if (!(error instanceof RevisionMismatchError)) throw error;
    }
  };
  await Promise.all(wanted.map(create));
}

import type { Clock, Random } from '@kubewright/apimachinery';
import { formatTime } from '@kubewright/apimachinery/internal';
import type { Draft, Storage } from '@kubewright/apiserver';
import { encodeStored, RevisionMismatchError } from '@kubewright/apiserver/internal';
import { bootstrapObjectsJson } from './generated/bootstrap-objects.ts';

/** Default range of service IPs, in CIDR notation: kubeadm's range, limited to 65,536 addresses. */
export const defaultServiceCidr = '10.96.0.0/16';

/**
 * Stores the objects that an API server creates for itself, unless they exist: namespaces, roles and bindings, priority
 * classes, flow schemas, the range of service IPs, and APIServices of the built-in groups.
 *
 * The objects were recorded from 200 create requests. They are written directly to storage, because sending the
 * requests took half of the startup time. UIDs and times are set for each cluster.
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
  // The generator writes a list of keys and objects.
  const wanted = JSON.parse(json) as readonly { readonly key: string; readonly object: Draft }[];
  // Store concurrently, so that a durable storage commits the objects together.
  const create = async ({ key, object }: (typeof wanted)[number]): Promise<void> => {
    if (await storage.get(key)) return;
    object.metadata.uid = random.uid();
    try {
      await storage.commit([{ key, expected: 0, bytes: encodeStored(object) }]);
    } catch (error) {
      // Another server created the object first.
      if (!(error instanceof RevisionMismatchError)) throw error;
    }
  };
  await Promise.all(wanted.map(create));
}

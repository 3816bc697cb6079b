import { Buffer } from 'node:buffer';
import type { Storage } from '@kubewright/apiserver';

interface Class {
  readonly metadata: {
    readonly name: string;
    readonly creationTimestamp?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

/**
 * Returns the name of the default class: of several, the newest.
 *
 * @param prefix - prefix of the classes in the storage.
 * @param annotations - an object with one of them set to `true` is a default.
 */
export async function defaultClassName(
  storage: Storage,
  { prefix, annotations }: { readonly prefix: string; readonly annotations: readonly string[] },
): Promise<string | undefined> {
  const { objects } = await storage.list({ prefix });
  const defaults = objects
    // The server stores only classes under this prefix.
    .map(({ bytes }) => (JSON.parse(Buffer.from(bytes).toString('utf8')) as Class).metadata)
    .filter((metadata) => annotations.some((annotation) => metadata.annotations?.[annotation] === 'true'));
  const [newest] = defaults.sort((a, b) => {
    const [made, other] = [a.creationTimestamp ?? '', b.creationTimestamp ?? ''];
    if (made !== other) return made > other ? -1 : 1;
    return a.name < b.name ? -1 : 1;
  });
  return newest?.name;
}

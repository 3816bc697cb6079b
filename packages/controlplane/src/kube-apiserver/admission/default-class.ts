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
 * Returns the name of the default class, or of the newest default class if there are several.
 *
 * @param prefix - the storage prefix of the classes.
 * @param annotations - a class is a default if one of these is `true`.
 */
export async function defaultClassName(
  storage: Storage,
  { prefix, annotations }: { readonly prefix: string; readonly annotations: readonly string[] },
): Promise<string | undefined> {
  const { objects } = await storage.list({ prefix });
  const defaults = objects
    // Every object under this prefix is a class, so the cast is safe.
    .map(({ bytes }) => (JSON.parse(Buffer.from(bytes).toString('utf8')) as Class).metadata)
    .filter((metadata) => annotations.some((annotation) => metadata.annotations?.[annotation] === 'true'));
  const [newest] = defaults.sort((a, b) => {
    const [made, other] = [a.creationTimestamp ?? '', b.creationTimestamp ?? ''];
    if (made !== other) return made > other ? -1 : 1;
    return a.name < b.name ? -1 : 1;
  });
  return newest?.name;
}

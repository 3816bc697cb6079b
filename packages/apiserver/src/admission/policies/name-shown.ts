import type { AdmissionAttributes } from '../admission-plugin.ts';

/** Returns the name by which a rejection refers to the request's object. */
export function nameShown({ name, object }: AdmissionAttributes): string {
  return name || object?.metadata.name || (object?.metadata['generateName'] as string | undefined) || 'Unknown';
}

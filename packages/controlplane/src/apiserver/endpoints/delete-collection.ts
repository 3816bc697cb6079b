import { setImmediate } from 'node:timers/promises'; // seam: see its use
import { isNotFound } from '@kubewright/apimachinery';
import type { ApiResponse } from '../http/api-request.ts';
import { deleteObject, listObjects, readListOptions, readSelection } from '../registry/index.ts';
import { listAnswer } from './answer.ts';
import { formatOf, includeOf, type ResourceCall, readDeletion, writeCallOf } from './resource-call.ts';

const YIELD_EVERY = 64;

/** Deletes what a list would show, each object by the same options, and answers with that list. */
export async function deleteCollection(call: ResourceCall): Promise<ApiResponse> {
  const { registry, info } = call;
  const format = formatOf(call, 'list');
  const deleteOptions = await readDeletion(call);
  const options = readListOptions(info.query, 'list');
  const selection = readSelection(options, registry.definition);
  const writeCall = writeCallOf(call, { dryRun: deleteOptions.dryRun, fieldManager: '' });
  await registry.services.admission.mutate(
    registry.admissionAttributes(writeCall, { operation: 'DELETE', object: undefined, old: undefined }),
  );
  const page = await listObjects(registry, writeCall, { options, selection });
  const deleted: (typeof page.objects)[number][] = [];
  for (const [index, stored] of page.objects.entries()) {
    // Others get their turn: storage in memory never waits by itself.
    // seam: lets other requests in between; no time is waited for.
    if (index % YIELD_EVERY === YIELD_EVERY - 1) await setImmediate();
    const { name = '', namespace = '' } = registry.form.object(stored).metadata;
    try {
      const one = await deleteObject(registry, { ...writeCall, name, namespace }, deleteOptions);
      deleted.push(one.stored ?? stored);
    } catch (error) {
      if (!isNotFound(error)) throw error; // somebody else was faster
    }
  }
  const now = (): number => registry.services.clock.now();
  return listAnswer(registry.form, { ...page, objects: deleted }, { format, include: includeOf(call), now });
}

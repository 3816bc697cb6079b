import { isNotFound } from '@kubewright/apimachinery';
import type { ApiResponse } from '../http/api-request.ts';
import { deleteObject, listObjects, type Page, readListOptions, readSelection } from '../registry/index.ts';
import { Pacer } from '../registry/pacer.ts';
import { listResponse } from './object-response.ts';
import { formatOf, includeOf, type ResourceCall, readDeletion, writeCallOf } from './resource-call.ts';

/**
 * Deletes every object that a list would return, each with the same options. Returns the list from before the
 * deletions.
 *
 * @param list - returns the objects of a resource that is not stored; by default, the objects are read from storage
 */
export async function deleteCollection(call: ResourceCall, list?: () => Promise<Page>): Promise<ApiResponse> {
  const { registry, info } = call;
  const format = formatOf(call, 'list');
  const deleteOptions = await readDeletion(call);
  const options = readListOptions(info.query, 'list');
  const selection = readSelection(options, registry.definition);
  const { dryRun } = deleteOptions;
  const writeCall = writeCallOf(call, { dryRun, fieldManager: '', deletion: deleteOptions });
  await registry.services.admission.mutate(
    registry.admissionAttributes(writeCall, { operation: 'DELETE', object: undefined, old: undefined }),
  );
  const page = await (list?.() ?? listObjects(registry, writeCall, { options, selection }));
  const { clock } = registry.services;
  const pacer = new Pacer(clock);
  for (const stored of page.objects) {
    // In-memory storage never yields on its own.
    if (pacer.isDue) await pacer.rest();
    const { name = '', namespace = '' } = registry.form.object(stored).metadata;
    try {
      await deleteObject(registry, { ...writeCall, name, namespace, collection: true }, deleteOptions);
    } catch (error) {
      if (!isNotFound(error)) throw error; // another client deleted it first
    }
  }
  return listResponse(registry.form, page, { format, include: includeOf(call), clock });
}

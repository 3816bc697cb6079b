import { apiVersionOf, type KubernetesObject } from '@kubewright/apimachinery';
import { PlaneUnderTest } from '../../testdata/plane-under-test.ts';
import { builtinPriorities } from '../../../kinds/index.ts';
import { ApiServices } from '../api-services.ts';
import { asServer } from '@kubewright/apiserver/internal';

/** A stored object and its key. */
export interface StoredForm {
  readonly key: string;
  readonly object: KubernetesObject;
}

/**
 * Sends objects to an empty server, lets the server create its APIServices, and returns everything that is then stored, in the
 * order of the writes: without uids and versions, and with times replaced by `TIME`.
 */
export async function storeBootstrap(objects: readonly KubernetesObject[]): Promise<readonly StoredForm[]> {
  await using made = new PlaneUnderTest();
  const { plane, storage, clock } = made;
  const ask = asServer(plane.handle);
  for (const object of objects) {
    const { status, text } = await ask('POST', collectionPath(plane, object), { body: object });
    if (status !== 201) throw new Error(`making ${object.kind} ${object.metadata.name}: ${status} ${text}`);
  }
  const onError = (error: unknown): never => {
    throw error;
  };
  await new ApiServices({ handle: plane.handle, catalog: plane.catalog, priorities: builtinPriorities, onError }).refresh();
  const { objects: stored } = await storage.list({ prefix: '/' });
  const now = new Date(clock.now()).toISOString().replace('.000Z', 'Z');
  return [...stored]
    .sort((one, other) => one.revision - other.revision)
    .map(({ key, bytes }) => ({ key, object: withoutOwn(Buffer.from(bytes).toString('utf8'), now) }));
}

function withoutOwn(text: string, now: string): KubernetesObject {
  const object = JSON.parse(text.replaceAll(`"${now}"`, '"TIME"'));
  object.metadata.uid = '';
  return object;
}

function collectionPath({ catalog }: PlaneUnderTest['plane'], { apiVersion, kind, metadata }: KubernetesObject): string {
  const served = catalog.all().find((each) => apiVersionOf(each) === apiVersion && each.kind === kind);
  if (!served) throw new Error(`the server does not serve ${apiVersion} ${kind}`);
  const scope = served.scope === 'Namespaced' ? `/namespaces/${metadata.namespace}` : '';
  return `${served.group === '' ? '/api' : '/apis'}/${apiVersion}${scope}/${served.resource}`;
}

import { StatusError } from '@kubewright/apimachinery';
import { expect, it } from 'vitest';
import { ignoreRejectedCreate } from './ignore-rejected-create.ts';

const rejected = (reason: 'AlreadyExists' | 'Forbidden', causes: readonly { readonly reason: string }[] = []) =>
  new StatusError({
    ...{ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: reason, reason, code: 403 },
    details: { causes: causes.map((cause) => ({ ...cause, message: '', field: '' })) },
  });

it('ignores only that the object exists or that its namespace is being deleted', async () => {
  const create = (error: Error) => Promise.reject<void>(error).catch(ignoreRejectedCreate);
  await create(rejected('AlreadyExists'));
  await create(rejected('Forbidden', [{ reason: 'NamespaceTerminating' }]));
  const forbidden = rejected('Forbidden');
  await expect(create(forbidden)).rejects.toBe(forbidden);
});

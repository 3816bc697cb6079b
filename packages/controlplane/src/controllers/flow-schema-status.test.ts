import { FlowSchema, PriorityLevelConfiguration } from '@kubewright/apimachinery/flowcontrol/v1';
import { expect, it } from 'vitest';
import { TestControlPlane } from './testdata/test-control-plane.ts';

it("reports flow schemas whose priority level does not exist, with upstream's messages", async () => {
  await using plane = await TestControlPlane.start();
  const schemas = plane.client.resource(FlowSchema);
  const levels = plane.client.resource(PriorityLevelConfiguration);
  const dangling = async (name: string) =>
    (await schemas.get({ name })).status?.conditions?.find(({ type }) => type === 'Dangling');
  const before = await schemas.list();
  expect(before.items.map(({ status }) => status?.conditions?.[0]?.status)).toEqual(before.items.map(() => 'False'));

  const priorityLevelConfiguration = { name: 'missing' };
  await schemas.create(FlowSchema({ metadata: { name: 'mine' }, spec: { priorityLevelConfiguration } }));
  const text = 'This FlowSchema references the PriorityLevelConfiguration object named "missing"';
  await expect
    .poll(() => dangling('mine'))
    .toMatchObject({ status: 'True', reason: 'NotFound', message: `${text} but there is no such object` });
  const spec = { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } } as const;
  await levels.create(PriorityLevelConfiguration({ metadata: { name: 'missing' }, spec }));
  await expect
    .poll(() => dangling('mine'))
    .toMatchObject({ status: 'False', reason: 'Found', message: `${text} and it exists` });
  await levels.delete({ name: 'missing' });
  await expect.poll(() => dangling('mine')).toMatchObject({ status: 'True' });

  // The flow schemas that the server creates on its first start already have the status that the controller would write.
  expect((await schemas.list()).items.filter(({ metadata }) => metadata.name !== 'mine')).toEqual(before.items);
});

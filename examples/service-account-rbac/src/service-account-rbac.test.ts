import { SubjectAccessReview } from '@kubewright/apimachinery/authorization/v1';
import { Event, Namespace, ServiceAccount } from '@kubewright/apimachinery/core/v1';
import { Role, RoleBinding } from '@kubewright/apimachinery/rbac/v1';
import { TestEnvironment, TestOperator, toHaveEvent, toMatch } from '@kubewright/testing';
import { describe, expect, it } from 'vitest';
import { serviceAccountRbac } from './service-account-rbac.ts';

// The default is too short for a busy machine.
const waitOptions = { timeoutMs: 30_000 };

describe('service-account-rbac', () => {
  it('waits for the shared namespace, grants access, repairs it, and removes it with the account', async () => {
    await using environment = await TestEnvironment.start();
    const { client } = environment;
    await using operator = await TestOperator.start(client, { controllers: [serviceAccountRbac({ access: 'full' })] });
    const account = (name: string) => ServiceAccount({ metadata: { name, namespace: 'default' } });
    const granted = async (): Promise<readonly string[]> => {
      const where = { namespace: 'namespace-dev' };
      const found = await Promise.all([client.resource(Role).list(where), client.resource(RoleBinding).list(where)]);
      return found.flatMap(({ items }) => items.map(({ metadata }) => metadata.name)).sort();
    };

    await client.resource(ServiceAccount).create(account('other'));
    await client.resource(ServiceAccount).create(account('test-dev'));
    const events = () => client.resource(Event).list({ namespace: 'default' });
    await operator.eventually(events, toHaveEvent({ reason: 'NamespaceMissing', name: 'test-dev' }), waitOptions);
    await client.resource(Namespace).create(Namespace({ metadata: { name: 'namespace-dev' } }));
    await operator.eventually(granted, toMatch(['test-dev-r', 'test-dev-rb']), waitOptions);
    await client.resource(Role).delete({ namespace: 'namespace-dev', name: 'test-dev-r' });
    await operator.eventually(granted, toMatch(['test-dev-r', 'test-dev-rb']), waitOptions);
    const logged = (line: RegExp) => operator.log.filter((each) => line.test(each)).length;
    expect(logged(/Event added, name: test-dev, secrets: \[\]$/)).toBe(1);
    expect(logged(/Service account added to default namespace\.$/)).toBe(1);
    expect(logged(/Role: test-dev-r, created in namespace: namespace-dev$/)).toBe(2);
    expect(logged(/Role binding: test-dev-rb, created in namespace: namespace-dev$/)).toBe(1);
    await client.resource(ServiceAccount).delete({ namespace: 'default', name: 'test-dev' });
    await operator.eventually(granted, toMatch([]), waitOptions);
    const removed = (title: string) => logged(new RegExp(`${title}, deleted from namespace: namespace-dev$`));
    await operator.eventually(() => removed('Role: test-dev-r'), toMatch(1), waitOptions);
    expect(logged(/Event deleted, name: test-dev in namespace: default$/)).toBe(1);
    await operator.eventually(() => removed('Role binding: test-dev-rb'), toMatch(1), waitOptions);
  }, 90_000);

  it.each([
    ['full', [true, true, true]],
    ['list-only', [true, false, false]],
  ] as const)(
    'grants %s access',
    async (access, expected) => {
      await using environment = await TestEnvironment.start();
      const { client } = environment;
      await using operator = await TestOperator.start(client, { controllers: [serviceAccountRbac({ access })] });
      await client.resource(Namespace).create(Namespace({ metadata: { name: 'namespace-dev' } }));
      const account = ServiceAccount({ metadata: { name: 'test-dev', namespace: 'default' } });
      await client.resource(ServiceAccount).create(account);
      const may = async (verb: string) => {
        const resourceAttributes = { namespace: 'namespace-dev', verb, resource: 'pods' };
        const spec = { user: 'system:serviceaccount:default:test-dev', resourceAttributes };
        const review = await client.resource(SubjectAccessReview).create(SubjectAccessReview({ metadata: {}, spec }));
        return review.status?.allowed;
      };
      await operator.eventually(() => may('list'), toMatch(true), waitOptions);
      expect([await may('list'), await may('get'), await may('delete')]).toEqual(expected);
    },
    90_000,
  );
});

import { Event, Namespace, ServiceAccount } from '@kubewright/apimachinery/core/v1';
import { Role, RoleBinding } from '@kubewright/apimachinery/rbac/v1';
import { TestEnvironment, TestOperator, toHaveEvent, toMatch } from '@kubewright/testing';
import { describe, expect, it } from 'vitest';
import { serviceAccountRbac } from './service-account-rbac.ts';

// A busy machine needs more than the default.
const patience = { timeoutMs: 30_000 };

describe('service-account-rbac', () => {
  it('waits for the shared namespace, grants access, repairs it, and removes it with the account', async () => {
    await using environment = await TestEnvironment.start();
    const { client } = environment;
    await using operator = await TestOperator.start(client, { controllers: [serviceAccountRbac] });
    const account = (name: string) => ServiceAccount({ metadata: { name, namespace: 'default' } });
    const granted = async (): Promise<readonly string[]> => {
      const where = { namespace: 'namespace-dev' };
      const found = await Promise.all([client.resource(Role).list(where), client.resource(RoleBinding).list(where)]);
      return found.flatMap(({ items }) => items.map(({ metadata }) => metadata.name)).sort();
    };

    await client.resource(ServiceAccount).create(account('other'));
    await client.resource(ServiceAccount).create(account('test-dev'));
    const events = () => client.resource(Event).list({ namespace: 'default' });
    await operator.eventually(events, toHaveEvent({ reason: 'NamespaceMissing', name: 'test-dev' }), patience);
    await client.resource(Namespace).create(Namespace({ metadata: { name: 'namespace-dev' } }));
    await operator.eventually(granted, toMatch(['test-dev-r', 'test-dev-rb']), patience);
    await client.resource(Role).delete({ namespace: 'namespace-dev', name: 'test-dev-r' });
    await operator.eventually(granted, toMatch(['test-dev-r', 'test-dev-rb']), patience);
    const logged = (line: RegExp) => operator.log.filter((each) => line.test(each)).length;
    expect(logged(/Role: test-dev-r, created in namespace: namespace-dev$/)).toBe(2);
    expect(logged(/Role binding: test-dev-rb, created in namespace: namespace-dev$/)).toBe(1);
    await client.resource(ServiceAccount).delete({ namespace: 'default', name: 'test-dev' });
    await operator.eventually(granted, toMatch([]), patience);
    await operator.eventually(
      () => logged(/Role: test-dev-r, deleted from namespace: namespace-dev$/),
      toMatch(1),
      patience,
    );
    expect(logged(/Role binding: test-dev-rb, deleted from namespace: namespace-dev$/)).toBe(1);
  }, 90_000);
});

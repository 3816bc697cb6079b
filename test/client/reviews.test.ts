import { SelfSubjectReview, TokenReview } from '@kubewright/apimachinery/authentication/v1';
import {
  LocalSubjectAccessReview,
  SelfSubjectAccessReview,
  SelfSubjectRulesReview,
  SubjectAccessReview,
} from '@kubewright/apimachinery/authorization/v1';
import { ConfigMap } from '@kubewright/apimachinery/core/v1';
import { TestEnvironment } from '@kubewright/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

// USE_EXISTING_CLUSTER=true runs this against the cluster of KUBECONFIG.
describe('kinds that are never stored', () => {
  const resourceAttributes = { namespace: 'default', verb: 'list', resource: 'pods' };
  let environment: TestEnvironment;
  beforeAll(async () => {
    environment = await TestEnvironment.start();
  }, 120_000);
  afterAll(() => environment?.[Symbol.asyncDispose]());

  it('are created from their spec', async () => {
    const { client } = environment;
    const own = await client.resource(SelfSubjectAccessReview).create({ spec: { resourceAttributes } });
    expect(own.status?.allowed).toBe(true);
    const spec = { user: 'nobody', resourceAttributes };
    const other = await client.resource(SubjectAccessReview).create({ spec });
    expect(other).toMatchObject({ kind: 'SubjectAccessReview', metadata: {}, status: { allowed: false } });
    const local = await client.resource(LocalSubjectAccessReview).create({ spec });
    expect(local.status?.allowed).toBe(false);
    const rules = await client.resource(SelfSubjectRulesReview).create({ spec: { namespace: 'default' } });
    expect(rules.status?.resourceRules).toContainEqual(expect.objectContaining({ verbs: ['*'] }));
    const token = await client.resource(TokenReview).create({ spec: { token: 'wrong' } });
    expect(token.status?.authenticated ?? false).toBe(false);
    const self = await client.resource(SelfSubjectReview).create({});
    expect(self.status?.userInfo?.groups).toContain('system:masters');
  });

  it('have factories that need no metadata', async () => {
    const review = SubjectAccessReview({ spec: { user: 'nobody', resourceAttributes } });
    expect(review.metadata).toEqual({});
    expect((await environment.client.resource(SubjectAccessReview).create(review)).status?.allowed).toBe(false);
    // @ts-expect-error the spec is required
    SubjectAccessReview({});
  });

  it('differ from stored kinds, which need metadata', async () => {
    // @ts-expect-error a ConfigMap needs metadata
    const created = environment.client.resource(ConfigMap).create({ data: {} });
    await expect(created).rejects.toThrow('name or generateName is required');
    // @ts-expect-error a ConfigMap needs metadata
    expect(ConfigMap({ data: {} }).metadata).toEqual({});
  });
});

import { Pod } from '@kubewright/apimachinery/core/v1';
import { describe, expect, it } from 'vitest';
import { defineKind } from '../kind/index.ts';
import { allowed } from './admission-review.ts';
import { admissionWebhook } from './admission-webhook.ts';
import { converter } from './converter.ts';
import { defaulter } from './defaulter.ts';
import { validator } from './validator.ts';
import { webhookConfigurations } from './webhook-configurations.ts';
import { WebhookError } from './webhook-error.ts';

const CronJob = defineKind<object>({ group: 'batch.tutorial.kubebuilder.io', version: 'v1', kind: 'CronJob' });

describe('webhookConfigurations', () => {
  it('creates the same objects as controller-gen from kubebuilder’s markers', () => {
    const rules = validator(CronJob, { create: () => undefined, update: () => undefined });
    const [mutating, validating] = webhookConfigurations([rules, defaulter(CronJob, () => undefined)]);
    const rule = {
      apiGroups: ['batch.tutorial.kubebuilder.io'],
      apiVersions: ['v1'],
      operations: ['CREATE', 'UPDATE'],
      resources: ['cronjobs'],
    };
    const common = { admissionReviewVersions: ['v1'], failurePolicy: 'Fail', rules: [rule], sideEffects: 'None' };
    const service = { name: 'webhook-service', namespace: 'system' };
    const path = 'batch-tutorial-kubebuilder-io-v1-cronjob';
    expect(mutating).toEqual({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingWebhookConfiguration',
      metadata: { name: 'mutating-webhook-configuration' },
      webhooks: [
        { ...common, clientConfig: { service: { ...service, path: `/mutate-${path}` } }, name: 'mcronjob-v1.kb.io' },
      ],
    });
    expect(validating).toEqual({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'validating-webhook-configuration' },
      webhooks: [
        { ...common, clientConfig: { service: { ...service, path: `/validate-${path}` } }, name: 'vcronjob-v1.kb.io' },
      ],
    });
  });

  it('uses the registration in the declaration, and an empty group in the path of core kinds', () => {
    const webhook = defaulter(Pod, () => undefined, {
      name: 'pods.shop.example.com',
      failurePolicy: 'Ignore',
      timeoutSeconds: 5,
      reinvocationPolicy: 'IfNeeded',
      namespaceSelector: { matchLabels: { shop: 'yes' } },
    });
    const service = { namespace: 'shop', name: 'hooks', port: 8443 };
    const [only, ...others] = webhookConfigurations([webhook], { service, names: { mutating: 'shop' }, ca: 'PEM' });
    expect(others).toEqual([]);
    expect(only).toMatchObject({ metadata: { name: 'shop' } });
    expect(only?.webhooks?.[0]).toMatchObject({
      clientConfig: { service: { ...service, path: '/mutate--v1-pod' }, caBundle: 'UEVN' },
      name: 'pods.shop.example.com',
      failurePolicy: 'Ignore',
      timeoutSeconds: 5,
      reinvocationPolicy: 'IfNeeded',
      namespaceSelector: { matchLabels: { shop: 'yes' } },
    });
  });

  it('keeps webhooks for built-in kinds from blocking the operator itself', () => {
    const service = { namespace: 'shop', name: 'hooks' };
    const [pods] = webhookConfigurations([validator(Pod, { create: () => undefined })], { service });
    expect(pods?.webhooks?.[0]?.namespaceSelector).toEqual({
      matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-system', 'shop'] }],
    });
    const [jobs] = webhookConfigurations([validator(CronJob, { create: () => undefined })], { service });
    expect(jobs?.webhooks?.[0]?.namespaceSelector).toBeUndefined();
  });

  it('uses the URL of a process, for development', () => {
    const rules = validator(CronJob, { create: () => undefined });
    const at = (url: string) => webhookConfigurations([rules], { url, ca: 'PEM' })[0]?.webhooks?.[0]?.clientConfig;
    const url = 'https://127.0.0.1:9443/validate-batch-tutorial-kubebuilder-io-v1-cronjob';
    expect(at('https://127.0.0.1:9443')).toEqual({ url, caBundle: 'UEVN' });
    expect(at('https://127.0.0.1:9443/')).toEqual({ url, caBundle: 'UEVN' });
    expect(() => at('http://127.0.0.1:9443')).toThrow(WebhookError);
    expect(() => at('127.0.0.1')).toThrow(WebhookError);
    const service = { namespace: 'shop', name: 'hooks' };
    expect(() => webhookConfigurations([rules], { url, service })).toThrow('cannot have both');
  });

  it('omits conversions and webhooks without rules, and rejects duplicate names', () => {
    const raw = admissionWebhook({ type: 'validating', path: '/x', handle: () => allowed() });
    expect(webhookConfigurations([raw, converter(CronJob, [])])).toEqual([]);
    const rules = validator(CronJob, { create: () => undefined });
    expect(() => webhookConfigurations([rules, rules])).toThrow(WebhookError);
  });
});

import { isConflict, isNotFound, type Kind, type KubernetesObject } from '@kubewright/apimachinery';
import {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
  type WebhookClientConfig,
} from '@kubewright/apimachinery/admissionregistration/v1';
import { CustomResourceDefinition } from '@kubewright/apimachinery/apiextensions/v1';
import { sameJson } from '@kubewright/apimachinery/internal';
import type { KubernetesClient } from '@kubewright/client';
import { CertificateError } from './certificate-error.ts';

/** The address of the webhook server. */
export type WebhookAddress =
  | { readonly service: { readonly namespace: string; readonly name: string; readonly port?: number } }
  /** For a server on the developer's machine, such as `https://127.0.0.1:9443`. */
  | { readonly url: string };

/** The objects that receive the authority's certificates. */
export interface InjectionTargets {
  /** Names of MutatingWebhookConfigurations. */
  readonly mutating: readonly string[];
  /** Names of ValidatingWebhookConfigurations. */
  readonly validating: readonly string[];
  /** Names of CustomResourceDefinitions, `<plural>.<group>`, whose objects the server converts. */
  readonly definitions: readonly string[];
}

/** Options for {@link injectBundle}. */
export interface InjectionOptions {
  readonly client: KubernetesClient;
  readonly targets: InjectionTargets;
  readonly address: WebhookAddress;
  /**
   * Reads the current bundle, in PEM format. Called after the object is read, so that an older bundle never replaces a
   * newer bundle.
   */
  readonly bundle: () => Promise<string>;
  readonly signal: AbortSignal;
}

/** The result of {@link injectBundle}. */
export interface InjectionReport {
  /** `Kind name` of each object that was written. */
  readonly changed: readonly string[];
  /** `Kind name` of each object that does not exist yet. */
  readonly missing: readonly string[];
}

/**
 * Writes the authority's certificates and the server's address into every configuration and definition through which the API server
 * calls it. Skips objects that are up to date.
 *
 * @throws StatusError when the operator is not authorized (needs `get` and `update` on these objects).
 */
export async function injectBundle(options: InjectionOptions): Promise<InjectionReport> {
  const { mutating, validating, definitions } = options.targets;
  const report = { changed: [] as string[], missing: [] as string[] };
  for (const name of mutating)
    await inject({ kind: MutatingWebhookConfiguration, name, change: withWebhooks }, options, report);
  for (const name of validating)
    await inject({ kind: ValidatingWebhookConfiguration, name, change: withWebhooks }, options, report);
  for (const name of definitions)
    await inject({ kind: CustomResourceDefinition, name, change: withConversion }, options, report);
  return report;
}

/** Values written into an object. */
interface Injected {
  readonly caBundle: string;
  readonly address: WebhookAddress;
}

interface Task<T extends KubernetesObject> {
  readonly kind: Kind<T>;
  readonly name: string;
  readonly change: (object: T, injected: Injected) => T;
}

async function inject<T extends KubernetesObject>(
  task: Task<T>,
  options: InjectionOptions,
  report: { readonly changed: string[]; readonly missing: string[] },
): Promise<void> {
  const { kind, name, change } = task;
  const { client, address, bundle, signal } = options;
  const objects = client.resource(kind);
  for (let attempt = 0; attempt < 10; attempt++) {
    try {
      const object = await objects.get({ name }, { signal });
      const caBundle = Buffer.from(await bundle(), 'utf8').toString('base64');
      const changed = change(object, { caBundle, address });
      if (sameJson(object, changed)) return;
      await objects.update(changed, { signal });
      report.changed.push(`${kind.kind} ${name}`);
      return;
    } catch (error) {
      if (isNotFound(error)) {
        report.missing.push(`${kind.kind} ${name}`);
        return;
      }
      if (!isConflict(error)) throw error;
    }
  }
  throw new CertificateError({
    what: `cannot write caBundle to ${kind.kind} ${name}`,
    why: 'another program keeps changing the object',
    remedy: `run kubectl get ${kind.plural} ${name} -o yaml --show-managed-fields to find this program, and stop it`,
  });
}

function withWebhooks<T extends MutatingWebhookConfiguration | ValidatingWebhookConfiguration>(
  object: T,
  injected: Injected,
): T {
  const webhooks = object.webhooks?.map((webhook) => ({
    ...webhook,
    clientConfig: clientConfig(webhook.clientConfig, injected),
  }));
  return webhooks ? { ...object, webhooks } : object;
}

/**
 * Returns the definition with webhook conversion enabled: the operator declares a converter for the kind. Keeps
 * existing webhook settings, and adds missing settings.
 */
function withConversion(object: CustomResourceDefinition, injected: Injected): CustomResourceDefinition {
  const { conversion } = object.spec;
  const { address } = injected;
  const present: WebhookClientConfig =
    conversion?.webhook?.clientConfig ??
    ('url' in address ? { url: '/convert' } : { service: { ...address.service, path: '/convert' } });
  const webhook = {
    conversionReviewVersions: conversion?.webhook?.conversionReviewVersions ?? ['v1'],
    clientConfig: clientConfig(present, injected),
  };
  return { ...object, spec: { ...object.spec, conversion: { strategy: 'Webhook', webhook } } };
}

/** Leaves other servers' entries unchanged. */
function clientConfig(config: WebhookClientConfig, { caBundle, address }: Injected): WebhookClientConfig {
  if ('service' in address) {
    const { namespace, name } = address.service;
    const isOurs = config.service?.namespace === namespace && config.service.name === name;
    return isOurs ? { ...config, caBundle } : config;
  }
  const path = config.service ? (config.service.path ?? '/') : new URL(config.url ?? '/', address.url).pathname;
  return { url: `${address.url}${path}`, caBundle };
}

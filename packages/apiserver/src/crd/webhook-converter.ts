import type { Random } from '@kubewright/apimachinery';
import type { SchemaNode } from '@kubewright/schema/internal';
import type { ObjectConverter } from '../registry/resource-definition.ts';
import type { Draft } from '../registry/strategy.ts';
import { reviewVersion } from '../webhooks/review-version.ts';
import { WebhookCallError } from '../webhooks/webhook-call-error.ts';
import type { WebhookClient, WebhookClientConfig } from '../webhooks/webhook-client.ts';
import { conversionFault } from '../webhooks/webhook-fault.ts';
import type { CompiledVersion } from './compile-version.ts';
import { conversionReview, readConvertedObjects } from './conversion-review.ts';
import { restoreConverted } from './converted-object.ts';
import type { ConverterFactory, ConverterParts } from './custom-definitions.ts';
import type { CustomResourceDefinition } from './custom-resource-definition.ts';
import { dropNulls } from './drop-nulls.ts';

/** Dependencies for calling conversion webhooks. */
export interface ConversionServices {
  readonly client: WebhookClient;
  readonly random: Random;
}

/** Returns the converters of CRDs with the conversion strategy `Webhook`. */
export function webhookConverters(services: ConversionServices): ConverterFactory {
  return (crd, parts) =>
    crd.spec.conversion?.strategy === 'Webhook' ? new WebhookConverter(crd, { ...parts, services }) : undefined;
}

interface ConversionWebhook {
  readonly clientConfig: WebhookClientConfig;
  readonly conversionReviewVersions: readonly string[];
}

/** The default timeout of upstream's client. */
const timeoutSeconds = 30;

/** Converts objects of a CRD through its webhook. Like upstream's storage (1.36), sends one object per request. */
class WebhookConverter implements ObjectConverter {
  readonly #webhook: ConversionWebhook;
  readonly #services: ConversionServices;
  readonly storageApiVersion: string;
  /** The schemas of all versions, by apiVersion. */
  readonly #versions: ReadonlyMap<string, CompiledVersion>;

  constructor(crd: CustomResourceDefinition, options: ConverterParts & { readonly services: ConversionServices }) {
    this.storageApiVersion = options.storageApiVersion;
    // Validation on write guarantees that a CRD with this strategy has a webhook.
    this.#webhook = crd.spec.conversion?.webhook as ConversionWebhook;
    this.#services = options.services;
    this.#versions = options.versions;
  }

  async convert(object: Draft, apiVersion: string): Promise<Draft> {
    if (object.apiVersion === apiVersion) return object;
    const target = this.#versions.get(apiVersion);
    if (target === undefined) throw conversionFault(`request to convert CR to an invalid group/version: ${apiVersion}`);
    if (!this.#versions.has(object.apiVersion)) {
      throw conversionFault(`request to convert CR from an invalid group/version: ${object.apiVersion}`);
    }
    const head = `conversion webhook for ${object.apiVersion}, Kind=${object.kind}`;
    const [converted, ...more] = await this.#callWebhook(object, { apiVersion, head });
    const count = converted === undefined ? 0 : 1 + more.length;
    if (count !== 1) throw conversionFault(`${head} returned ${count} objects, expected 1`);
    const restored = restoreConverted(object, converted, apiVersion);
    if ('fault' in restored) throw conversionFault(`${head} ${restored.fault}`);
    const pruned = target.schema.prune(restored.object).value as Draft; // pruning an object returns an object
    dropNulls(target.schema.source, pruned);
    return pruned;
  }

  schemaOf(apiVersion: string): SchemaNode | undefined {
    return this.#versions.get(apiVersion)?.schema.node;
  }

  /** Prunes and defaults a stored object with its version's schema. */
  fromStored(object: Draft): Draft {
    const own = this.#versions.get(object.apiVersion)?.schema;
    return own === undefined ? object : (own.applyDefaults(own.prune(object).value) as Draft);
  }

  async #callWebhook(
    object: Draft,
    { apiVersion, head }: { readonly apiVersion: string; readonly head: string },
  ): Promise<readonly unknown[]> {
    const { client, random } = this.#services;
    const { clientConfig: config, conversionReviewVersions } = this.#webhook;
    const version = reviewVersion(conversionReviewVersions);
    if (version === undefined) throw conversionFault('no supported conversion review versions');
    const uid = random.uid();
    const body = conversionReview([object], { uid, version, desiredAPIVersion: apiVersion });
    try {
      const response = await client.post({ config, body, timeoutSeconds: timeoutSeconds });
      return readConvertedObjects(response, { uid, version });
    } catch (cause) {
      if (!(cause instanceof WebhookCallError)) throw cause;
      throw conversionFault(`${head} failed: ${cause.message}`, cause);
    }
  }
}

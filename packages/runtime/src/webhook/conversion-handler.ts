import {
  apiVersionOf,
  formatObjectKey,
  type KubernetesObject,
  type ObjectMeta,
  objectKey,
  parseApiVersion,
  StatusError,
} from '@kubewright/apimachinery';
import { deepFreeze, defined, parseExactJson } from '@kubewright/apimachinery/internal';
import { logEvents } from '../log/log-events.ts';
import { fieldsOf } from './review-format.ts';
import { asObject } from './reviewed-object.ts';
import type { ConversionWebhook } from './webhook-definition.ts';
import type { WebhookCall, WebhookParts, WebhookReply } from './webhook-parts.ts';

/**
 * Responds to `ConversionReview`s for all convertible kinds. Like controller-runtime (0.25), fails the whole batch if one object
 * cannot be converted; the message names the object.
 */
export function conversionHandler(
  webhooks: readonly ConversionWebhook[],
  parts: WebhookParts,
): (call: WebhookCall) => Promise<WebhookReply> {
  const log = parts.log.named('conversion-webhook');
  const byKind = new Map(webhooks.map((webhook) => [`${webhook.kind}.${webhook.group}`, webhook]));
  return async (call) => {
    const review = readReview(call);
    if (review === undefined) {
      log.error('failed to read conversion request', { event: logEvents.webhookRequestInvalid });
      return { status: 400, json: {} };
    }
    const { uid, desiredAPIVersion, objects, apiVersion } = review;
    const reply = (response: Record<string, unknown>): WebhookReply => ({
      status: 200,
      json: { kind: 'ConversionReview', apiVersion, response: { uid, ...response } },
    });
    try {
      const convertedObjects: KubernetesObject[] = [];
      for (const raw of objects) convertedObjects.push(await convertOne(raw, { desiredAPIVersion, byKind }));
      return reply({ convertedObjects, result: { status: 'Success' } });
    } catch (error) {
      if (error instanceof ConversionFailure && error.isPanic) parts.metrics?.panicked('conversion');
      log.error('failed to convert', { event: logEvents.conversionFailed, error, request: uid });
      const message = error instanceof Error ? error.message : String(error);
      return reply({ convertedObjects: [], result: { status: 'Failure', message } });
    }
  };
}

interface Review {
  readonly apiVersion: string;
  readonly uid: string;
  readonly desiredAPIVersion: string;
  readonly objects: readonly unknown[];
}

function readReview(call: WebhookCall): Review | undefined {
  let body: unknown;
  try {
    body = parseExactJson(new TextDecoder('utf-8', { fatal: true }).decode(call.body));
  } catch {
    // Handle invalid JSON in the same way as JSON that is not a ConversionReview.
    return undefined;
  }
  const { apiVersion, request } = fieldsOf(body);
  const { uid, desiredAPIVersion, objects } = fieldsOf(request) as Partial<Record<keyof Review, unknown>>;
  if (typeof apiVersion !== 'string' || typeof uid !== 'string' || typeof desiredAPIVersion !== 'string')
    return undefined;
  return Array.isArray(objects) ? { apiVersion, uid, desiredAPIVersion, objects } : undefined;
}

interface Target {
  readonly desiredAPIVersion: string;
  readonly byKind: ReadonlyMap<string, ConversionWebhook>;
}

async function convertOne(raw: unknown, { desiredAPIVersion, byKind }: Target): Promise<KubernetesObject> {
  const object = asObject(raw);
  if (object === undefined) throw new ConversionFailure('an object in the review has no apiVersion, kind or metadata');
  const [from, to] = [parseApiVersion(object.apiVersion), parseApiVersion(desiredAPIVersion)];
  const what = `${object.kind} ${formatObjectKey(objectKey(object))} from ${object.apiVersion} to ${desiredAPIVersion}`;
  if (from.group !== to.group) throw new ConversionFailure(`cannot convert ${what}: the groups differ`);
  if (from.version === to.version) return object;
  const webhook = byKind.get(`${object.kind}.${from.group}`);
  if (!webhook) throw new ConversionFailure(`cannot convert ${what}: no converter is declared for this kind`);
  try {
    const hub = await step(object, { webhook, version: from.version, way: 'toHub' });
    return await step(hub, { webhook, version: to.version, way: 'fromHub' });
  } catch (cause) {
    throw new ConversionFailure(`cannot convert ${what}: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
}

async function step(
  object: KubernetesObject,
  by: { readonly webhook: ConversionWebhook; readonly version: string; readonly way: 'toHub' | 'fromHub' },
): Promise<KubernetesObject> {
  const { webhook, version, way } = by;
  const { group, kind, hub, spokes } = webhook;
  if (version === hub) return object;
  const steps = spokes.get(version);
  if (!steps) throw new ConversionFailure(`version ${version} is not declared`);
  const made = await steps[way](deepFreeze(object));
  const apiVersion = apiVersionOf({ group, version: way === 'toHub' ? hub : version });
  return { ...made, apiVersion, kind, metadata: keptMetadata(object.metadata, made.metadata) };
}

/** Returns the given metadata with the labels and annotations of the conversion; the API server rejects any other change. */
function keptMetadata(given: ObjectMeta, made: ObjectMeta | undefined): ObjectMeta {
  if (made === undefined || made === given) return given;
  const { labels: _labels, annotations: _annotations, ...rest } = given;
  const { labels, annotations } = made;
  return { ...rest, ...defined({ labels, annotations }) };
}

/** An error that names the object whose conversion failed. */
class ConversionFailure extends Error {
  /** Reports whether the user's function threw an error that was not meant for the caller. */
  get isPanic(): boolean {
    return (
      this.cause !== undefined && !(this.cause instanceof StatusError) && !(this.cause instanceof ConversionFailure)
    );
  }
}

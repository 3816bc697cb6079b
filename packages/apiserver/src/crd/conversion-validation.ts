import {
  type FieldError,
  forbiddenField,
  invalidField,
  requiredField,
  unsupportedField,
} from '@kubewright/apimachinery';
import { reviewVersions } from '../webhooks/review-version.ts';
import type { CustomResourceDefinition } from './custom-resource-definition.ts';

interface Webhook {
  readonly clientConfig?: { readonly url?: string; readonly service?: unknown };
  readonly conversionReviewVersions?: readonly string[];
}

/** Validates the conversion settings of a CRD. */
export function validateConversion({ spec }: CustomResourceDefinition): readonly FieldError[] {
  const faults: FieldError[] = [];
  if (spec.preserveUnknownFields) {
    const detail =
      'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
    faults.push(invalidField('spec.preserveUnknownFields', true, detail));
  }
  const { strategy = '', webhook } = (spec.conversion ?? { strategy: 'None' }) as {
    strategy?: string;
    webhook?: Webhook;
  };
  if (strategy === '') faults.push(requiredField('spec.conversion.strategy'));
  else if (strategy !== 'None' && strategy !== 'Webhook') {
    faults.push(unsupportedField('spec.conversion.strategy', strategy, ['None', 'Webhook']));
  }
  return [...faults, ...(strategy === 'Webhook' ? validateWebhook(webhook) : validateNoWebhook(webhook))];
}

function validateNoWebhook(webhook: Webhook | undefined): readonly FieldError[] {
  const faults: FieldError[] = [];
  const detail = 'should not be set when strategy is not set to Webhook';
  if (webhook?.clientConfig) faults.push(forbiddenField('spec.conversion.webhookClientConfig', detail));
  if (webhook?.conversionReviewVersions?.length) {
    faults.push(forbiddenField('spec.conversion.conversionReviewVersions', detail));
  }
  return faults;
}

function validateWebhook(webhook: Webhook | undefined): readonly FieldError[] {
  const faults: FieldError[] = [];
  const field = 'spec.conversion.webhookClientConfig';
  const { clientConfig, conversionReviewVersions = [] } = webhook ?? {};
  if (!clientConfig) faults.push(requiredField(field, 'required when strategy is set to Webhook'));
  else {
    const { url, service } = clientConfig;
    if ((url === undefined) === (service === undefined)) {
      faults.push(requiredField(field, 'exactly one of url or service is required'));
    } else if (url !== undefined) faults.push(...validateUrl(url, `${field}.url`));
  }
  const versions = 'spec.conversion.conversionReviewVersions';
  if (conversionReviewVersions.length === 0) faults.push(requiredField(versions));
  else if (!conversionReviewVersions.some((version) => reviewVersions.includes(version))) {
    const detail = `must include at least one of ${reviewVersions.join(', ')}`;
    faults.push(invalidField(versions, conversionReviewVersions, detail));
  }
  return faults;
}

function validateUrl(url: string, field: string): readonly FieldError[] {
  const form = 'desired format: https://host[/path]';
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1] ?? '';
  if (scheme !== 'https') {
    return [invalidField(field, scheme, `'https' is the only allowed URL scheme; ${form}`)];
  }
  const host = /^https:\/\/([^/?#]*)/i.exec(url)?.[1] ?? '';
  return host === '' ? [invalidField(field, '', `host must be specified; ${form}`)] : [];
}

import { type FieldError, type FieldPath, invalidField, requiredField } from '@kubewright/apimachinery';
import { tooLongField } from '@kubewright/apimachinery/internal';
import { nodeSelector } from '../core/scheduling-validation.ts';
import type { NodeSelector, ResourceSliceSpec } from '../generated/drafts.ts';
import { type Check, required } from '../validation/check.ts';
import { dnsSubdomain } from '../validation/rules.ts';

/** Validates the name of a pool: DNS subdomains separated by slashes. */
export const poolName: Check<string> = required<string>((name = '', path) => [
  ...(name.length > 253 ? [tooLongField(path, { max: 253 })] : []),
  ...name.split('/').flatMap((part) => dnsSubdomain(part, path)),
]);

/**
 * Validates the node selector of a slice. The selector must have exactly one term, so that schedulers can merge it with
 * others.
 */
export const sliceNodes: Check<NodeSelector> = (selector, path) => {
  if (!selector) return [];
  const at = path.child('nodeSelectorTerms');
  const terms = selector.nodeSelectorTerms ?? [];
  const faults = nodeSelector(selector, path);
  if (terms.length === 1) return faults;
  return [...faults, invalidField(at, selector.nodeSelectorTerms ?? null, 'must have exactly one node selector term')];
};

/** Requires exactly one of the fields that select the nodes with access to the devices of a slice. */
export function sliceScopeFaults(spec: ResourceSliceSpec, path: FieldPath): readonly FieldError[] {
  const detail = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required';
  const set = [
    ...(spec.nodeName ? ['`nodeName`'] : []),
    ...(spec.nodeSelector ? ['`nodeSelector`'] : []),
    ...(spec.allNodes ? ['`allNodes`'] : []),
    ...(spec.perDeviceNodeSelection ? ['`perDeviceNodeSelection`'] : []),
  ];
  const faults: FieldError[] = (['allNodes', 'perDeviceNodeSelection'] as const).flatMap((field) =>
    spec[field] === false ? [invalidField(path.child(field), false, 'must be either unset or set to true')] : [],
  );
  if (set.length === 0) faults.push(requiredField(path, detail));
  if (set.length > 1) {
    faults.push(invalidField(path, `{${set.join(', ')}}`, `${detail}, but multiple fields are set`));
  }
  if (spec.sharedCounters && spec.devices) {
    faults.push(invalidField(path, '', 'only one of `sharedCounters` or `devices` is allowed'));
  }
  return faults;
}

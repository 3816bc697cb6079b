import { type FieldError, type FieldPath, invalidField, requiredField } from '@kubewright/apimachinery';
import type { RuleWithOperations } from '../generated/drafts.ts';
import { all, type Check, each, enumOf, fields, present, required } from '../validation/check.ts';

/** Validates a rule of a webhook. */
export const webhookRule: Check<RuleWithOperations> = fields<RuleWithOperations>({
  operations: all(required(each(enumOf('*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'))), alone('operations')),
  apiGroups: all(required(), alone('API groups')),
  apiVersions: all(required(), alone('API versions'), each(required())),
  resources: (value, path) => resourceFaults(value ?? [], path),
  scope: present(enumOf('*', 'Cluster', 'Namespaced')),
});

/** Rejects lists that contain `*` together with other values. */
function alone(what: string): Check<readonly string[]> {
  return (value, path) =>
    value !== undefined && value.length > 1 && value.includes('*')
      ? [invalidField(path, value, `if '*' is present, must not specify other ${what}`)]
      : [];
}

function resourceFaults(resources: readonly string[], path: FieldPath): readonly FieldError[] {
  if (resources.length === 0) return [requiredField(path)];
  const faults: FieldError[] = [];
  const allSubresources = new Set<string>();
  const allResources = new Set<string>();
  let plain = false;
  for (const [index, text] of resources.entries()) {
    const at = path.index(index);
    const slash = text.indexOf('/');
    if (text === '') faults.push(requiredField(at));
    else if (slash < 0) plain = text !== '*';
    else {
      const [main, sub] = [text.slice(0, slash), text.slice(slash + 1)];
      const redundant = (by: string): FieldError =>
        invalidField(at, text, `if '${by}' is present, must not specify ${text}`);
      if (allSubresources.has(main)) faults.push(redundant(`${main}/*`));
      if (allResources.has(sub)) faults.push(redundant(`*/${sub}`));
      if (sub === '*') allSubresources.add(main);
      if (main === '*') allResources.add(sub);
    }
  }
  if (resources.length > 1 && resources.includes('*/*')) {
    faults.push(invalidField(path, resources, "if '*/*' is present, must not specify other resources"));
  }
  if (resources.includes('*') && plain) {
    const detail = "if '*' is present, must not specify other resources without subresources";
    faults.push(invalidField(path, resources, detail));
  }
  return faults;
}

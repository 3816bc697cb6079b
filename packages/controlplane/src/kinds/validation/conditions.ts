import { type FieldError, invalidField, requiredField } from '@kubewright/apimachinery';
import { tooLongField } from '@kubewright/apimachinery/internal';
import type { Condition } from '../generated/drafts.ts';
import { all, type Check, each, enumOf, fields, required, rule, unique } from './check.ts';
import { qualifiedName } from './rules.ts';

const reasonForm = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;
const reasonDetail =
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')";

const reason: Check<string> = required((text = '', path) => {
  const faults: FieldError[] = reasonForm.test(text) ? [] : [invalidField(path, text, reasonDetail)];
  return text.length > 1024 ? [...faults, tooLongField(path, { max: 1024 })] : faults;
});

const condition: Check<Condition> = fields<Condition>({
  type: qualifiedName,
  status: enumOf('False', 'True', 'Unknown'),
  observedGeneration: rule((generation) => generation >= 0, 'must be greater than or equal to zero'),
  lastTransitionTime: (time, path) => (time ? [] : [requiredField(path)]),
  reason,
  message: (text, path) => ((text ?? '').length > 32_768 ? [tooLongField(path, { max: 32_768 })] : []),
});

/** Validates conditions of the common type, `metav1.Condition`. */
export const conditions: Check<readonly Condition[]> = all(
  unique<Condition>(
    ({ type }) => type,
    (path) => path.child('type'),
  ),
  each(condition),
);

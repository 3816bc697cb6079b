import type { ValidationRule } from '@kubewright/schema';
import type { DocTag } from '../compiler/type-model.ts';
import { addRules, type Draft } from '../types/draft.ts';
import { celName } from './cel-name.ts';

const REASONS = ['FieldValueInvalid', 'FieldValueForbidden', 'FieldValueRequired', 'FieldValueDuplicate'];
const COUNTS = {
  atMostOneOf: { test: '<= 1', words: 'at most one of the fields in [%] may be set' },
  exactlyOneOf: { test: '== 1', words: 'exactly one of the fields in [%] must be set' },
  atLeastOneOf: { test: undefined, words: 'at least one of the fields in [%] must be set' },
} as const;

/** Applies a tag that adds CEL rules or extends the previous rule. Returns false for other tags. */
export function applyRuleTag(
  draft: Draft,
  tag: DocTag,
  to: { readonly wrong: (why: string) => void; readonly immutable: (draft: Draft) => void },
): boolean {
  const name = tag.name.split('.').at(-1) as string; // split returns at least one part
  switch (name) {
    case 'rule':
      if (tag.text === '') to.wrong('the expression is missing');
      else addRules(draft, { rule: tag.text });
      return true;
    case 'message':
    case 'messageExpression':
    case 'reason':
    case 'fieldPath':
    case 'optionalOldSelf':
      sayMore(draft, { name, text: tag.text }, to.wrong);
      return true;
    case 'immutable':
      addRules(draft, { rule: 'self == oldSelf', message: 'field is immutable' });
      to.immutable(draft);
      return true;
    case 'atMostOneOf':
    case 'exactlyOneOf':
    case 'atLeastOneOf':
      countFields(draft, { name, text: tag.text }, to.wrong);
      return true;
    default:
      return false;
  }
}

function sayMore(
  draft: Draft,
  { name, text }: { readonly name: keyof ValidationRule; readonly text: string },
  wrong: (why: string) => void,
): void {
  const rules = [...(draft['x-kubernetes-validations'] ?? [])];
  const last = rules.pop();
  if (last === undefined) {
    wrong('it must follow a @rule');
    return;
  }
  if (name === 'reason' && !REASONS.includes(text)) {
    wrong(`must be one of ${REASONS.join(', ')}, got ${JSON.stringify(text)}`);
    return;
  }
  const value = name === 'optionalOldSelf' ? text !== 'false' : text.replace(/\n\s*/g, ' ');
  draft['x-kubernetes-validations'] = [...rules, { ...last, [name]: value }];
}

/** Adds a rule about the members of a union: optional fields of the same object. */
function countFields(
  draft: Draft,
  { name, text }: { readonly name: keyof typeof COUNTS; readonly text: string },
  wrong: (why: string) => void,
): void {
  const fields = text.split(/[\s,;]+/).filter((field) => field !== '');
  if (fields.length < 2) {
    wrong('at least two fields are required');
    return;
  }
  for (const field of fields) {
    if (!Object.hasOwn(draft.properties ?? {}, field)) {
      wrong(`the field ${field} does not exist`);
      return;
    }
    if (draft.required?.includes(field)) {
      wrong(`the field ${field} is required: make it optional with a question mark`);
      return;
    }
  }
  const { test, words } = COUNTS[name];
  const present = fields.map((field) => `has(self.${celName(field)})`);
  // Avoids lists and loops, which would cost the API server time on every write.
  const rule = test === undefined ? present.join('||') : `${present.map((each) => `(${each}?1:0)`).join('+')} ${test}`;
  addRules(draft, { rule, message: words.replace('%', fields.join(' ')) });
}

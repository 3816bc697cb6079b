import type { ValidationRule } from '@kubewright/schema';
import { addRules, type Draft } from '../types/draft.ts';
import { celName } from './cel-name.ts';
import type { TagEffect, TagUse } from './tag.ts';

const reasons = ['FieldValueInvalid', 'FieldValueForbidden', 'FieldValueRequired', 'FieldValueDuplicate'];

/** Adds the argument as a CEL rule. */
export function addRule(draft: Draft, { text, wrong }: TagUse): void {
  if (text === '') wrong('the expression is missing');
  else addRules(draft, { rule: text });
}

/** Sets a field of the preceding rule. */
export function extendRule(name: keyof ValidationRule): TagEffect {
  return (draft, { text, wrong }) => {
    const rules = [...(draft['x-kubernetes-validations'] ?? [])];
    const last = rules.pop();
    if (last === undefined) {
      wrong('the tag must follow a @rule');
      return;
    }
    if (name === 'reason' && !reasons.includes(text)) {
      wrong(`the argument must be one of ${reasons.join(', ')}, got ${JSON.stringify(text)}`);
      return;
    }
    const value = name === 'optionalOldSelf' ? text !== 'false' : text.replace(/\n\s*/g, ' ');
    draft['x-kubernetes-validations'] = [...rules, { ...last, [name]: value }];
  };
}

/** Adds the rules of an immutable field. */
export function makeImmutable(draft: Draft, { immutable }: TagUse): void {
  addRules(draft, { rule: 'self == oldSelf', message: 'field is immutable' });
  immutable(draft);
}

const counts = {
  atMostOneOf: { test: '<= 1', words: 'at most one of the fields in [%] may be set' },
  exactlyOneOf: { test: '== 1', words: 'exactly one of the fields in [%] must be set' },
  atLeastOneOf: { test: undefined, words: 'at least one of the fields in [%] must be set' },
} as const;

/** Adds a rule about how many members of a union are set. The members are optional fields of the same object. */
export function countFields(name: keyof typeof counts): TagEffect {
  const { test, words } = counts[name];
  return (draft, { text, wrong }) => {
    const fields = text.split(/[\s,;]+/).filter((field) => field !== '');
    const fault = faultOf(fields, draft);
    if (fault !== undefined) {
      wrong(fault);
      return;
    }
    const present = fields.map((field) => `has(self.${celName(field)})`);
    // Avoids lists and loops, because the API server evaluates the rule on every write.
    const rule =
      test === undefined ? present.join('||') : `${present.map((each) => `(${each}?1:0)`).join('+')} ${test}`;
    addRules(draft, { rule, message: words.replace('%', fields.join(' ')) });
  };
}

function faultOf(fields: readonly string[], { properties = {}, required }: Draft): string | undefined {
  if (fields.length < 2) return 'at least two fields are required';
  for (const field of fields) {
    if (!Object.hasOwn(properties, field)) return `the field ${field} does not exist`;
    if (required?.includes(field)) return `the field ${field} is required: make it optional with a question mark`;
  }
  return undefined;
}

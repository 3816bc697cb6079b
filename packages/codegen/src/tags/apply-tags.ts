import type { Docs, DocTag } from '../compiler/type-model.ts';
import type { Position, Problems } from '../problem.ts';
import { additionalOf, itemsOf } from '../types/children.ts';
import { type Draft, valueTypeOf } from '../types/draft.ts';
import { documentationTags, knownTag } from './known-tag.ts';
import { nearestTag, rightTagFor } from './nearest-tag.ts';
import type { TagArgument, TagDefinition } from './tag.ts';

/** Callbacks for effects of tags that go beyond the schema of the value itself. */
export interface TagEffects {
  readonly problems: Problems;
  /** Path from the object's root, for messages. */
  readonly path: string;
  /** Called for immutable fields, because the object that contains them needs a rule, too. */
  readonly immutable: (draft: Draft) => void;
  /** Called for numbers whose type a tag specifies. */
  readonly numberKind: (draft: Draft) => void;
  /** Called with the position of a rule; `place` is the path of the rule in the value's schema. */
  readonly ruleAt: (place: string, at: Position) => void;
}

/** Applies a documentation comment to the schema of the value that it describes. Reports invalid tags. */
export function applyDocs(draft: Draft, docs: Docs, effects: TagEffects): void {
  const description = descriptionOf(docs);
  if (description !== '') draft.description = description;
  // Applies tags that set the type first, because the type decides which other tags are valid.
  const isFirst = ({ name }: DocTag): boolean => knownTag(name)?.tag.setsType === true;
  const ordered = [...docs.tags.filter(isFirst), ...docs.tags.filter((tag) => !isFirst(tag))];
  for (const tag of ordered) {
    if (documentationTags.has(tag.name)) continue;
    const known = knownTag(tag.name);
    if (known === undefined) {
      const why = 'unknown tags would be silently ignored';
      effects.problems.add(tag.at, {
        code: 'KW6201',
        ...pathOf(effects),
        what: `unknown tag ${tag.name.startsWith('+') ? tag.name : `@${tag.name}`}`,
        why,
        fix: nearestTag(`${tag.name}${tag.text.startsWith('=') ? tag.text : ''}`),
      });
      continue;
    }
    const target = descend(draft, known.steps);
    const places = known.tag.places ?? ['field', 'type'];
    if (target === undefined || !places.includes(docs.place)) {
      const where =
        target === undefined
          ? `the type has no ${known.steps.at(-1) === 'items' ? 'list elements' : 'map values'} to apply the tag to`
          : `the tag is allowed only on a ${places.join(' or ')}`;
      effects.problems.add(tag.at, {
        code: 'KW6202',
        ...pathOf(effects),
        what: `the tag @${tag.name} has no effect here`,
        why: where,
        fix:
          docs.place === 'kind'
            ? 'move the tag to the field or interface that it describes'
            : 'remove the tag, or move it to the field that it describes',
      });
      continue;
    }
    const rules = countRules(target);
    applyTag(target, { tag, definition: known.tag }, effects);
    const inside = known.steps.map((step) => (step === 'items' ? '.items' : '.additionalProperties')).join('');
    if (countRules(target) > rules) effects.ruleAt(`${inside}.x-kubernetes-validations[${rules}]`, tag.at);
  }
}

function countRules(draft: Draft): number {
  return draft['x-kubernetes-validations']?.length ?? 0;
}

function pathOf({ path }: TagEffects): { readonly path?: string } {
  return path === '' ? {} : { path };
}

function descend(draft: Draft, steps: readonly ('items' | 'values')[]): Draft | undefined {
  let at: Draft | undefined = draft;
  for (const step of steps) at = at && ((step === 'items' ? itemsOf(at) : additionalOf(at)) as Draft | undefined);
  return at;
}

/** Returns the description that users of the API see, which includes `@deprecated` and `@remarks`. */
function descriptionOf({ description, tags }: Docs): string {
  const lines = [description];
  for (const { name, text } of tags) {
    if (name === 'deprecated') lines.push(text === '' ? 'Deprecated.' : `Deprecated: ${text}`);
    if (name === 'remarks' && text !== '') lines.push(text);
  }
  return lines.filter((line) => line !== '').join('\n');
}

interface Known {
  readonly tag: DocTag;
  readonly definition: TagDefinition;
}

function applyTag(draft: Draft, { tag, definition }: Known, effects: TagEffects): void {
  const valueType = valueTypeOf(draft);
  const wrong = (why: string): void => {
    const fix = `write @${tag.name} ${expected[definition.argument]}`.trim();
    effects.problems.add(tag.at, { code: 'KW6203', ...pathOf(effects), what: `invalid @${tag.name} tag`, why, fix });
  };
  if (definition.on !== undefined && !definition.on.includes(valueType) && valueType !== 'any') {
    const what = `the tag @${tag.name} has no effect on a value of type ${valueType}`;
    const fix = rightTagFor(definition, valueType);
    effects.problems.add(tag.at, { code: 'KW6202', ...pathOf(effects), what, fix });
    return;
  }
  if (definition.argument === 'none' && tag.text !== '' && tag.text !== 'true') {
    wrong(`the tag takes no argument, got ${JSON.stringify(tag.text)}`);
    return;
  }
  if (definition.setsNumberType) effects.numberKind(draft);
  definition.apply(draft, { text: tag.text, valueType, wrong, immutable: effects.immutable });
}

const expected: Readonly<Record<TagArgument, string>> = {
  none: '',
  number: '<number>',
  numberOrNone: '<number>, or no argument after @minimum or @maximum',
  count: '<whole number>',
  text: '<text>',
  names: '<name> <name> …',
  json: '<JSON>; strings need no quotes',
  list: '<value> <value> …',
  url: '<URL> <description>',
  sub: '<text> after @rule',
};

import type { Docs, DocTag } from '../compiler/type-model.ts';
import type { Position, Problems } from '../problem.ts';
import { additionalOf, itemsOf } from '../types/children.ts';
import { type Draft, subjectOf } from '../types/draft.ts';
import { nearestTag, rightTagFor } from './nearest-tag.ts';
import { type Read, readList, readNames, readNumber, readValue } from './read-argument.ts';
import { applyRuleTag } from './rule-tags.ts';
import { documentationTags, knownTag, type TagDefinition } from './tag-table.ts';
import { applyTypeTag } from './type-tags.ts';

/** Callbacks for the effects of a value's tags beyond its schema. */
export interface TagEffects {
  readonly problems: Problems;
  /** From the object's root, for messages. */
  readonly path: string;
  /** Called for immutable fields, because their object needs a rule too. */
  readonly immutable: (draft: Draft) => void;
  /** Called for numbers with an explicit type. */
  readonly numberKind: (draft: Draft) => void;
  /** Called with the position of a rule; `place` is the rule's path in the value's own schema. */
  readonly ruleAt: (place: string, at: Position) => void;
}

/** Applies a documentation comment to the schema of the value it describes. Reports tags that it cannot read. */
export function applyDocs(draft: Draft, docs: Docs, effects: TagEffects): void {
  const description = descriptionOf(docs);
  if (description !== '') draft.description = description;
  // Type tags are applied first: they decide which other tags have an effect.
  const isFirst = ({ name }: DocTag): boolean => typeTags.has(name.split('.').at(-1) as string);
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
        target === undefined ? 'this type has no such part' : `it is allowed only on a ${places.join(' or ')}`;
      effects.problems.add(tag.at, {
        code: 'KW6202',
        ...pathOf(effects),
        what: `the tag @${tag.name} has no effect here`,
        why: where,
        fix:
          docs.place === 'kind'
            ? 'move it to the field or interface that it describes'
            : 'remove it, or move it to the field',
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

const typeTags: ReadonlySet<string> = new Set([
  'schemaless',
  'type',
  'int32',
  'int64',
  'integer',
  'float',
  'double',
  'quantity',
  'intOrString',
  'preserveUnknownFields',
  'embeddedResource',
]);

function pathOf({ path }: TagEffects): { readonly path?: string } {
  return path === '' ? {} : { path };
}

function descend(draft: Draft, steps: readonly ('items' | 'values')[]): Draft | undefined {
  let at: Draft | undefined = draft;
  for (const step of steps) at = at && ((step === 'items' ? itemsOf(at) : additionalOf(at)) as Draft | undefined);
  return at;
}

/** Deprecations and remarks are part of the description that users of the API see. */
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
  const subject = subjectOf(draft);
  const wrong = (why: string): void => {
    const fix = `write @${tag.name} ${EXPECTED[definition.argument]}`.trim();
    effects.problems.add(tag.at, { code: 'KW6203', ...pathOf(effects), what: `invalid @${tag.name} tag`, why, fix });
  };
  if (definition.subjects !== undefined && !definition.subjects.includes(subject) && subject !== 'any') {
    const what = `the tag @${tag.name} has no effect on a value of type ${subject}`;
    const fix = rightTagFor(definition.name, subject);
    effects.problems.add(tag.at, { code: 'KW6202', ...pathOf(effects), what, fix });
    return;
  }
  if (definition.argument === 'none' && tag.text !== '' && tag.text !== 'true') {
    wrong(`takes no argument, got ${JSON.stringify(tag.text)}`);
    return;
  }
  if (NUMBER_KINDS.has(definition.name)) effects.numberKind(draft);
  if (applyTypeTag(draft, tag) || applyRuleTag(draft, tag, { wrong, immutable: effects.immutable })) return;
  applyKeyword(draft, { tag, definition }, wrong);
}

const NUMBER_KINDS: ReadonlySet<string> = new Set(['int32', 'int64', 'integer', 'float', 'double', 'type']);

const EXPECTED: Readonly<Record<TagDefinition['argument'], string>> = {
  none: '',
  number: '<number>',
  numberOrNone: '<number>, or without an argument after @minimum or @maximum',
  count: '<whole number>',
  text: '<text>',
  names: '<name> <name> …',
  json: '<JSON>; strings need no quotes',
  list: '<value> <value> …',
  url: '<URL> <description>',
  sub: '<text> after @rule',
};

function applyKeyword(draft: Draft, { tag, definition }: Known, wrong: (why: string) => void): void {
  const { text } = tag;
  const { name, argument } = definition;
  if (name === 'skipDescription') {
    delete draft.description;
    return;
  }
  if (name === 'exclusiveMinimum' || name === 'exclusiveMaximum') draft[name] = true;
  const { key, read } = readKeyword({ name, argument, text, draft });
  if ('wrong' in read) wrong(read.wrong);
  else if (read.value !== undefined) Object.assign(draft, { [key]: read.value });
}

interface Keyword {
  readonly name: string;
  readonly argument: TagDefinition['argument'];
  readonly text: string;
  readonly draft: Draft;
}

function readKeyword(keyword: Keyword): { readonly key: string; readonly read: Read<unknown> } {
  const { name, argument, text, draft } = keyword;
  const subject = subjectOf(draft);
  switch (name) {
    case 'default':
    case 'defaultValue':
      return { key: 'default', read: readValue(text, subject) };
    case 'example':
      return { key: name, read: readValue(text, subject) };
    case 'enum':
      return { key: name, read: readList(text, subject) };
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return {
        key: name === 'exclusiveMinimum' ? 'minimum' : 'maximum',
        read: text === '' || text === 'true' ? { value: undefined } : readNumber(text, 'number'),
      };
    case 'listType':
      return { key: 'x-kubernetes-list-type', read: oneOf(text, ['atomic', 'set', 'map']) };
    case 'mapType':
    case 'structType':
      return { key: 'x-kubernetes-map-type', read: oneOf(text, ['atomic', 'granular']) };
    case 'listMapKey': {
      const read = readNames(text);
      const keys = draft['x-kubernetes-list-map-keys'] ?? [];
      return { key: 'x-kubernetes-list-map-keys', read: 'wrong' in read ? read : { value: [...keys, ...read.value] } };
    }
    case 'dateTime':
    case 'duration':
      return { key: 'format', read: { value: name === 'duration' ? name : 'date-time' } };
    case 'nullable':
      return { key: name, read: { value: true } };
    case 'externalDocs':
      return { key: name, read: readLink(text) };
    default:
      if (argument === 'number' || argument === 'count') return { key: name, read: readNumber(text, argument) };
      return {
        key: name,
        read: text === '' ? { wrong: 'the argument is missing' } : { value: text.replace(/\n\s*/g, ' ') },
      };
  }
}

function readLink(text: string): Read<unknown> {
  const [url = '', ...words] = text.split(/\s+/);
  if (!URL.canParse(url)) return { wrong: `${JSON.stringify(url)} is not a valid URL` };
  return { value: words.length === 0 ? { url } : { url, description: words.join(' ') } };
}

function oneOf(text: string, allowed: readonly string[]): Read<string> {
  const value = text.replace(/^=/, '');
  return allowed.includes(value)
    ? { value }
    : { wrong: `must be one of ${allowed.join(', ')}, got ${JSON.stringify(text)}` };
}

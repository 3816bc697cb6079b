import type { Permission } from './permission.ts';

/** A tag for a single resource, in the format that this program writes. */
const ownTag = /^(\s*\*?\s*)@rbac groups=(\S+) resources=(\S+) verbs=(\S+)\s*$/;
/** A documentation comment at the end of the text. */
const commentAtEnd = /([ \t]*)\/\*\*((?:(?!\*\/)[\s\S])*)\*\/[ \t]*\r?\n$/;
/** The heading of a new comment. */
const heading = 'Permissions that cannot be derived from the code, found by running the samples.';

/** Formats permissions as tags, one per resource, in alphabetical order. */
export function tagsOf(permissions: readonly Permission[]): readonly string[] {
  const verbs = new Map<string, Set<string>>();
  for (const { group, resource, verb } of permissions) {
    const subject = `groups=${group || 'core'} resources=${resource}`;
    verbs.set(subject, (verbs.get(subject) ?? new Set()).add(verb));
  }
  return [...verbs].map(([subject, each]) => `@rbac ${subject} verbs=${[...each].sort().join(';')}`).sort();
}

/** Returns the 1-based line of the call to `runOperator`, or undefined. */
export function operatorLine(text: string): number | undefined {
  const index = text.split('\n').findIndex((line) => /\brunOperator\(/.test(line) && !/^\s*(\/\/|\/?\*)/.test(line));
  return index === -1 ? undefined : index + 1;
}

/**
 * Adds tags to the comment above the call to `runOperator`, or creates a comment. A verb is added to the existing tag
 * of its resource; everything else stays unchanged. Returns undefined if the text does not call `runOperator`.
 */
export function withTags(text: string, permissions: readonly Permission[]): string | undefined {
  const line = operatorLine(text);
  if (line === undefined) return undefined;
  const lines = text.split(/(?<=\n)/);
  const [before, call] = [lines.slice(0, line - 1).join(''), lines.slice(line - 1).join('')];
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const found = commentAtEnd.exec(before);
  const [whole = '', , inner = ''] = found ?? [];
  const indent = found?.[1] ?? /^[ \t]*/.exec(call)?.[0] ?? '';
  const there = found ? contentOf(inner) : [heading];
  const own = there.flatMap((each) => permissionsIn(each));
  const isReplaced = (each: string): boolean => {
    const [subject] = permissionsIn(each);
    return subject !== undefined && permissions.some((one) => isSameSubject(one, subject));
  };
  const kept = there.filter((each) => !isReplaced(each));
  const joined = own.filter((each) => permissions.some((one) => isSameSubject(one, each)));
  const content = [...kept, ...tagsOf([...joined, ...permissions])];
  const comment = ['/**', ...content.map((each) => ` * ${each}`.trimEnd()), ' */'];
  const written = comment.map((each) => `${indent}${each}${eol}`).join('');
  return `${before.slice(0, before.length - whole.length)}${written}${call}`;
}

/** Returns the lines of a comment without their markers. */
function contentOf(inner: string): readonly string[] {
  const lines = inner.split(/\r?\n/).map((line, index) => line.replace(index === 0 ? /^ / : /^\s*\*? ?/, '').trimEnd());
  // The first and last line of a multi-line comment contain only its markers.
  return lines.filter((line, index) => line !== '' || (index > 0 && index < lines.length - 1));
}

function permissionsIn(line: string): readonly Permission[] {
  const [, , group = '', resource = '', verbs = ''] = ownTag.exec(line) ?? [];
  if (resource === '' || `${group}${resource}`.includes(';')) return [];
  return verbs.split(';').map((verb) => ({ group: group === 'core' ? '' : group, resource, verb }));
}

function isSameSubject(a: Permission, b: Permission): boolean {
  return a.group === b.group && a.resource === b.resource;
}

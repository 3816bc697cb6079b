import { type CelType, opaqueOf } from '../types/cel-type.ts';
import { CelOpaque } from '../values/opaque.ts';
import { compareText } from '../values/text.ts';

export const semverType: CelType = opaqueOf('kubernetes.Semver');

/** A semantic version. Build metadata is dropped, because it does not affect comparison. */
export class SemverValue extends CelOpaque {
  readonly type: CelType = semverType;
  readonly numbers: readonly [major: bigint, minor: bigint, patch: bigint];
  readonly prerelease: readonly string[];

  constructor(numbers: readonly [bigint, bigint, bigint], prerelease: readonly string[]) {
    super();
    this.numbers = numbers;
    this.prerelease = prerelease;
  }

  equals(other: unknown): boolean {
    return other instanceof SemverValue && this.compareTo(other) === 0;
  }

  compareTo(other: SemverValue): -1 | 0 | 1 {
    for (let i = 0; i < 3; i++) {
      const [a, b] = [this.numbers[i]!, other.numbers[i]!];
      if (a !== b) return a < b ? -1 : 1;
    }
    const [a, b] = [this.prerelease, other.prerelease];
    if (a.length === 0 || b.length === 0) return a.length === b.length ? 0 : a.length === 0 ? 1 : -1;
    for (let i = 0; i < Math.min(a.length, b.length); i++) {
      const order = compareIdentifiers(a[i]!, b[i]!);
      if (order !== 0) return order;
    }
    if (a.length === b.length) return 0;
    return a.length < b.length ? -1 : 1;
  }
}

/** Compares pre-release identifiers: numbers by value, words by code points; numbers precede words. */
function compareIdentifiers(a: string, b: string): -1 | 0 | 1 {
  const [x, y] = [isNumber(a), isNumber(b)];
  if (x !== y) return x ? -1 : 1;
  const order = x ? Number(BigInt(a) > BigInt(b)) - Number(BigInt(a) < BigInt(b)) : compareText(a, b);
  return order === 0 ? 0 : order < 0 ? -1 : 1;
}

function isNumber(text: string): boolean {
  return /^[0-9]+$/.test(text);
}

const maxUint64 = 2n ** 64n - 1n;

/** Parses a version; returns an error message if the text is invalid. */
export function parseSemver(text: string): SemverValue | string {
  if (text === '') return 'Version string empty';
  const parts = text.split('.', 2);
  if (parts.length < 2 || !/^[^.]*\.[^.]*\./.test(text)) return 'No Major.Minor.Patch elements found';
  const [major, minor] = parts as [string, string];
  const rest = text.slice(major.length + minor.length + 2);
  for (const [name, value] of [
    ['major', major],
    ['minor', minor],
  ] as const) {
    const fault = numberFault(value, name);
    if (fault !== undefined) return fault;
  }
  const match = /^([^-+]*)(?:-([^+]*))?(?:\+(.*))?$/s.exec(rest)!;
  const [, patch, prerelease, build] = match as unknown as [string, string, string?, string?];
  const fault =
    numberFault(patch, 'patch') ?? identifiersFault(prerelease, 'PreRelease') ?? identifiersFault(build, 'Build');
  if (fault !== undefined) return fault;
  return new SemverValue(
    [BigInt(major), BigInt(minor), BigInt(patch)],
    prerelease === undefined ? [] : prerelease.split('.'),
  );
}

function numberFault(text: string, name: string): string | undefined {
  const title = name[0]!.toUpperCase() + name.slice(1);
  if (!/^[0-9]+$/.test(text))
    return text === ''
      ? `strconv.ParseUint: parsing "": invalid syntax`
      : `Invalid character(s) found in ${name} number ${JSON.stringify(text)}`;
  if (text.length > 1 && text.startsWith('0'))
    return `${title} number must not contain leading zeroes ${JSON.stringify(text)}`;
  return BigInt(text) > maxUint64
    ? `strconv.ParseUint: parsing ${JSON.stringify(text)}: value out of range`
    : undefined;
}

function identifiersFault(text: string | undefined, name: 'PreRelease' | 'Build'): string | undefined {
  if (text === undefined) return undefined;
  for (const part of text.split('.')) {
    if (part === '') return name === 'PreRelease' ? 'Prerelease is empty' : 'Build meta data is empty';
    if (!/^[0-9A-Za-z-]+$/.test(part)) {
      return name === 'PreRelease'
        ? `Invalid character(s) found in prerelease ${JSON.stringify(part)}`
        : `Invalid character(s) found in build meta data ${JSON.stringify(part)}`;
    }
    if (name === 'PreRelease' && isNumber(part) && part.length > 1 && part.startsWith('0')) {
      return `Numeric PreRelease version must not contain leading zeroes ${JSON.stringify(part)}`;
    }
  }
  return undefined;
}

/** Parses a version, tolerating a leading `v`, missing parts and leading zeros. */
export function parseLenientSemver(text: string): SemverValue | string {
  const bare = text.startsWith('v') ? text.slice(1) : text;
  const [first, second, ...others] = bare.split('.');
  const parts = [first!, second, others.length > 0 ? others.join('.') : undefined]
    .filter((part) => part !== undefined)
    .map((part) => (part.length > 1 ? part.replace(/^0+(?=[0-9])/, '').replace(/^0+$/, '0') : part));
  if (parts.length < 3 && /[+-]/.test(parts.at(-1)!)) return 'short version cannot contain PreRelease/Build meta data';
  while (parts.length < 3) parts.push('0');
  return parseSemver(parts.join('.'));
}

import { fail } from '../errors.ts';
import { intFromBigInt } from '../values/int.ts';
import { type Library, overload } from './library.ts';
import { parseLenientSemver, parseSemver, type SemverValue, semverType } from './semver-value.ts';

/** Semantic versions: `semver('1.2.3').isLessThan(semver('2.0.0'))`. */
export const semverLibrary: Library = {
  name: 'kubernetes.Semver',
  types: [['kubernetes.Semver', semverType]],
  overloads: [
    overload<[string]>('semver(string) kubernetes.Semver', (_, text) => orFail(parseSemver(text))),
    overload<[string, boolean]>('semver(string, bool) kubernetes.Semver', (_, text, lenient) =>
      orFail(read(text, lenient)),
    ),
    overload<[string]>('isSemver(string) bool', (_, text) => typeof parseSemver(text) !== 'string'),
    overload<[string, boolean]>(
      'isSemver(string, bool) bool',
      (_, text, lenient) => typeof read(text, lenient) !== 'string',
    ),
    overload<[SemverValue, SemverValue]>(
      'kubernetes.Semver.isGreaterThan(kubernetes.Semver) bool',
      (_, a, b) => a.compareTo(b) > 0,
    ),
    overload<[SemverValue, SemverValue]>(
      'kubernetes.Semver.isLessThan(kubernetes.Semver) bool',
      (_, a, b) => a.compareTo(b) < 0,
    ),
    overload<[SemverValue, SemverValue]>('kubernetes.Semver.compareTo(kubernetes.Semver) int', (_, a, b) =>
      a.compareTo(b),
    ),
    overload<[SemverValue]>('kubernetes.Semver.major() int', (_, version) => part(version, 0)),
    overload<[SemverValue]>('kubernetes.Semver.minor() int', (_, version) => part(version, 1)),
    overload<[SemverValue]>('kubernetes.Semver.patch() int', (_, version) => part(version, 2)),
  ],
};

function read(text: string, lenient: boolean): SemverValue | string {
  return lenient ? parseLenientSemver(text) : parseSemver(text);
}

function orFail(version: SemverValue | string): SemverValue {
  return typeof version === 'string' ? fail(version) : version;
}

/** Returns a part of the version as an int64. Upstream does not check the range, so large numbers become negative. */
function part(version: SemverValue, index: 0 | 1 | 2): number | bigint {
  return intFromBigInt(BigInt.asIntN(64, version.numbers[index]))!;
}

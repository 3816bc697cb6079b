import {
  checkDns1035Label,
  checkDns1123Label,
  checkDns1123Subdomain,
  checkLabelValue,
  checkQualifiedName,
} from '@kubewright/apimachinery';
import { type CelType, opaqueOf } from '../types/cel-type.ts';
import { decodeBase64 } from '../values/base64.ts';
import { CelOpaque } from '../values/opaque.ts';
import { CelOptional } from '../values/optional.ts';
import { CelTimestamp } from '../values/timestamp.ts';
import { parseRequestUri } from './go-url.ts';
import { type Library, overload } from './library.ts';

const formatType: CelType = opaqueOf('kubernetes.NamedFormat');

type Check = (text: string) => readonly string[];

export class FormatValue extends CelOpaque {
  readonly type: CelType = formatType;
  readonly name: string;
  readonly check: Check;
  /** Length of the longest pattern that upstream matches. Determines the cost of a check. */
  readonly patternLength: number;

  constructor(name: string, { check, patternLength }: { readonly check: Check; readonly patternLength: number }) {
    super();
    this.name = name;
    this.check = check;
    this.patternLength = patternLength;
  }

  equals(other: unknown): boolean {
    return other instanceof FormatValue && other.name === this.name;
  }
}

const formats: ReadonlyMap<string, FormatValue> = new Map(
  (
    [
      ['dns1123Label', 30, checkDns1123Label],
      ['dns1123Subdomain', 60, checkDns1123Subdomain],
      ['dns1035Label', 30, checkDns1035Label],
      ['qualifiedName', 60, checkQualifiedName],
      ['dns1123LabelPrefix', 30, (text) => checkDns1123Label(maskTrailingDash(text))],
      ['dns1123SubdomainPrefix', 60, (text) => checkDns1123Subdomain(maskTrailingDash(text))],
      ['dns1035LabelPrefix', 30, (text) => checkDns1035Label(maskTrailingDash(text))],
      ['labelValue', 40, checkLabelValue],
      ['uri', 1103, uriFaults],
      [
        'uuid',
        70,
        (text) =>
          unless(
            /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text),
            'does not match the UUID format',
          ),
      ],
      [
        'byte',
        84,
        (text) => unless(text !== '' && decodeBase64(text) !== undefined && text.length % 4 === 0, 'invalid base64'),
      ],
      ['date', 71, (text) => unless(CelTimestamp.parseDate(text) !== undefined, 'invalid date')],
      ['datetime', 71, (text) => unless(CelTimestamp.parse(text) !== undefined, 'invalid datetime')],
    ] satisfies readonly (readonly [string, number, Check])[]
  ).map(([name, patternLength, check]) => [name, new FormatValue(name, { check, patternLength })]),
);

/** Named formats: `!format.dns1123Label().validate('my-name').hasValue()`. */
export const formatLibrary: Library = {
  name: 'kubernetes.format',
  overloads: [
    ...Array.from(formats, ([name, format]) => overload<[]>(`::format.${name}() kubernetes.NamedFormat`, () => format)),
    overload<[string]>('::format.named(string) optional(kubernetes.NamedFormat)', (_, name) => {
      const format = formats.get(name);
      return format === undefined ? CelOptional.none : new CelOptional(format);
    }),
    overload<[FormatValue, string]>(
      'kubernetes.NamedFormat.validate(string) optional(list(string))',
      (_, format, text) => {
        const faults = format.check(text);
        return faults.length === 0 ? CelOptional.none : new CelOptional(faults);
      },
    ),
  ],
};

function unless(valid: boolean, fault: string): readonly string[] {
  return valid ? [] : [fault];
}

function uriFaults(text: string): readonly string[] {
  const url = parseRequestUri(text);
  return typeof url === 'string' ? [url] : [];
}

/**
 * Replaces a trailing dash and the character before it, as upstream does. A prefix may end in a dash, because a suffix
 * follows.
 */
function maskTrailingDash(text: string): string {
  return text.length > 1 && text.endsWith('-') ? `${text.slice(0, -2)}a` : text;
}

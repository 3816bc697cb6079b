import { normalizeTime } from '../decode/parse-time.ts';

type Check = (text: string) => boolean;

const matches =
  (pattern: RegExp): Check =>
  (text) =>
    pattern.test(text);

const uuid = '[0-9a-f]{8}-?[0-9a-f]{4}-?';
const shortName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const hostname =
  /^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$/u;
const creditCard =
  /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$/;
const durationPart = /(\d+(?:\.\d*)?|\.\d+)\s*(ns|us|µs|μs|ms|s|m|h)/g;

/**
 * The string formats that the API server checks (1.36); it ignores all other formats. As in upstream, dashes in names
 * do not matter: `date-time` and `datetime` are the same.
 */
const formats: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['bsonobjectid', matches(/^[0-9a-fA-F]{24}$/)],
  ['uri', isRequestUri],
  ['email', matches(/^(?:[^<>]*<[^\s@<>]+@[^\s@<>]+>|[^\s@<>",:;]+@[^\s@<>",:;]+)$/)],
  ['hostname', isHostname],
  ['ipv4', matches(/^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/)],
  ['ipv6', isIpv6],
  ['cidr', isCidr],
  [
    'mac',
    matches(
      /^(?:[0-9a-fA-F]{2}(?::[0-9a-fA-F]{2}){5,19}|[0-9a-fA-F]{2}(?:-[0-9a-fA-F]{2}){5,19}|[0-9a-fA-F]{4}(?:\.[0-9a-fA-F]{4}){2,9})$/,
    ),
  ],
  ['uuid', matches(new RegExp(`^${uuid}[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$`, 'i'))],
  ['uuid3', matches(new RegExp(`^${uuid}3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$`, 'i'))],
  ['uuid4', matches(new RegExp(`^${uuid}4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$`, 'i'))],
  ['uuid5', matches(new RegExp(`^${uuid}5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$`, 'i'))],
  ['isbn', (text) => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['creditcard', (text) => isCreditCard(text.replace(/[^0-9]+/g, ''))],
  ['ssn', matches(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/)],
  ['hexcolor', matches(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/)],
  [
    'rgbcolor',
    matches(
      /^rgb\(\s*(?:(?:0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*){2}(?:0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*\)$/,
    ),
  ],
  ['byte', matches(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/)],
  ['password', () => true],
  ['date', isDate],
  ['duration', isDuration],
  ['datetime', isDateTime],
  ['k8sshortname', (text) => text.length <= 63 && shortName.test(text)],
  ['k8slongname', (text) => text.length <= 253 && text.split('.').every((part) => shortName.test(part))],
]);

const numberFormats: ReadonlySet<string> = new Set(['int32', 'int64', 'float', 'double']);

/** True if the API server knows the format. The server ignores unknown formats and returns a warning. */
export function isKnownFormat(format: string): boolean {
  return formats.has(format.replaceAll('-', '')) || numberFormats.has(format);
}

/** Returns the check of a string format, or `undefined` if the API server ignores the format. */
export function formatCheck(format: string): Check | undefined {
  return formats.get(format.replaceAll('-', ''));
}

function isHostname(text: string): boolean {
  return text.length <= 255 && hostname.test(text) && text.split('.').every((label) => label.length <= 63);
}

function isRequestUri(text: string): boolean {
  if (text.startsWith('/')) return !/[^\x21-\x7e\u0080-\uffff]/.test(text) && !/%(?![0-9a-fA-F]{2})/.test(text);
  return URL.canParse(text) && !/[^\x20-\x7e\u0080-\uffff]/.test(text) && /^[a-zA-Z][a-zA-Z0-9+.-]*:/.test(text);
}

function isIpv6(text: string): boolean {
  if (!/^[0-9a-fA-F:.]+$/.test(text) || !text.includes(':')) return false;
  return URL.canParse(`http://[${text}]/`);
}

function isCidr(text: string): boolean {
  const [address = '', prefix = '', ...rest] = text.split('/');
  if (rest.length > 0 || !/^(?:0|[1-9]\d{0,2})$/.test(prefix)) return false;
  if (formats.get('ipv4')?.(address) === true) return Number(prefix) <= 32;
  return isIpv6(address) && Number(prefix) <= 128;
}

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\s-]/g, '');
  if (!/^\d{9}[\dX]$/.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < 10; i++) sum += (10 - i) * (digits[i] === 'X' ? 10 : Number(digits[i]));
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\s-]/g, '');
  if (!/^\d{13}$/.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < 13; i++) sum += Number(digits[i]) * (i % 2 === 0 ? 1 : 3);
  return sum % 10 === 0;
}

function isCreditCard(digits: string): boolean {
  if (!creditCard.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]) * (i % 2 === 0 ? 1 : 2);
    sum += digit > 9 ? digit - 9 : digit;
  }
  return sum % 10 === 0;
}

function isDate(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && isTime(`${text}T00:00:00Z`);
}

function isDateTime(text: string): boolean {
  if (text.length < 4) return false;
  const parts = /^(\d{4}-\d\d-\d\d)[tT](\d\d:\d\d:\d\d(?:\.\d+)?)([zZ]|[+-]\d\d:\d\d)$/.exec(text);
  return parts !== null && isTime(`${parts[1]}T${(parts[2] as string).slice(0, 8)}Z`);
}

function isTime(text: string): boolean {
  try {
    normalizeTime(text, 'seconds');
    return true;
  } catch {
    return false; // normalizeTime throws only if the text is not a time
  }
}

function isDuration(text: string): boolean {
  if (/^[+-]?0$/.test(text)) return true;
  const plain = text.replace(/^[+-]/, '');
  if (plain !== '' && plain.replace(durationPart, '') === '') return true;
  return /^\s*\d+\s*(?:ns|nano|nanos|nanosecond|nanoseconds|us|µs|micro|micros|microsecond|microseconds|ms|milli|millis|millisecond|milliseconds|s|sec|secs|second|seconds|m|min|mins|minute|minutes|h|hr|hrs|hour|hours|d|day|days|w|wk|wks|week|weeks)\s*$/.test(
    text,
  );
}

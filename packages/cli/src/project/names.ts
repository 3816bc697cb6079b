import { CliError } from '../program/cli-error.ts';

type NameOf = 'domain' | 'name' | 'group' | 'version' | 'kind' | 'plural';

/** The longest suffix in the layout is `-controller-manager-metrics-service`; service names have at most 63 characters. */
const maxName = 28;

/** The format of each name, with an example. */
const forms: Readonly<Record<NameOf, { readonly form: RegExp; readonly example: string; readonly rule: string }>> = {
  domain: {
    form: /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/,
    example: 'example.com',
    rule: 'consist of at least two lower-case words separated by dots',
  },
  name: {
    form: new RegExp(`^[a-z]([a-z0-9-]{0,${maxName - 2}}[a-z0-9])?$`),
    example: 'guestbook-operator',
    rule: `consist of lower-case letters, digits and dashes, start with a letter, and have at most ${maxName} characters`,
  },
  group: {
    form: /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/,
    example: 'database',
    rule: 'consist of lower-case letters, digits and dashes; the domain is appended to it',
  },
  version: {
    form: /^v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?$/,
    example: 'v1',
    rule: 'have the form v1, v1beta1 or v2alpha3',
  },
  kind: {
    form: /^[A-Z][A-Za-z0-9]{0,62}$/,
    example: 'Postgresql',
    rule: 'consist of letters and digits, start with a capital letter, and have at most 63 characters',
  },
  plural: {
    form: /^(?=.{1,63}$)[a-z]([a-z0-9-]*[a-z0-9])?$/,
    example: 'postgresqls',
    rule: 'consist of lower-case letters, digits and dashes, start with a letter, and have at most 63 characters',
  },
};

/** Validates a name. @throws CliError KW7102 */
export function checkName(what: NameOf, name: string): string {
  const { form, rule, example } = forms[what];
  if (form.test(name)) return name;
  throw new CliError('KW7102', {
    what: `invalid ${what} ${JSON.stringify(name)}`,
    why: `a ${what} must ${rule}`,
    remedy: `choose a valid ${what}, such as --${what} ${example}`,
  });
}

/** True if a name has the format that {@link checkName} requires. */
export function isName(what: NameOf, name: string): boolean {
  return forms[what].form.test(name);
}

/** Derives a project name from a folder name: `My Operator` → `my-operator`. */
export function nameFrom(text: string): string {
  const name = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '');
  return name.slice(0, maxName).replace(/-+$/, '') || 'operator';
}

/** `guestbook-operator` → `Guestbook`. */
export function kindFrom(name: string): string {
  const words = name.replace(/-(operator|controller)$/, '').split('-');
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** Converts a kind to a file name: `RedisCluster` → `redis-cluster`. */
export function fileNameOf(kind: string): string {
  return kind.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase();
}

/** Converts a kind to a variable name: `RedisCluster` → `redisCluster`. @see fileNameOf */
export function variableOf(kind: string): string {
  return kind.charAt(0).toLowerCase() + kind.slice(1);
}

/** Returns the name of the constant for one version of a kind: `Shop` and `v1beta1` → `ShopV1beta1`. */
export function versionedName(variable: string, version: string): string {
  return `${variable}${version.charAt(0).toUpperCase()}${version.slice(1)}`;
}

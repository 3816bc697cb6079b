import { operatorRole, poolerRole, replicationUser } from '../protocol.ts';

const type = /^(?:local|host|hostssl|hostnossl|hostgssenc|hostnogssenc)[ \t]/;
/** A line break would add a line, and a backslash at the end swallows the next line. */
const endsLine = /(?!\t)\p{Cc}|\\\s*$/u;
/** A field is a list: parts with commas between them, and blanks after the commas. Parts can be quoted. */
const field = /(?:"[^"]*"|[^\s",])+(?:,[\s,]*(?:"[^"]*"|[^\s",])+)*/g;
const part = /(?:"[^"]*"|[^\s",])+/g;

/**
 * Returns why lines of pg_hba.conf are not accepted, even though a server may accept them: they would change the operator's own lines,
 * have no effect after them, or depend on files of a pod. Everything else is left to the server, see `HbaKeeper`.
 */
export function whyLinesRefused(
  lines: readonly string[],
  { superuserAccess }: { readonly superuserAccess: boolean },
): string | undefined {
  const reserved = [operatorRole, poolerRole, replicationUser];
  const reasons = lines.flatMap((line, index) => {
    const why = whyRefused(line, { reserved, superuserAccess });
    return why === undefined ? [] : [`hba[${index}]: ${why}`];
  });
  return reasons.length > 0 ? reasons.join('; ') : undefined;
}

function whyRefused(
  line: string,
  { reserved, superuserAccess }: { readonly reserved: readonly string[]; readonly superuserAccess: boolean },
): string | undefined {
  if (endsLine.test(line)) return 'a line must not contain control characters, or end with a backslash';
  if (!type.test(line)) return 'a line must begin with local, host, hostssl, hostnossl, hostgssenc or hostnogssenc';
  const [, databases = '', users = ''] = line.match(field) ?? [];
  const names = [databases, users].flatMap((text) => text.match(part) ?? []);
  const file = names.find((name) => name.startsWith('@'));
  if (file !== undefined) return `${file} is a file, which instances do not have`;
  const roles = (users.match(part) ?? []).map((name) => name.replaceAll('"', ''));
  const own = roles.find((name) => reserved.includes(name));
  if (own !== undefined) return `the operator decides how ${own} connects`;
  if (roles.includes('postgres') && !superuserAccess && !line.startsWith('local'))
    return 'clients cannot connect as postgres; set superuserAccess to true to allow it';
  return undefined;
}

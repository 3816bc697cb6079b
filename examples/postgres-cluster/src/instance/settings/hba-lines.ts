import { operatorRole, poolerRole, replicationUser } from '../protocol.ts';

const type = /^(?:local|host|hostssl|hostnossl|hostgssenc|hostnogssenc)[ \t]/;
/** A line break would add a line; a trailing backslash would join the next line. */
const endsLine = /(?!\t)\p{Cc}|\\\s*$/u;
/** A field is a comma-separated list. Blanks may follow the commas, and parts may be quoted. */
const field = /(?:"[^"]*"|[^\s",])+(?:,[\s,]*(?:"[^"]*"|[^\s",])+)*/g;
const part = /(?:"[^"]*"|[^\s",])+/g;

/**
 * Returns why lines of pg_hba.conf are rejected, even if the server would accept them. Rejected lines would break into
 * the operator's own lines, have no effect after them, or depend on files in the pod. All other checks are left to the
 * server; see `HbaKeeper`.
 */
export function hbaRejectionReason(
  lines: readonly string[],
  { superuserAccess }: { readonly superuserAccess: boolean },
): string | undefined {
  const reserved = [operatorRole, poolerRole, replicationUser];
  const reasons = lines.flatMap((line, index) => {
    const why = lineRejectionReason(line, { reserved, superuserAccess });
    return why === undefined ? [] : [`hba[${index}]: ${why}`];
  });
  return reasons.length > 0 ? reasons.join('; ') : undefined;
}

function lineRejectionReason(
  line: string,
  { reserved, superuserAccess }: { readonly reserved: readonly string[]; readonly superuserAccess: boolean },
): string | undefined {
  if (endsLine.test(line)) return 'a line must not contain control characters, or end with a backslash';
  if (!type.test(line)) return 'a line must begin with local, host, hostssl, hostnossl, hostgssenc or hostnogssenc';
  const [, databases = '', users = ''] = line.match(field) ?? [];
  const names = [databases, users].flatMap((text) => text.match(part) ?? []);
  const file = names.find((name) => name.startsWith('@'));
  if (file !== undefined) return `${file} refers to a file, which does not exist in instances`;
  const roles = (users.match(part) ?? []).map((name) => name.replaceAll('"', ''));
  const own = roles.find((name) => reserved.includes(name));
  if (own !== undefined) return `the operator manages how ${own} connects`;
  if (roles.includes('postgres') && !superuserAccess && !line.startsWith('local'))
    return 'clients cannot connect as postgres; set superuserAccess to true to allow these connections';
  return undefined;
}

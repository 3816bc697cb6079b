/** The replication state that a server reports. */
export interface Server {
  readonly name: string;
  readonly host: string;
  /** The server that it follows; undefined for a primary. */
  readonly follows?: string | undefined;
  /** True if a replica is connected to the server that it follows. */
  readonly isLinked: boolean;
  /** The replication offset: the higher it is, the more data the server has. */
  readonly offset: number;
}

/** A command to send to a server. */
export interface Order {
  readonly server: Server;
  readonly command: string;
}

/** Parses the reply to `INFO replication`. */
export function parseInfo(pod: Pick<Server, 'name' | 'host'>, info: string): Server {
  const fields = new Map(info.split('\r\n').map((line) => line.split(':', 2) as [string, string]));
  const isReplica = fields.get('role') === 'slave';
  return {
    ...pod,
    follows: isReplica ? fields.get('master_host') : undefined,
    isLinked: fields.get('master_link_status') === 'up',
    offset: Number(fields.get(isReplica ? 'slave_repl_offset' : 'master_repl_offset') ?? 0),
  };
}

/**
 * Returns the primary, and the commands that make every other server follow it.
 *
 * The current primary stays. If there is no primary, the server with the most data is promoted.
 */
export function planReplication(
  servers: readonly Server[],
  present: string | undefined,
): { readonly primary: Server | undefined; readonly orders: readonly Order[] } {
  const primaries = servers.filter(({ follows }) => follows === undefined);
  const mostData = (among: readonly Server[]) => among.toSorted((a, b) => b.offset - a.offset)[0];
  const primary = primaries.find(({ name }) => name === present) ?? mostData(primaries) ?? mostData(servers);
  if (!primary) return { primary, orders: [] };
  const followers = servers.filter((each) => each !== primary && each.follows !== primary.host);
  const orders = followers.map((server) => ({ server, command: `REPLICAOF ${primary.host} 6379` }));
  return { primary, orders: primary.follows ? [{ server: primary, command: 'REPLICAOF NO ONE' }, ...orders] : orders };
}

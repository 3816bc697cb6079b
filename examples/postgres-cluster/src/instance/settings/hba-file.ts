import { operatorUser, replicationUser } from '../protocol.ts';

/** Returns the content of pg_hba.conf: who may connect. The first line that matches a connection counts. */
export function hbaFile(): string {
  return `# Written by the instance manager; changes are lost.
# Only the user of the server may enter the folder of the socket.
local all,replication postgres trust
hostssl all ${operatorUser} all cert
hostssl postgres,replication ${replicationUser} all cert
host all ${replicationUser} all reject
host all all all scram-sha-256
`;
}

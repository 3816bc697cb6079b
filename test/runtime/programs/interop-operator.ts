// Our operator, which competes for a lease with a Go operator. bench/peers/record.mjs records the result. Arguments:
// namespace, identity.
import { clientFromConfig, loadClientConfig } from '@kubewright/client';
import { jsonLogger } from '@kubewright/runtime';
import { interopManager } from './interop-manager.ts';

const [namespace = '', identity = ''] = process.argv.slice(2);
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const client = clientFromConfig(await loadClientConfig());
const log = jsonLogger({ destination: process.stderr });
const manager = interopManager({ client, namespace, identity, log, onLeading: () => say('leads') });
await manager.run();
await client[Symbol.asyncDispose]();
say('ended');

import { runOperator } from '@kubewright/runtime';
import { wellServer } from './wells.ts';

const { APISERVER_HOST: host, APISERVER_PORT: port, APISERVER_CERT_PATH: certificates } = process.env;
const server = wellServer({ host, port: Number(port ?? 6443), certificates });

process.exitCode = await runOperator({ runnables: [server] });

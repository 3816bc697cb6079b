import { runOperator } from '@kubewright/runtime';
import { wellServer } from './wells.ts';

const {
  APISERVER_HOST: host,
  APISERVER_PORT: port = '6443',
  APISERVER_CERT_PATH: certificates,
  APISERVER_SHUTDOWN_DELAY_SECONDS: shutdownDelaySeconds = '0',
} = process.env;
const shutdownDelayMs = 1000 * Number(shutdownDelaySeconds);
const server = wellServer({ host, port: Number(port), certificates, shutdownDelayMs });

process.exitCode = await runOperator({ runnables: [server] });

import { fileNameOf } from '../project/names.ts';
import type { ProjectFile } from '../project/write-files.ts';
import type { ApiNames } from './api-files.ts';

/** Returns the program of a project's API server, which serves its aggregated kinds. */
export function apiServerFile({ version, kind }: ApiNames): ProjectFile {
  return {
    path: 'src/apiserver.ts',
    text: `import { systemClock } from '@kubewright/apimachinery';
import { apiServer, type ExtensionServer, openDiskStorage } from '@kubewright/apiserver';
import definitions from '../config/apiserver/kinds.json' with { type: 'json' };
import { ${kind} } from './api/${version}/${fileNameOf(kind)}.ts';

const {
  APISERVER_HOST: host,
  APISERVER_PORT: port = '6443',
  APISERVER_CERT_PATH: certificates,
  APISERVER_DATA_PATH: directory,
  APISERVER_SHUTDOWN_DELAY_SECONDS: shutdownDelaySeconds = '0',
} = process.env;

/**
 * Serves kinds behind the API server of the cluster. Objects are lost when the process exits, unless APISERVER_DATA_PATH names a folder
 * for them. Replicas share objects only with \`openEtcdStorage\`.
 */
export const apiserver: ExtensionServer = apiServer({
  kinds: [${kind}],
  definitions,
  storage: directory === undefined ? undefined : await openDiskStorage({ directory, clock: systemClock }),
  host,
  port: Number(port),
  certificates,
  shutdownDelayMs: 1000 * Number(shutdownDelaySeconds),
});
`,
  };
}

import { createHttpServer, type HttpServer } from '@kubewright/apiserver';
import type { CertificateStore } from '@kubewright/apiserver/internal';
import type { ControlPlane } from '../kube-apiserver/control-plane.ts';
import { clusterLogEvents } from '../log/cluster-log-events.ts';
import type { CompleteOptions } from './embedded-cluster-options.ts';
import type { StateDirectory } from './state-directory.ts';

/**
 * Listens on the port of the last start, so an exported KUBECONFIG stays valid. If that port is taken, listens on
 * another port; the next start tries the old port again.
 */
export async function listen(
  directory: StateDirectory,
  parts: {
    readonly options: CompleteOptions;
    readonly plane: ControlPlane;
    readonly certificates: CertificateStore;
    readonly onError: (error: unknown) => void;
  },
): Promise<{ readonly http: HttpServer; readonly takenPort: number | undefined }> {
  const { options, plane, certificates, onError } = parts;
  const { clock, limits, server = {} } = options;
  const { key, certificate } = server.serving ?? certificates.serving;
  const tls = { key, certificate, clientCa: [certificates.clientCa, server.clientCa ?? ''].join('\n') };
  const { host } = server;
  const open = (port: number) =>
    createHttpServer({ handle: plane.handle, tls, host, port, clock, limits: limits?.http, onError });
  const last = directory.readNote<{ port: number }>('port.json')?.port;
  if (options.port !== undefined) return { http: await open(options.port), takenPort: undefined };
  let http: HttpServer;
  try {
    http = await open(last ?? 0);
  } catch (error) {
    if (last === undefined) throw error;
    http = await open(0);
    options.log.info('the previous port is in use; using another port', {
      event: clusterLogEvents.portTaken,
      port: last,
      instead: http.port,
    });
    return { http, takenPort: last };
  }
  try {
    directory.writeNote('port.json', { port: http.port });
  } catch (error) {
    options.log.warn('cannot save the port; the next start will use a different one', {
      event: clusterLogEvents.portNotSaved,
      port: http.port,
      error,
    });
  }
  return { http, takenPort: undefined };
}

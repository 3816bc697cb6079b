import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { UnstructuredObject } from '@kubewright/apimachinery';
import type { CliEnvironment } from '../../program/cli-environment.ts';
import type { Project } from '../../project/find-project.ts';
import { isDelegated, type ServicePlace } from '../../target/api-services.ts';
import { freePort } from '../../webhooks/free-port.ts';
import { type LocalCertificates, localCertificates } from '../../webhooks/local-certificates.ts';
import { injection } from '../../webhooks/local-objects.ts';
import { type WebhookAddress, webhookAddress } from '../../webhooks/webhook-address.ts';

/**
 * The API server of an operator under development: it listens on this machine, and the cluster forwards requests to it. Its
 * APIServices refer to a Service with an external name, to which an API server connects even if it cannot reach cluster IPs. The
 * Service of a deployed server is not changed.
 */
export class LocalApiServer implements Disposable {
  readonly #place: ServicePlace;
  readonly #address: WebhookAddress;
  readonly #folder: string;
  readonly #certificates: LocalCertificates;
  readonly #port: number;

  private constructor(
    place: ServicePlace,
    parts: {
      readonly address: WebhookAddress;
      readonly folder: string;
      readonly certificates: LocalCertificates;
      readonly port: number;
    },
  ) {
    this.#place = place;
    this.#address = parts.address;
    this.#folder = parts.folder;
    this.#certificates = parts.certificates;
    this.#port = parts.port;
  }

  /** @param options.host - address or name of this machine, as seen by the cluster's API server */
  static async create(
    { clock }: CliEnvironment,
    options: { readonly project: Project; readonly host: string; readonly except?: number | undefined },
  ): Promise<LocalApiServer> {
    const { project, host, except } = options;
    const place = localServicePlace(project);
    const folder = join(project.root, '.kubewright', 'dev', 'apiserver');
    // Removes the objects of an earlier run that was killed.
    rmSync(folder, { recursive: true, force: true });
    const service = `${place.name}.${place.namespace}.svc`;
    const certificates = localCertificates(folder, { nowMs: clock.now(), host: service });
    const port = await freePort({ except });
    return new LocalApiServer(place, { address: webhookAddress(host), folder, certificates, port });
  }

  /** Environment variables of the operator. Its objects are kept when it restarts, and deleted when this program exits. */
  get variables(): Readonly<Record<string, string>> {
    return {
      APISERVER_HOST: this.#address.listenOn,
      APISERVER_PORT: String(this.#port),
      APISERVER_CERT_PATH: this.#certificates.folder,
      APISERVER_DATA_PATH: join(this.#folder, 'data'),
    };
  }

  /** Returns the Service that forwards to this machine if one of the objects needs it. */
  servicesFor(objects: readonly UnstructuredObject[]): readonly UnstructuredObject[] {
    if (!objects.some(isDelegated)) return [];
    const spec = { type: 'ExternalName', externalName: this.#address.host };
    return [{ apiVersion: 'v1', kind: 'Service', metadata: { ...this.#place }, spec }];
  }

  /** Redirects an APIService of the project to this machine. Returns other objects unchanged. */
  local(object: UnstructuredObject): UnstructuredObject {
    if (!isDelegated(object)) return object;
    const { [injection]: _injection, ...annotations } = object.metadata?.annotations ?? {};
    const caBundle = Buffer.from(this.#certificates.authority).toString('base64');
    const service = { ...this.#place, port: this.#port };
    return {
      ...object,
      metadata: { ...object.metadata, annotations },
      spec: { ...(object['spec'] as object), caBundle, service },
    };
  }

  [Symbol.dispose](): void {
    this.#certificates[Symbol.dispose]();
  }
}

/** Returns the name of the Service that forwards to the developer's machine. */
function localServicePlace({ name }: Pick<Project, 'name'>): ServicePlace {
  return { namespace: `${name}-system`, name: `${name}-apiserver-dev` };
}

import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  isControlledBy,
  isNotFound,
  type KubernetesObject,
  StatusError,
  setControllerReference,
} from '@kubewright/apimachinery';
import type { RequestContext } from '@kubewright/runtime';
import { parse } from 'yaml';

/** An address at which a program reaches the API server with the operator's permissions. */
export interface OwnerProxy extends AsyncDisposable {
  readonly url: string;
  /** Paths of the objects that the program read or wrote. */
  readonly touched: ReadonlySet<string>;
}

/** Starts a proxy to the API server. New objects in the namespace of the owner belong to it. */
export async function ownerProxy(
  { client, random }: Pick<RequestContext, 'client' | 'random'>,
  owner: KubernetesObject,
): Promise<OwnerProxy> {
  // Other programs on this machine do not know the path.
  const secret = `/${random.uid()}`;
  const touched = new Set<string>();
  const { namespace: home } = owner.metadata;
  const owned = (text: string): KubernetesObject => {
    const object = parse(text) as KubernetesObject;
    // A program may omit the namespace, which is in the path.
    return setControllerReference(
      { ...object, metadata: { ...object.metadata, ...(home && { namespace: home }) } },
      owner,
    );
  };
  const read = async (path: string): Promise<KubernetesObject | undefined> => {
    try {
      return await client.request<KubernetesObject>({ path, headers: { accept: 'application/json' } });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };
  const forward = async (request: IncomingMessage): Promise<unknown> => {
    const path = (request.url ?? '').slice(secret.length);
    const text = Buffer.concat(await request.toArray()).toString();
    const [collection = ''] = path.split('?');
    touched.add(collection);
    const headers = {
      accept: 'application/json',
      'content-type': request.headers['content-type'] ?? 'application/json',
    };
    const method = request.method ?? 'GET';
    const [, namespace, name] = /\/namespaces\/([^/]+)\/[^/]+(?:\/([^/]+))?$/.exec(collection) ?? [];
    const isInside = namespace !== undefined && namespace === home;
    if (method === 'POST' && name === undefined) {
      const body = isInside ? owned(text) : parse(text);
      const created = await client.request<Partial<KubernetesObject>>({ method, path, body });
      // The server chooses the name if there is only a generateName.
      touched.add(`${collection}/${created.metadata?.name}`);
      return created;
    }
    let body = text;
    if (
      method === 'PATCH' &&
      isInside &&
      name !== undefined &&
      headers['content-type'].startsWith('application/apply-patch')
    ) {
      const existing = await read(collection);
      // Every apply has to contain the owner; without it, the server would remove it.
      if (!existing || isControlledBy(existing, owner)) body = JSON.stringify(owned(text));
    }
    return client.request({ method, path, headers, ...(body && { body: Buffer.from(body) }) });
  };
  const server = createServer(async (request, response) => {
    const respond = (code: number, body: unknown) =>
      response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (!request.url?.startsWith(`${secret}/`)) return void respond(403, {});
    try {
      respond(200, await forward(request));
    } catch (error) {
      if (error instanceof StatusError) respond(error.httpStatus, error.status);
      else respond(502, { message: String(error) });
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${secret}`,
    touched,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

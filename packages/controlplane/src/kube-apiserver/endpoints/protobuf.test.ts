import { protobuf } from '@kubewright/schema/internal';
import { describe, expect, it } from 'vitest';
import { TestServer, withBuiltinKinds } from '../testdata/test-server.ts';

// Status codes and media types are those of kube-apiserver 1.36.3.

const type = 'application/vnd.kubernetes.protobuf';
const metadataOnly = `${type};as=PartialObjectMetadata;v=v1;g=meta.k8s.io`;
const configMaps = '/api/v1/namespaces/default/configmaps';
const widget = '/apis/example.com/v1/namespaces/default/widgets';

async function startServer(): Promise<TestServer> {
  const server = await TestServer.start({ ...withBuiltinKinds, protobuf });
  for (const name of ['a', 'b', 'c'])
    await server.post(configMaps, { metadata: { name }, data: { text: `é ${name}` } });
  return server;
}

/** Requests a path as protobuf. */
async function ask(server: TestServer, path: string, accept = type) {
  const { status, headers, body } = await server.server.handle(server.request('GET', path, { headers: { accept } }));
  return { status, type: headers['content-type'], body };
}

async function object(server: TestServer, path: string, accept = type) {
  const answer = await ask(server, path, accept);
  expect(answer.type).toBe(type);
  return protobuf.decode(answer.body as Uint8Array);
}

describe('responses in protobuf', () => {
  it('have the same content as in JSON', async () => {
    await using server = await startServer();
    expect(await object(server, `${configMaps}/a`)).toEqual((await server.get(`${configMaps}/a`)).json);
    expect(await object(server, configMaps)).toEqual((await server.get(configMaps)).json);
    const page = await object(server, `${configMaps}?limit=1`);
    expect(page).toMatchObject({ metadata: { continue: expect.any(String), remainingItemCount: 2 } });
    expect(page['items']).toHaveLength(1);
  });

  it('contain only metadata if requested', async () => {
    await using server = await startServer();
    const { metadata } = (await server.get(`${configMaps}/a`)).json;
    const types = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata' };
    expect(await object(server, `${configMaps}/a`, metadataOnly)).toEqual({ ...types, metadata });
    const list = await object(server, configMaps, metadataOnly.replace(';v=', 'List;v='));
    expect(list).toMatchObject({ kind: 'PartialObjectMetadataList', items: [{ metadata }, {}, {}] });
  });

  it('include failures', async () => {
    await using server = await startServer();
    const answer = await ask(server, `${configMaps}/none`);
    expect(answer).toMatchObject({ status: 404, type });
    expect(protobuf.decode(answer.body as Uint8Array)).toMatchObject({ kind: 'Status', code: 404, reason: 'NotFound' });
  });

  it('are not available as tables', async () => {
    await using server = await startServer();
    const table = `${type};as=Table;v=v1;g=meta.k8s.io`;
    expect(await ask(server, `${configMaps}/a`, table)).toMatchObject({ status: 406, type: 'application/json' });
    expect(await ask(server, `${configMaps}/a`, `${table}, application/json`)).toMatchObject({
      status: 200,
      type: 'application/json',
    });
  });

  it('are available only for the metadata of custom resources', async () => {
    await using server = await startServer();
    await server.post(widget, { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' } });
    expect(await ask(server, `${widget}/w`)).toMatchObject({ status: 406, type });
    expect(await ask(server, `${widget}/w`, `${type}, application/json`)).toMatchObject({
      status: 200,
      type: 'application/json',
    });
    expect(await object(server, `${widget}/w`, metadataOnly)).toMatchObject({ metadata: { name: 'w' } });
  });
});

describe('watches in protobuf', () => {
  it('prefix each event with its length', async () => {
    await using server = await startServer();
    const stop = new AbortController();
    const request = server.request('GET', `${configMaps}?watch=1&resourceVersion=0&fieldSelector=metadata.name=a`, {
      headers: { accept: type },
      signal: stop.signal,
    });
    const { headers, body } = await server.server.handle(request);
    expect(headers['content-type']).toBe(`${type};stream=watch`);
    const events = eventsOf(body as AsyncIterable<Uint8Array>);
    const wanted = (await server.get(`${configMaps}/a`)).json;
    expect((await events.next()).value).toEqual({ type: 'ADDED', object: wanted });
    await server.send('DELETE', `${configMaps}/a`);
    expect((await events.next()).value).toMatchObject({ type: 'DELETED', object: { metadata: { name: 'a' } } });
    stop.abort();
    await events.return(undefined);
  });

  it('end with a Status in protobuf', async () => {
    await using server = await startServer();
    const path = `${configMaps}?watch=1&resourceVersion=1`;
    await server.clock.advance(11 * 60_000);
    const { body } = await server.server.handle(server.request('GET', path, { headers: { accept: type } }));
    const events = eventsOf(body as AsyncIterable<Uint8Array>);
    expect((await events.next()).value).toMatchObject({ type: 'ERROR', object: { kind: 'Status', code: 410 } });
  });
});

/** Reads the events of a watch: four bytes with the length, then the event's type and its encoded object. */
async function* eventsOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<{ type: string; object: unknown }> {
  let rest = Buffer.alloc(0);
  for await (const chunk of body) {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32BE(0)) {
      const event = rest.subarray(4, 4 + rest.readUInt32BE(0));
      rest = rest.subarray(4 + event.length);
      const name = event.subarray(2, 2 + (event[1] ?? 0)).toString();
      yield { type: name, object: protobuf.decode(event.subarray(event.indexOf('k8s\0'))) };
    }
  }
}

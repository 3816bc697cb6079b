import { describe, expect, it } from 'vitest';
import { TestServer, withBuiltinKinds } from '../../kube-apiserver/testdata/test-server.ts';

describe('a watch of events.k8s.io', () => {
  it('selects by the field names of the requested version', async () => {
    await using server = await TestServer.start(withBuiltinKinds);
    const path = '/apis/events.k8s.io/v1/events?watch=1&fieldSelector=regarding.name%3Da';
    const { body } = await server.server.handle(server.request('GET', path));
    for (const name of ['b', 'a']) {
      const { status } = await server.post('/api/v1/namespaces/default/events', {
        metadata: { name },
        involvedObject: { kind: 'ConfigMap', namespace: 'default', name },
        reason: 'Tested',
        type: 'Normal',
      });
      expect(status).toBe(201);
    }
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      const { object } = JSON.parse(Buffer.from(chunk).toString('utf8'));
      expect([object.metadata.name, object.regarding.name]).toEqual(['a', 'a']);
      break;
    }
  });
});

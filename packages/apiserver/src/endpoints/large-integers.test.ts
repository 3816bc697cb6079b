import { describe, expect, it } from 'vitest';
import { TestServer } from '../testdata/test-server.ts';

// A difference from upstream, which stores such integers. Here they must never be rounded silently.
describe('integers beyond 2^53', () => {
  const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets';
  const ROUNDED = '1732272000123456789';
  const EXACT = '18014398509481984';
  const widget = (size: string, name = 'a'): string =>
    `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"${name}"},"spec":{"size":${size}}}`;

  it('are rejected when a number would round them, however they are sent', async () => {
    await using server = await TestServer.start();
    await server.post(WIDGETS, widget('1'));
    const { json: stored } = await server.get(`${WIDGETS}/a`);
    const spec = `{"spec":{"size":${ROUNDED}}}`;
    const yaml = `apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: b}\nspec: {size: ${ROUNDED}}\n`;
    const padding = `# ${'x'.repeat(10_000)}\n`;
    const asYaml = { 'content-type': 'application/yaml' };
    const answers = [
      await server.post(WIDGETS, widget(ROUNDED, 'b')),
      await server.post(WIDGETS, yaml, asYaml),
      await server.post(WIDGETS, padding + yaml, asYaml),
      await server.put(`${WIDGETS}/a`, JSON.stringify(stored).replace('"size":1', `"size":${ROUNDED}`)),
      await server.patch(`${WIDGETS}/a`, 'merge', spec),
      await server.patch(`${WIDGETS}/a`, 'json', `[{"op":"replace","path":"/spec/size","value":${ROUNDED}}]`),
      await server.patch(`${WIDGETS}/a?fieldManager=m`, 'apply', widget(ROUNDED)),
      await server.patch(`${WIDGETS}/b?fieldManager=m`, 'apply', yaml),
      await server.put(`${WIDGETS}/a/scale`, `{"metadata":{"name":"a"},"spec":{"replicas":${ROUNDED}}}`),
    ];
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 400));
    for (const { text } of answers) expect(text).toContain('cannot be represented exactly');
    expect((await server.get(`${WIDGETS}/a`)).json.spec.size).toBe(1);
  });

  it('are kept when a number prints exactly as written', async () => {
    await using server = await TestServer.start();
    expect((await server.post(WIDGETS, widget(EXACT))).status).toBe(201);
    await server.patch(`${WIDGETS}/a`, 'merge', '{"spec":{"color":"red"}}');
    await server.patch(`${WIDGETS}/a?fieldManager=m`, 'apply', widget(EXACT));
    expect((await server.get(`${WIDGETS}/a`)).text).toContain(`"size":${EXACT}`);
  });
});

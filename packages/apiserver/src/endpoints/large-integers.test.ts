import { describe, expect, it } from 'vitest';
import { TestServer } from '../testdata/test-server.ts';

describe('integers beyond 2^53', () => {
  const widgets = '/apis/example.com/v1/namespaces/default/widgets';
  const exact = '9007199254740993';
  const other = '-9223372036854775807';
  const widget = (size: string, name = 'a'): string =>
    `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"${name}"},"spec":{"size":${size}}}`;

  it('are stored exactly, in JSON and YAML of any length', async () => {
    await using server = await TestServer.start();
    const yaml = (name: string) =>
      `apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: ${name}}\nspec: {size: ${exact}}\n`;
    const asYaml = { 'content-type': 'application/yaml' };
    const answers = [
      await server.post(widgets, widget(exact)),
      await server.post(widgets, yaml('b'), asYaml),
      await server.post(widgets, `# ${'x'.repeat(10_000)}\n${yaml('c')}`, asYaml),
    ];
    for (const { status, text } of answers)
      expect([status, text]).toEqual([201, expect.stringContaining(`"size":${exact}`)]);
    expect((await server.get(widgets)).text.split(`"size":${exact}`)).toHaveLength(4);
    expect((await server.get(`${widgets}?pretty=true`)).text.split(`"size": ${exact}`)).toHaveLength(4);
    expect((await server.get(`${widgets}/a?pretty=true`)).text).toContain(`"size": ${exact}\n`);
    expect((await server.get(`${widgets}/a`, { accept: 'application/yaml' })).text).toContain(`size: ${exact}\n`);
  });

  it.each([
    ['merge', `{"spec":{"size":${other}}}`],
    [
      'json',
      `[{"op":"test","path":"/spec/size","value":${exact}},{"op":"replace","path":"/spec/size","value":${other}}]`,
    ],
    ['apply', widget(other)],
  ] as const)('are changed exactly by a %s patch, and kept by other changes', async (type, body) => {
    await using server = await TestServer.start();
    const { text } = await server.patch(`${widgets}/a?fieldManager=m`, 'apply', widget(exact));
    expect(text).toContain(`"size":${exact}`);
    const colored = await server.patch(`${widgets}/a`, 'merge', '{"spec":{"color":"red"}}');
    expect(colored.text).toContain(`"size":${exact}`);
    const changed = await server.patch(`${widgets}/a?fieldManager=m`, type, body);
    expect([changed.status, changed.text]).toEqual([200, expect.stringContaining(`"size":${other}`)]);
    const { text: stored } = await server.get(`${widgets}/a`);
    expect((await server.put(`${widgets}/a`, stored)).text).toBe(stored);
  });

  it('conflict with other values that round to the same number', async () => {
    await using server = await TestServer.start();
    await server.patch(`${widgets}/a?fieldManager=one`, 'apply', widget(exact));
    expect((await server.patch(`${widgets}/a?fieldManager=two`, 'apply', widget(exact))).status).toBe(200);
    expect((await server.patch(`${widgets}/a?fieldManager=two`, 'apply', widget('9007199254740992'))).status).toBe(409);
    const test = `[{"op":"test","path":"/spec/size","value":9007199254740992}]`;
    expect((await server.patch(`${widgets}/a`, 'json', test)).status).toBe(422);
  });

  it('are rejected beyond the 32 or 64 bits of their field', async () => {
    await using server = await TestServer.start();
    await server.post(widgets, widget('1'));
    const scale = `{"metadata":{"name":"a"},"spec":{"replicas":${exact}}}`;
    expect((await server.put(`${widgets}/a/scale`, scale)).status).toBeGreaterThanOrEqual(400);
    expect((await server.post(widgets, widget('9223372036854775808', 'b'))).status).toBeGreaterThanOrEqual(400);
  });
});

import { describe, expect, it } from 'vitest';
import { PlaneUnderTest } from '../../kube-apiserver/testdata/plane-under-test.ts';

// Each response was recorded from kube-apiserver 1.36.3, including the unusual status codes.
describe('a binding', () => {
  it.each<[object, number, string]>([
    [{}, 400, 'name in URL does not match name in Binding object'],
    [{ metadata: { name: 'q' }, target: { name: 'n' } }, 400, 'name in URL does not match name in Binding object'],
    [{ metadata: { name: 'p' } }, 500, 'target.name: Required value'],
    [{ metadata: { name: 'p' }, target: null }, 500, 'target.name: Required value'],
    [{ metadata: { name: 'p' }, target: {} }, 500, 'target.name: Required value'],
    [
      { metadata: { name: 'p' }, target: { kind: 'Pod', name: 'x' } },
      500,
      'target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"',
    ],
    [
      { metadata: { name: 'p' }, target: { kind: 'Pod' } },
      500,
      '[target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>", target.name: Required value]',
    ],
    [
      { metadata: { name: 'p' }, target: 'x' },
      400,
      'Binding in version "v1" cannot be handled as a Binding: json: cannot unmarshal string into Go struct field Binding.target of type v1.ObjectReference',
    ],
    [{ metadata: { name: 'p' }, target: { kind: 'Node', name: 'n' } }, 201, ''],
  ])('the response to %j is %i', async (binding, code, message) => {
    await using plane = await PlaneUnderTest.start();
    const space = '/api/v1/namespaces/a';
    await plane.send('POST', '/api/v1/namespaces', { metadata: { name: 'a' } });
    await plane.send('POST', `${space}/serviceaccounts`, { metadata: { name: 'default' } });
    const spec = { containers: [{ name: 'c', image: 'i' }] };
    await plane.send('POST', `${space}/pods`, { metadata: { name: 'p' }, spec });
    const { status, text } = await plane.send('POST', `${space}/pods/p/binding`, binding);
    expect(status).toBe(code);
    expect(JSON.parse(text).message ?? '').toBe(message);
    expect(plane.errors).toEqual([]);
    const { spec: bound, metadata } = JSON.parse((await plane.send('GET', `${space}/pods/p`)).text);
    expect(bound.nodeName).toBe(code === 201 ? 'n' : undefined);
    // As in upstream, no field manager owns the node name.
    expect(metadata.managedFields).toHaveLength(1);
  });
});

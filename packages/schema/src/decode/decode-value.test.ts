import { describe, expect, it } from 'vitest';
import { parseJson } from '../json/parse-json.ts';
import type { SchemaNode } from '../node/schema-node.ts';
import { decodeValue } from './decode-value.ts';
import { normalizeTime } from './parse-time.ts';
import { strictDecodingMessage } from './strict-message.ts';

const string: SchemaNode = { type: 'string' };
const int32: SchemaNode = { type: 'integer', format: 'int32' };
const struct = (typeName: string, properties: Record<string, SchemaNode>): SchemaNode => ({
  type: 'object',
  typeName,
  properties: new Map(Object.entries(properties)),
});
const list = (items: SchemaNode): SchemaNode => ({ type: 'array', items });
const map = (additionalProperties: SchemaNode): SchemaNode => ({ type: 'object', additionalProperties });
const quantity: SchemaNode = { type: 'string', typeName: 'resource.Quantity' };
const container = struct('v1.Container', {
  name: string,
  limits: map(quantity),
  ports: list(struct('v1.ContainerPort', { containerPort: int32 })),
});
const deployment = struct('v1.Deployment', {
  metadata: struct('v1.ObjectMeta', {
    labels: map(string),
    creationTimestamp: { type: 'string', format: 'date-time', typeName: 'v1.Time' },
  }),
  spec: struct('v1.DeploymentSpec', {
    replicas: int32,
    paused: { type: 'boolean' },
    deadline: { type: 'integer', format: 'int64' },
    maxSurge: { type: 'string', intOrString: true },
    selector: struct('v1.LabelSelector', {
      matchLabels: map(string),
      matchExpressions: list(struct('v1.LabelSelectorRequirement', { key: string, values: list(string) })),
    }),
    containers: list(container),
    raw: { type: 'any' },
    data: map({ type: 'string', format: 'byte' }),
    ratio: { type: 'number' },
  }),
});

const decode = (text: string): ReturnType<typeof decodeValue> => {
  const body = parseJson(new TextEncoder().encode(text));
  return decodeValue(deployment, body.value, { numberTokens: body.numberTokens });
};

describe('decodeValue', () => {
  // Recorded from kube-apiserver 1.36.3. The paths are shortened to match the schema of this test.
  it.each([
    ['{"spec":{"replicas":1.0}}', 'number 1.0 into Go struct field DeploymentSpec.spec.replicas of type int32'],
    ['{"spec":{"replicas":1e0}}', 'number 1e0 into Go struct field DeploymentSpec.spec.replicas of type int32'],
    [
      '{"spec":{"replicas":3000000000}}',
      'number 3000000000 into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    ['{"spec":{"replicas":"1"}}', 'string into Go struct field DeploymentSpec.spec.replicas of type int32'],
    ['{"spec":{"replicas":[]}}', 'array into Go struct field DeploymentSpec.spec.replicas of type int32'],
    ['{"spec":{"deadline":1.5}}', 'number 1.5 into Go struct field DeploymentSpec.spec.deadline of type int64'],
    ['{"spec":{"paused":1}}', 'number into Go struct field DeploymentSpec.spec.paused of type bool'],
    ['{"spec":{"selector":"x"}}', 'string into Go struct field DeploymentSpec.spec.selector of type v1.LabelSelector'],
    [
      '{"spec":{"selector":{"matchLabels":[]}}}',
      'array into Go struct field LabelSelector.spec.selector.matchLabels of type map[string]string',
    ],
    [
      '{"spec":{"selector":{"matchLabels":{"a":1}}}}',
      'number into Go struct field LabelSelector.spec.selector.matchLabels of type string',
    ],
    [
      '{"spec":{"selector":{"matchExpressions":{}}}}',
      'object into Go struct field LabelSelector.spec.selector.matchExpressions of type []v1.LabelSelectorRequirement',
    ],
    [
      '{"spec":{"selector":{"matchExpressions":[1]}}}',
      'number into Go struct field LabelSelector.spec.selector.matchExpressions of type v1.LabelSelectorRequirement',
    ],
    [
      '{"spec":{"selector":{"matchExpressions":[{"values":[1]}]}}}',
      'number into Go struct field LabelSelectorRequirement.spec.selector.matchExpressions.values of type string',
    ],
    ['{"spec":{"maxSurge":true}}', 'bool into Go struct field DeploymentSpec.spec.maxSurge of type int32'],
    [
      '{"spec":{"containers":[{"ports":[{"containerPort":"80"}]}]}}',
      'string into Go struct field ContainerPort.spec.containers.ports.containerPort of type int32',
    ],
    ['{"spec":{"data":{"a":1}}}', 'number into Go struct field DeploymentSpec.spec.data of type []uint8'],
    ['{"metadata":[]}', 'array into Go struct field Deployment.metadata of type v1.ObjectMeta'],
  ])('rejects %s as Go does', (text, message) => {
    expect(() => decode(text)).toThrow(`json: cannot unmarshal ${message}`);
  });

  it('rejects invalid quantities, base64 and times with specific messages', () => {
    expect(() => decode('{"spec":{"containers":[{"limits":{"cpu":"x"}}]}}')).toThrow('quantities must match');
    expect(() => decode('{"spec":{"data":{"a":"!!"}}}')).toThrow('illegal base64 data at input byte 0');
    expect(() => decode('{"metadata":{"creationTimestamp":"x"}}')).toThrow(
      'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
    );
  });

  it('reports the first value of a wrong type, but later times, quantities and int-or-strings first', () => {
    const limits = '"containers":[{"limits":{"cpu":"x"}}]';
    expect(() => decode(`{"spec":{"replicas":"1","paused":1}}`)).toThrow('DeploymentSpec.spec.replicas of type int32');
    expect(() => decode(`{"spec":{"replicas":"1",${limits}}}`)).toThrow('quantities must match');
    expect(() => decode(`{"spec":{"replicas":"1","maxSurge":true}}`)).toThrow('DeploymentSpec.spec.maxSurge');
    expect(() => decode(`{"spec":{"replicas":"1"},"metadata":{"creationTimestamp":5}}`)).toThrow('creationTimestamp');
  });

  it('keeps the lowest 32 bits of an integer in a merged object, but not of an int-or-string', () => {
    const merged = (spec: object) => decodeValue(deployment, { spec }, { fromUnstructured: true }).value;
    expect(merged({ replicas: 2_147_483_648 })).toEqual({ spec: { replicas: -2_147_483_648 } });
    expect(merged({ replicas: 4_294_967_297 })).toEqual({ spec: { replicas: 1 } });
    expect(merged({ deadline: 2_147_483_648 })).toEqual({ spec: { deadline: 2_147_483_648 } });
    expect(() => merged({ replicas: 1.5 })).toThrow('number 1.5 into Go struct field');
    expect(() => merged({ maxSurge: 2_147_483_648 })).toThrow('number 2147483648 into Go struct field');
  });

  it('reports the first fault in the order of the type for a merged object', () => {
    const merged = (spec: object) => decodeValue(deployment, { spec }, { fromUnstructured: true }).value;
    const [first, second] = [...(deployment.properties?.get('spec')?.properties?.keys() ?? [])].filter((name) =>
      ['replicas', 'deadline'].includes(name),
    );
    expect(() => merged({ [String(second)]: 1.5, [String(first)]: 1.5 })).toThrow(
      `field DeploymentSpec.spec.${first} `,
    );
  });

  it('reports and drops unknown fields, case-sensitively, with full paths', () => {
    const { value, unknownFields } = decode(
      '{"Spec":1,"spec":{"containers":[{"name":"a"},{"bogus":1,"name":"b"}],"raw":{"any":1}},"bog":1}',
    );
    expect(unknownFields).toEqual([
      'unknown field "Spec"',
      'unknown field "spec.containers[1].bogus"',
      'unknown field "bog"',
    ]);
    expect(value).toEqual({ spec: { containers: [{ name: 'a' }, { name: 'b' }], raw: { any: 1 } } });
  });

  it('treats null as absent in structures and as the zero value in maps and lists', () => {
    const { value } = decode(
      '{"metadata":{"labels":{"a":null},"creationTimestamp":null},"spec":{"replicas":null,"containers":[null]}}',
    );
    expect(value).toEqual({ metadata: { labels: { a: '' } }, spec: { containers: [{}] } });
  });

  it('returns the input itself if nothing changes', () => {
    const input = { metadata: { labels: { a: 'b' } }, spec: { replicas: 1, maxSurge: '25%', ratio: 0.5 } };
    expect(decodeValue(deployment, input).value).toBe(input);
  });

  it('converts numbers to canonical quantities', () => {
    const input = { spec: { containers: [{ limits: { cpu: 1.5 } }] } };
    expect(decodeValue(deployment, input).value).toEqual({ spec: { containers: [{ limits: { cpu: '1500m' } }] } });
  });
});

describe('normalizeTime', () => {
  it.each([
    ['2024-02-29T10:00:00Z', '2024-02-29T10:00:00Z'],
    ['2024-01-01T00:30:00.5+01:00', '2023-12-31T23:30:00Z'],
  ])('converts %s to UTC', (text, utc) => {
    expect(normalizeTime(text, 'seconds')).toBe(utc);
  });

  it.each([
    ['2024-13-01T00:00:00Z', 'parsing time "2024-13-01T00:00:00Z": month out of range'],
    ['2023-02-29T00:00:00Z', 'parsing time "2023-02-29T00:00:00Z": day out of range'],
    ['2024-01-01', 'parsing time "2024-01-01" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "T"'],
    ['2024-01-01T00:00:00Zx', 'parsing time "2024-01-01T00:00:00Zx": extra text: "x"'],
  ])('rejects %s', (text, message) => {
    expect(() => normalizeTime(text, 'seconds')).toThrow(message);
  });

  it('requires six fractional digits in a MicroTime', () => {
    expect(normalizeTime('2024-01-01T00:00:00.123456Z', 'micros')).toBe('2024-01-01T00:00:00.123456Z');
    expect(() => normalizeTime('2024-01-01T00:00:00Z', 'micros')).toThrow('cannot parse "Z" as ".000000"');
  });
});

describe('strictDecodingMessage', () => {
  it('joins the rejected fields', () => {
    expect(strictDecodingMessage({ duplicates: [], format: 'json' }, [])).toBeUndefined();
    expect(strictDecodingMessage({ duplicates: ['duplicate field "a"'], format: 'json' }, ['unknown field "b"'])).toBe(
      'strict decoding error: duplicate field "a", unknown field "b"',
    );
    expect(strictDecodingMessage({ duplicates: ['line 7: key "a" already set in map'], format: 'yaml' }, [])).toBe(
      'strict decoding error: yaml: unmarshal errors:\n  line 7: key "a" already set in map',
    );
  });
});

import { Secret } from '@kubewright/apimachinery/core/v1';
import { describe, expect, it } from 'vitest';
import { configValidation } from './config-validation.ts';

const syntax = 'looking for beginning of value';

function faultsOf(text: string): readonly string[] {
  const secret = Secret({
    metadata: { name: 'pull', namespace: 'default' },
    type: 'kubernetes.io/dockerconfigjson',
    data: { '.dockerconfigjson': Buffer.from(text).toString('base64') },
  });
  const rules = new Map(configValidation).get('/v1/secrets');
  // The rules for Secrets do not read the context.
  return (rules?.validate?.(secret as never, {} as never) ?? []).map(({ body }) => body);
}

describe('configValidation', () => {
  // Recorded from kube-apiserver 1.36.3.
  it.each([
    ['', 'unexpected end of JSON input'],
    ['{"a":', 'unexpected end of JSON input'],
    ['{"a":}', `invalid character '}' ${syntax}`],
    ['x', `invalid character 'x' ${syntax}`],
    ['{"s3cret" 1}', "invalid character '1' after object key"],
    ['{}{}', "invalid character '{' after top-level value"],
    ['[]', 'json: cannot unmarshal array into Go value of type map[string]interface {}'],
    ['"x"', 'json: cannot unmarshal string into Go value of type map[string]interface {}'],
    ['null', undefined],
    ['{"a":1,"a":2}', undefined],
  ])('reports the error of the docker configuration %j as Go does', (text, detail) => {
    expect(faultsOf(text)).toEqual(detail === undefined ? [] : [expect.stringContaining(detail)]);
  });
});

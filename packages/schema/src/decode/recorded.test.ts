import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { builtinSchema } from '../builtin/builtin-schema.ts';
import { parseJson } from '../json/parse-json.ts';
import { DecodeError } from './decode-error.ts';
import { decodeValue } from './decode-value.ts';
import { strictDecodingMessage } from './strict-message.ts';

interface Answer {
  readonly kind: string;
  readonly text: string;
  readonly code: number;
  readonly message?: string;
}

const answers = JSON.parse(
  readFileSync(new URL('testdata/recorded.json', import.meta.url), 'utf8'),
) as readonly Answer[];

describe('decodeValue', () => {
  it.each(answers.map((answer) => [answer.text, answer] as const))(
    'decodes %s as kube-apiserver 1.36 does',
    (_, { kind, text, code, message }) => {
      const body = parseJson(new TextEncoder().encode(text));
      const { apiVersion } = body.value as { apiVersion: string };
      const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
      const schema = builtinSchema({ group: group ?? '', version: version ?? '', kind });
      if (schema === undefined) throw new Error(`no schema for ${kind}`);
      let answer: string | undefined;
      try {
        const { unknownFields } = decodeValue(schema, body.value, { numberTokens: body.numberTokens });
        answer = strictDecodingMessage(body, unknownFields);
      } catch (error) {
        if (!(error instanceof DecodeError)) throw error;
        answer = error.message;
      }
      if (code < 300 || message?.includes(' is invalid: ')) expect(answer).toBeUndefined();
      else expect(`${kind} in version "${version}" cannot be handled as a ${kind}: ${answer}`).toBe(message);
    },
  );
});

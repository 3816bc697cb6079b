import { expect, it } from 'vitest';
import { controllerFiles } from './api-files.ts';

it('names the children of two kinds differently, so objects of the same name do not share a child', () => {
  const childOf = (kind: string): string | undefined => {
    const names = { group: 'shop.example.com', version: 'v1', kind, scope: 'Namespaced' } as const;
    return /name: `(.*)`/.exec(controllerFiles(names)[0]?.text ?? '')?.[1];
  };
  const children = ['Shop', 'TillRoll'].map(childOf);
  expect(children).toEqual(['shop', 'tillroll'].map((kind) => `\${metadata.name}-${kind}-message`));
});

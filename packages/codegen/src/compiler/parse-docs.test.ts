import { describe, expect, it } from 'vitest';
import { parseDocs } from './parse-docs.ts';

const read = (comment: string) => {
  const { description, tags } = parseDocs(comment, 0);
  return { description, tags: tags.map(({ name, text }) => [name, text]) };
};

describe('parseDocs', () => {
  it('reads several tags on one line', () => {
    expect(read('/** Owner. @default "postgres" @pattern ^[a-z_]{0,62}$ */')).toEqual({
      description: 'Owner.',
      tags: [
        ['default', '"postgres"'],
        ['pattern', '^[a-z_]{0,62}$'],
      ],
    });
  });

  it('reads tags over several lines and keeps the lines of the description', () => {
    expect(read('/**\n * One.\n *\n * Two.\n * @rule self.a ||\n *   self.b\n * @message both\n */')).toEqual({
      description: 'One.\n\nTwo.',
      tags: [
        ['rule', 'self.a ||\n  self.b'],
        ['message', 'both'],
      ],
    });
  });

  it('ignores tags in backticks, quoted arguments and email addresses', () => {
    expect(read('/** Write `@int32` or me@example.com. @default " @x" */')).toEqual({
      description: 'Write `@int32` or me@example.com.',
      tags: [['default', '" @x"']],
    });
  });

  it("keeps kubebuilder's names complete, so that they can be distinguished", () => {
    expect(read('/** @kubebuilder:validation:MinLength=3 */').tags).toEqual([
      ['kubebuilder:validation:MinLength', '=3'],
    ]);
  });

  it('reports the offset of each tag', () => {
    const comment = '/**\n * One.\n * @int32\n */';
    expect(parseDocs(comment, 100).tags[0]?.offset).toBe(100 + comment.indexOf('@int32'));
  });

  it('replaces links with their text', () => {
    expect(read('/** See {@link Pod} and {@link Foo | the foo}. */').description).toBe('See Pod and the foo.');
  });
});

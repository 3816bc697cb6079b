import type { YamlCursor } from './yaml-cursor.ts';
import type { YamlNode, YamlProperties } from './yaml-node.ts';

/** Reads a node's anchor and tag, and the blanks after them. */
export function readProperties(cursor: YamlCursor): YamlProperties | undefined {
  let anchor: string | undefined;
  let tag: string | undefined;
  for (;;) {
    const c = cursor.text[cursor.at];
    if (c === '&' && anchor === undefined) anchor = readName(cursor);
    else if (c === '!' && tag === undefined) tag = readTag(cursor);
    else break;
    if (!cursor.isBreakOrBlank() && !',[]{}'.includes(cursor.text[cursor.at] as string)) {
      cursor.fail('did not find expected whitespace or line break');
    }
    cursor.skipBlanks();
  }
  if (anchor === undefined && tag === undefined) return undefined;
  return { anchor, tag };
}

/** Reads the name after `&` or `*`. */
export function readName(cursor: YamlCursor): string {
  const from = ++cursor.at;
  while (!cursor.isBreakOrBlank() && !',[]{}'.includes(cursor.text[cursor.at] as string)) cursor.at++;
  if (cursor.at === from) cursor.fail('did not find expected alphabetic or numeric character');
  return cursor.text.slice(from, cursor.at);
}

function readTag(cursor: YamlCursor): string {
  const from = cursor.at++;
  const verbatim = cursor.text[cursor.at] === '<';
  while (!cursor.isBreakOrBlank() && (verbatim || !',[]{}'.includes(cursor.text[cursor.at] as string))) cursor.at++;
  const tag = cursor.text.slice(from, cursor.at);
  return verbatim ? tag.slice(2, -1).replace('tag:yaml.org,2002:', '!!') : tag;
}

/** Sets a node's anchor and tag, if any, and returns the node. */
export function withProperties<T extends YamlNode>(cursor: YamlCursor, node: T, own: YamlProperties | undefined): T {
  if (own === undefined) return node;
  if (node.kind === 'alias') cursor.fail('an alias cannot have properties');
  else node.properties = own;
  return node;
}

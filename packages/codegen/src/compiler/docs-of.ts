import type { Problems } from '../problem.ts';
import { knownTag } from '../tags/known-tag.ts';
import { type ParsedTag, parseDocs } from './parse-docs.ts';
import type { ProjectView } from './project.ts';
import type { Docs } from './type-model.ts';
import { ts } from './typescript.ts';

/** Reads the documentation comment before a declaration, and warns about tags in other comments. */
export function docsOf(
  declaration: ts.Node,
  place: Docs['place'],
  { view, problems }: { readonly view: ProjectView; readonly problems: Problems },
): Docs {
  const node = statementOf(declaration);
  const file = node.getSourceFile();
  const { text } = file;
  const comments = [...sameLine(node), ...(ts.getLeadingCommentRanges(text, node.getFullStart()) ?? [])];
  const documentation = comments.filter(({ pos, end }) => text.startsWith('/**', pos) && end - pos > 4);
  const lost = [...comments.filter((each) => !documentation.includes(each)), ...trailing(node)];
  for (const { pos, end } of lost) {
    const match = /@([A-Za-z][\w.:-]*)|\+(?:kubebuilder|k8s):[\w:.]*/.exec(text.slice(pos, end));
    if (match === null || (match[1] !== undefined && knownTag(match[1]) === undefined)) continue;
    problems.add(view.positionAt(file, pos + match.index), {
      code: 'KW6204',
      what: `the tag ${match[0]} has no effect here`,
      why: 'tags are read only from the documentation comment before a declaration',
      fix: 'move the tag into a /** … */ comment before the declaration',
    });
  }
  // All comments before a field describe it. Before a statement, only the last comment does: earlier comments usually describe
  // the file.
  const read = place === 'field' ? documentation : documentation.slice(-1);
  const parsed = read.map(({ pos, end }) => parseDocs(text.slice(pos, end), pos));
  return {
    place,
    description: parsed
      .map(({ description }) => description)
      .filter((each) => each !== '')
      .join('\n'),
    tags: parsed.flatMap(({ tags }) =>
      tags.map((tag: ParsedTag) => ({ name: tag.name, text: tag.text, at: view.positionAt(file, tag.offset) })),
    ),
  };
}

/**
 * Returns the comments that precede a declaration on the line of the previous token: `{ /** … *\/ name: string }`. After a brace,
 * they belong to the declaration, because it is the first one in the braces. After anything else, they belong to the declaration
 * only if it is on the same line.
 */
function sameLine(node: ts.Node): readonly ts.CommentRange[] {
  const { text } = node.getSourceFile();
  const comments = ts.getTrailingCommentRanges(text, node.getFullStart()) ?? [];
  const end = comments.at(-1)?.end ?? 0;
  const isFirst = text[node.getFullStart() - 1] === '{';
  return !isFirst && text.slice(end, node.getStart()).includes('\n') ? [] : comments;
}

/** Returns the comments that follow a field on the same line. They seem to describe the field, but do not. */
function trailing(node: ts.Node): readonly ts.CommentRange[] {
  const { text } = node.getSourceFile();
  const comments = ts.getTrailingCommentRanges(text, node.getEnd()) ?? [];
  return comments.filter(({ end }) =>
    /^[\s})]*(?:$|\n)/.test(text.slice(end, text.indexOf('\n', end) + 1 || undefined)),
  );
}

function statementOf(node: ts.Node): ts.Node {
  if (!ts.isVariableDeclaration(node)) return node;
  const statement = node.parent.parent;
  return ts.isVariableStatement(statement) ? statement : node;
}

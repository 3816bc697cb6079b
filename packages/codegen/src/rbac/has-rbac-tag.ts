import { ts } from '../compiler/typescript.ts';

/**
 * True if a comment above a node, or above a statement that contains it, has an `@rbac` tag. The tag states permissions that
 * cannot be derived from the code, so no warning is needed.
 */
export function hasRbacTag(node: ts.Node): boolean {
  const { text } = node.getSourceFile();
  if (!text.includes('@rbac')) return false;
  for (let each = node; !ts.isSourceFile(each); each = each.parent) {
    const comments = ts.getLeadingCommentRanges(text, each.getFullStart()) ?? [];
    const texts = comments.map(({ pos, end }) => text.slice(pos, end));
    if (texts.some((comment) => comment.startsWith('/**') && comment.includes('@rbac'))) return true;
  }
  return false;
}

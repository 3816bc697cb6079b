// Extracts the prose of a TypeScript or JavaScript file: comments, and literals of three words or more. Everything else is masked.
import ts from 'typescript';

const mask = '\u0000';
const isSentence = /\p{L}{2,},? \p{L}+,? \p{L}+/u;

/**
 * Returns a file's masked text, the start of its doc comments, and its exceptions (`prose-ok: reason` applies to its
 * own line and the next).
 */
export function readSource(text, path) {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const literals = [];
  visit(file, literals);
  literals.sort((a, b) => a.pos - b.pos);
  const comments = commentsIn(text, literals);
  const shown = [...literals.filter(({ isShown }) => isShown), ...comments].sort((a, b) => a.pos - b.pos);
  return { masked: maskedBut(text, shown), docStarts: docStartsIn(text, comments), allowed: exceptionsIn(text) };
}

/** Collects literals; the parts of a template count as one sentence. */
function visit(node, literals) {
  if (ts.isTemplateExpression(node)) {
    const parts = [node.head, ...node.templateSpans.map(({ literal }) => literal)];
    const isShown = isSentence.test(parts.map(({ text }) => text).join('it'));
    for (const part of parts) literals.push({ pos: part.getStart(), end: part.end, isShown });
    for (const { expression } of node.templateSpans) visit(expression, literals);
    return;
  }
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) {
    literals.push({ pos: node.getStart(), end: node.end, isShown: isSentence.test(node.text) });
  } else if (ts.isRegularExpressionLiteral(node))
    literals.push({ pos: node.getStart(), end: node.end, isShown: false });
  ts.forEachChild(node, (child) => visit(child, literals));
}

/** Finds comments between literals, where `//` and `/*` always start a comment. */
function commentsIn(text, literals) {
  const comments = [];
  let at = 0;
  for (const { pos, end } of [...literals, { pos: text.length, end: text.length }]) {
    while (at < pos) {
      const rest = text.slice(at, pos);
      const start = rest.search(/\/[/*]/);
      if (start === -1) break;
      const from = at + start;
      const isBlock = text[from + 1] === '*';
      const stop = text.indexOf(isBlock ? '*/' : '\n', from + 2);
      const to = stop === -1 ? text.length : stop + (isBlock ? 2 : 0);
      comments.push({ pos: from, end: to, isDoc: isBlock && text.startsWith('/**', from) });
      at = to;
    }
    at = Math.max(at, end);
  }
  return comments;
}

function maskedBut(text, shown) {
  let result = '';
  let at = 0;
  const hide = (part) => part.replace(/\S/g, mask);
  for (const { pos, end, isDoc } of shown) {
    if (pos < at) continue;
    result += hide(text.slice(at, pos)) + proseOf(text.slice(pos, end), isDoc);
    at = end;
  }
  return result + hide(text.slice(at));
}

/** Returns a comment without its markers and code, or a literal unchanged. */
function proseOf(part, isDoc) {
  const blank = (found) => found.replace(/[^\n]/g, ' ');
  if (isDoc === undefined) return part;
  return part
    .replace(/^\/\/+|^\/\*+|\*\/$/g, blank)
    .replace(/^[ \t]*\*(?= |$)/gm, blank)
    .replace(/```[\s\S]*?```|`[^`\n]*`|\{@link [^}]*\}|https?:\/\/\S+/g, (found) => found.replace(/[^\n]/g, mask));
}

function docStartsIn(text, comments) {
  return comments.filter(({ isDoc }) => isDoc).map(({ pos }) => pos + /^\/\*\*[\s*]*/.exec(text.slice(pos))[0].length);
}

function exceptionsIn(text) {
  return text.split('\n').flatMap((line, index) => {
    const isException = /(?:\/\/|\*) prose-ok: \S/.test(line);
    return isException ? [{ from: index + 1, to: index + 2, phrase: undefined }] : [];
  });
}

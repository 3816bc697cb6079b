// Counts the lines of operator code in each example, as defined in CONTRIBUTING.md, and rejects more than 150 lines.
// Not counted: blank lines, comments, imports, tests, and `src/api`, which declares the types of the kinds.
// `postgres-cluster` is a complete operator, not an example of one idea, and has no limit.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const limit = 150;
const examples = fileURLToPath(new URL('../examples', import.meta.url));
const names = readdirSync(examples).filter((name) => name !== 'postgres-cluster');
const counts = names.map((name) => ({
  name,
  lines: sources(join(examples, name, 'src'))
    .map(linesOf)
    .reduce(sum, 0),
}));

console.log(counts.map(({ name, lines }) => `${name} ${lines}`).join(', '));
const tooLong = counts.filter(({ lines }) => lines > limit).map(({ name }) => name);
if (tooLong.length > 0) {
  console.log(`more than ${limit} lines: ${tooLong.join(', ')}; simplify the operator, see CONTRIBUTING.md`);
  process.exitCode = 1;
}

/** Returns the paths of the operator's files in a folder. */
function sources(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((path) => /(?<!\.test)\.ts$/.test(path) && !path.startsWith('api/'))
    .map((path) => join(folder, path));
}

/** Returns the number of lines with code other than imports. */
function linesOf(path) {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const lines = new Set();
  const visit = (node) => {
    if (ts.isImportDeclaration(node) || ts.isJSDoc(node) || node.kind === ts.SyntaxKind.EndOfFileToken) return;
    const children = node.getChildren(source);
    for (const child of children) visit(child);
    if (children.length > 0 || node.getWidth(source) === 0) return;
    // A token can span several lines, such as a template literal.
    const last = source.getLineAndCharacterOfPosition(node.getEnd()).line;
    for (let at = source.getLineAndCharacterOfPosition(node.getStart(source)).line; at <= last; at++) lines.add(at);
  };
  visit(source);
  return lines.size;
}

function sum(total, each) {
  return total + each;
}

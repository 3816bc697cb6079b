// Counts violations of four conventions of CONTRIBUTING.md that no linter checks, and compares the counts with
// scripts/conventions.json. The counts may only fall (`--update` lowers them; given a folder, lists the violations in
// it):
// - a conditional spread that only passes on an optional value: `...(x === undefined ? {} : { x })`, `...(x !==
//   undefined && { x })`; `...(x && { x })` is not counted, because it also omits an empty string and zero;
// - a constant in upper case;
// - `toLegacyObject()` of a certificate in a file that does not import `node:tls`: if the method runs before `node:tls`
//   is loaded, `tls.createSecureContext` stays undefined for the rest of the process;
// - a name of our own instead of the usual word, such as `tell` for `notify`.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));
const ratchet = join(root, 'scripts/conventions.json');
const remedies = {
  'conditional spreads':
    'declare the field as `x?: T | undefined` and pass x, or write ...defined({ x }); see CONTRIBUTING.md',
  'early toLegacyObject': "read certificate.subject, or import 'node:tls' first",
  'upper-case constants': 'name constants in camelCase; see CONTRIBUTING.md',
  'names of our own':
    'say max… for a maximum; notify, report or write for tell; request, query or call for ask; response, reply or result for answer',
};

const ownNames = /^#?(most[A-Z]|tell([A-Z]|$))/;
const asks = /^#?(ask|asks|asked|asking|answer|answers|answered)([A-Z]|$)/;
/** Files in which `ask` and `answer` are allowed: DNS messages have answers by specification, and tests are exempt. */
const mayAsk = /\/dns\/|\.(test|contract)\.ts$/;
/** Superlatives that do not mean maximums. */
const superlatives = new Set(['mostGeneral', '#mostUrgent']);

const places = {};
const scopes = readdirSync(join(root, 'packages'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => `packages/${name}`);
for (const scope of scopes) {
  places[scope] = Object.fromEntries(Object.keys(remedies).map((rule) => [rule, []]));
  for (const path of sources(join(root, scope))) examine(path, places[scope]);
}

const counts = Object.fromEntries(
  Object.entries(places)
    .map(([scope, found]) => [
      scope,
      Object.fromEntries(Object.entries(found).map(([rule, all]) => [rule, all.length])),
    ])
    .filter(([, found]) => Object.values(found).some((count) => count > 0)),
);
const args = process.argv.slice(2);
const wanted = args.find((arg) => !arg.startsWith('--'));
if (wanted !== undefined) {
  const all = Object.values(places).flatMap((found) => Object.values(found).flat());
  for (const place of all.filter((each) => each.startsWith(wanted))) console.log(place);
} else {
  const allowed = JSON.parse(readFileSync(ratchet, 'utf8'));
  for (const [scope, found] of Object.entries(places)) {
    for (const [rule, all] of Object.entries(found)) {
      const limit = allowed[scope]?.[rule] ?? 0;
      if (all.length <= limit) continue;
      console.log(`${scope}: ${all.length} ${rule}, ${limit} allowed\n  do: ${remedies[rule]}\n  ${all.join('\n  ')}`);
      process.exitCode = 1;
    }
  }
  if (args.includes('--update') && process.exitCode === undefined) {
    writeFileSync(ratchet, `${JSON.stringify(counts, undefined, 2)}\n`);
  }
}

function sources(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      return ['node_modules', 'dist', 'generated', 'testdata', 'schemas', '.kubewright'].includes(entry.name)
        ? []
        : sources(path);
    }
    return entry.name.endsWith('.ts') ? [path] : [];
  });
}

function examine(path, found) {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const note = (rule, node) => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart());
    found[rule].push(`${relative(root, path)}:${line + 1} ${node.getText().replace(/\s+/g, ' ').slice(0, 100)}`);
  };
  const loadsTls = source.statements.some(
    (each) => ts.isImportDeclaration(each) && each.moduleSpecifier.text === 'node:tls',
  );
  const visit = (node) => {
    if (!loadsTls && ts.isPropertyAccessExpression(node) && node.name.text === 'toLegacyObject') {
      note('early toLegacyObject', node.name);
    }
    if (ts.isSpreadAssignment(node) && passesOn(node)) note('conditional spreads', node);
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && /^[A-Z][A-Z0-9_]+$/.test(node.name.text)) {
      note('upper-case constants', node.name);
    }
    if (isDeclared(node) && ownNames.test(node.text) && !superlatives.has(node.text)) note('names of our own', node);
    if (isDeclared(node) && asks.test(node.text) && !mayAsk.test(path)) note('names of our own', node);
    ts.forEachChild(node, visit);
  };
  visit(source);
}

/** True if the identifier is the name of a declaration. */
function isDeclared(node) {
  return (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) && node.parent.name === node;
}

/** True if a spread object has one property, whose value the condition compares with undefined. */
function passesOn({ expression }) {
  const parts = conditional(bare(expression));
  if (!parts) return false;
  const object = bare(parts.value);
  if (!ts.isObjectLiteralExpression(object) || object.properties.length !== 1) return false;
  const [property] = object.properties;
  const condition = bare(parts.condition);
  if (!ts.isBinaryExpression(condition) || condition.right.getText() !== 'undefined') return false;
  const tested = condition.left.getText();
  if (ts.isShorthandPropertyAssignment(property)) return property.name.text === tested;
  if (!ts.isPropertyAssignment(property) || ts.isComputedPropertyName(property.name)) return false;
  return property.initializer.getText() === tested;
}

/** Returns the condition and the spread object of `condition && {…}` and of `condition ? {…} : {}`. */
function conditional(node) {
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.AmpersandAmpersandToken) {
    return { condition: node.left, value: node.right };
  }
  if (!ts.isConditionalExpression(node)) return undefined;
  const isEmpty = (each) => ts.isObjectLiteralExpression(each) && each.properties.length === 0;
  const [value, empty] = isEmpty(bare(node.whenTrue))
    ? [node.whenFalse, node.whenTrue]
    : [node.whenTrue, node.whenFalse];
  return isEmpty(bare(empty)) ? { condition: node.condition, value } : undefined;
}

function bare(node) {
  return ts.isParenthesizedExpression(node) ? bare(node.expression) : node;
}

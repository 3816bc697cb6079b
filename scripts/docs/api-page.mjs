// A package's public API as a page: the compiler's declarations with their comments.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** Returns the page of a package, which must have been built. */
export function apiPage(root, name) {
  const folder = join(root, 'packages', name);
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const entry = join(folder, 'dist/index.d.ts');
  const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.base.json'), 'utf8'));
  const options = {
    ...ts.convertCompilerOptionsFromJson(compilerOptions, root).options,
    composite: false,
    noEmit: true,
  };
  const program = ts.createProgram([entry], { ...options, isolatedDeclarations: false, customConditions: [] });
  const checker = program.getTypeChecker();
  const module = checker.getSymbolAtLocation(program.getSourceFile(entry));
  const exported = module ? checker.getExportsOfModule(module) : [];
  // Re-exports are documented with their own package.
  const isOurs = (symbol) =>
    symbol.declarations?.some((each) => each.getSourceFile().fileName.startsWith(`${folder}/`));
  const targets = new Map(exported.map((symbol) => [aliased(symbol, checker), symbol.name]));
  const named = [...targets].filter(([target]) => isOurs(target));
  const sections = sorted(named).map(([target, title]) => section(title, target, checker));
  const parts = sorted(partsOf(named, targets, isOurs, checker)).map(([target, title]) =>
    section(title, target, checker),
  );
  if (parts.length > 0) sections.push(unnamedTypes, ...parts.map((text) => text.replace(/^## /, '### ')));
  const others = Object.keys(manifest.exports).filter((path) => path !== '.' && path !== './package.json');
  const more =
    others.length > 0
      ? `\n\nOther entry points: ${others.map((path) => `\`${path.replace('.', manifest.name)}\``).join(', ')}.`
      : '';
  return `# ${manifest.name}\n\n${manifest.description}. See [its README](../../packages/${name}.md).${more}\n\n${sections.join('\n\n')}\n`;
}

const unnamedTypes =
  '## Types without an export\n\nThe types of options and members above that are not exported. Programs use their values, but never need their names.';

/** Returns the types that exported declarations mention but that are not exported themselves. */
function partsOf(named, targets, isOurs, checker) {
  const parts = new Map();
  const open = named.map(([target]) => target);
  for (let symbol = open.pop(); symbol; symbol = open.pop()) {
    for (const declaration of symbol.declarations ?? []) visit(declaration);
  }
  return [...parts];

  function visit(node) {
    if (ts.isTypeReferenceNode(node) || ts.isExpressionWithTypeArguments(node)) {
      const found = checker.getSymbolAtLocation(ts.isTypeReferenceNode(node) ? node.typeName : node.expression);
      const target = found && aliased(found, checker);
      const isType =
        target && target.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias | ts.SymbolFlags.Class);
      if (isType && isOurs(target) && !targets.has(target) && !parts.has(target)) {
        parts.set(target, target.name);
        open.push(target);
      }
    }
    ts.forEachChild(node, visit);
  }
}

function sorted(named) {
  return named.sort(([, a], [, b]) => a.localeCompare(b));
}

function aliased(symbol, checker) {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

function section(name, symbol, checker) {
  const doc = prose(ts.displayPartsToString(symbol.getDocumentationComment(checker)));
  const tags = symbol.getJsDocTags(checker).flatMap(({ name: tag, text }) => {
    const said = ts.displayPartsToString(text).trim();
    if (tag === 'example') return [said.startsWith('```') ? said : `\`\`\`ts\n${said}\n\`\`\``];
    if (tag === 'throws') return [`Throws ${prose(said)}`];
    if (tag === 'defaultValue') return [`Default: ${prose(said)}`];
    if (tag === 'deprecated') return [`Deprecated: ${prose(said)}`];
    return [];
  });
  const code = (symbol.declarations ?? []).map(declaration).filter(Boolean).join('\n');
  return [`## ${name}`, doc, ...new Set(tags), `\`\`\`ts\n${code}\n\`\`\``].filter(Boolean).join('\n\n');
}

function declaration(node) {
  // For `const a: A`, use the statement that contains the declaration.
  const whole = ts.isVariableDeclaration(node) ? node.parent.parent : node;
  const text = whole
    .getText()
    .replace(/^export (declare )?/, '')
    .replace(/^declare /, '');
  // Omits private members.
  return text
    .replace(/^ {4}#private;\n/gm, '')
    .replace(/^ {4}private .*\n/gm, '')
    .replace(/^ {4}/gm, '  ');
}

/** Returns a comment as Markdown; text that looks like a component is escaped. */
function prose(text) {
  return text
    .replace(/\{@link ([\w.]+)\s*(?:\|\s*([^}]*))?\}/g, (_, target, shown) => `\`${shown ?? target}\``)
    .split(/(`+[^`]*`+|^```[\s\S]*?^```)/m)
    .map((part) => (part.startsWith('`') ? part : part.replaceAll('<', '&lt;').replaceAll('{{', '&#123;{')))
    .join('')
    .trim();
}

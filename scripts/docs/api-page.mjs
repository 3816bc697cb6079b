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
  const sections = exported
    .map((symbol) => ({ symbol, target: aliased(symbol, checker) }))
    // Exports of other packages are documented there.
    .filter(({ target }) => target.declarations?.some((each) => each.getSourceFile().fileName.startsWith(`${folder}/`)))
    .sort((a, b) => a.symbol.name.localeCompare(b.symbol.name))
    .map(({ symbol, target }) => section(symbol.name, target, checker));
  const others = Object.keys(manifest.exports).filter((path) => path !== '.' && path !== './package.json');
  const more =
    others.length > 0
      ? `\n\nOther entry points: ${others.map((path) => `\`${path.replace('.', manifest.name)}\``).join(', ')}.`
      : '';
  return `# ${manifest.name}\n\n${manifest.description}. See [its README](../../packages/${name}.md).${more}\n\n${sections.join('\n\n')}\n`;
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
  // `const a: A` is a declaration inside a statement.
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

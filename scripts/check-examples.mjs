// Compiles every `@example`, and reports the public exports that no example shows.
// An example is a fragment. Names of our packages and built-in kinds are imported automatically; other free names, such
// as `pods`, have type any. An export counts as shown if its own comment or a member's has an example, or if another
// example uses the export.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** Types of free names that have the same meaning in all examples. */
const typesOfNames = {
  client: `import('@kubewright/client').KubernetesClient`,
  clock: `import('@kubewright/apimachinery').Clock`,
  ctx: `import('@kubewright/runtime').ReconcileContext<any>`,
  deployment: `import('@kubewright/apimachinery').Stored<import('@kubewright/apimachinery/apps/v1').Deployment>`,
  log: `import('@kubewright/runtime').Logger`,
  manager: `import('@kubewright/runtime').Manager`,
  pod: `import('@kubewright/apimachinery').Stored<import('@kubewright/apimachinery/core/v1').Pod>`,
};

const root = fileURLToPath(new URL('..', import.meta.url));
const kindModules = ['core', 'apps', 'batch', 'rbac', 'policy', 'networking', 'coordination'];
/** The public entries of all packages, as paths in `packages`. Built-in kinds are generated and need no examples. */
const entries = readdirSync(join(root, 'packages'))
  .flatMap((name) => [`${name}/src/index.ts`, `${name}/src/testing/index.ts`])
  .filter((path) => existsSync(join(root, 'packages', path)));
const { options } = ts.parseJsonConfigFileContent(
  ts.readConfigFile(join(root, 'tsconfig.check.json'), ts.sys.readFile).config,
  ts.sys,
  root,
);
const compilerOptions = { ...options, isolatedDeclarations: false, declaration: false, strict: true };
const fileOf = (entry) => join(root, 'packages', entry);

const sources = ts.createProgram(entries.map(fileOf), compilerOptions);
const checker = sources.getTypeChecker();
const exports = entries.flatMap((entry) => exportsOf(entry));
const imports = importsByName();
const examples = exports.flatMap(({ name, where, texts }) => texts.map((text) => ({ name, where, text })));

/** The exports that examples use. */
const used = new Set();
const faults = compileAll(examples);
for (const fault of faults) console.log(fault);

const missing = exports.filter(({ texts, name }) => texts.length === 0 && !used.has(name));
console.log(`${examples.length} examples compiled; ${missing.length} of ${exports.length} exports have none`);
for (const { where, name } of missing) console.log(`  ${where}: ${name}`);
if (missing.length > 0) console.log('  do: add an @example to the comment of each of these exports');
process.exitCode = faults.length > 0 || missing.length > 0 ? 1 : 0;

/** Returns the exports of an entry with the examples in their comments. */
function exportsOf(entry) {
  const where = specifierOf(entry);
  const module = checker.getSymbolAtLocation(sources.getSourceFile(fileOf(entry)));
  return checker.getExportsOfModule(module).map((symbol) => {
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    const members = [...(target.members?.values() ?? []), ...(target.exports?.values() ?? [])];
    const tags = [target, ...members].flatMap((each) => each.getJsDocTags(checker));
    const texts = tags
      .filter(({ name }) => name === 'example')
      .map(({ text }) => codeOf(ts.displayPartsToString(text)));
    return { name: symbol.name, where, texts };
  });
}

/** Returns the module specifier of an entry. */
function specifierOf(entry) {
  const [folder, , ...rest] = entry.split('/');
  const { name } = JSON.parse(readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8'));
  return rest[0] === 'testing' ? `${name}/testing` : name;
}

/** Returns the code of an example, which may be a Markdown block. */
function codeOf(text) {
  const block = /```(?:ts|typescript)?\n([\s\S]*?)```/.exec(text);
  return (block?.[1] ?? text).trim();
}

function importsByName() {
  const found = new Map();
  for (const short of kindModules) {
    const file = join(root, `packages/apimachinery/src/generated/${short}-v1.ts`);
    if (!existsSync(file)) continue;
    for (const [, name] of readFileSync(file, 'utf8').matchAll(/^export (?:const|interface) (\w+)/gm))
      if (!found.has(name)) found.set(name, `@kubewright/apimachinery/${short}/v1`);
  }
  for (const { name, where } of exports) found.set(name, where);
  return found;
}

/** Compiles all examples, each as a separate module; returns a line for each error. */
function compileAll(list) {
  const pathOf = (index) => join(root, 'packages/runtime/src', `example-${index}.ts`);
  const free = errorsOf(list.map(({ text }, index) => [pathOf(index), `${text}\nexport {};\n`]));
  const files = list.map(({ text }, index) => {
    const names = new Set();
    for (const { file, code, message } of free)
      if (file === pathOf(index) && [2304, 2552, 18004, 2503, 2583, 2592].includes(code)) {
        const name = /'(\w+)'/.exec(message)?.[1];
        if (name) names.add(name);
      }
    const head = [...names].map((name) => {
      if (!imports.has(name)) return declarationOf(name);
      used.add(name);
      return `import { ${name} } from '${imports.get(name)}';`;
    });
    return [pathOf(index), `${head.join(' ')}\n${text}\nexport {};\n`];
  });
  return errorsOf(files).map(({ file, line, message }) => {
    const { name, where } = list[files.findIndex(([path]) => path === file)];
    return `${where}: the example of ${name}, line ${line}: ${message}`;
  });
}

/** Returns the declaration of a free name. A capitalized name is a custom kind of the reader. */
function declarationOf(name) {
  if (name in typesOfNames) return `declare const ${name}: ${typesOfNames[name]};`;
  if (!/^[A-Z]/.test(name)) return `declare const ${name}: any;`;
  return `declare const ${name}: import('@kubewright/apimachinery').KindFactory<any>; type ${name} = any;`;
}

function errorsOf(files) {
  const texts = new Map(files);
  const lenient = {
    ...compilerOptions,
    noImplicitAny: false,
    noUnusedLocals: false,
    verbatimModuleSyntax: false,
    erasableSyntaxOnly: false,
  };
  const host = ts.createCompilerHost(lenient);
  const { getSourceFile, fileExists, readFile } = host;
  host.getSourceFile = (path, version, ...rest) =>
    texts.has(path)
      ? ts.createSourceFile(path, texts.get(path), version, true)
      : (sources.getSourceFile(path) ?? getSourceFile.call(host, path, version, ...rest));
  host.fileExists = (path) => texts.has(path) || fileExists.call(host, path);
  host.readFile = (path) => texts.get(path) ?? readFile.call(host, path);
  const program = ts.createProgram([...texts.keys()], lenient, host);
  return [...texts.keys()].flatMap((path) => {
    const file = program.getSourceFile(path);
    return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map((each) => ({
      file: path,
      code: each.code,
      line: file.getLineAndCharacterOfPosition(each.start ?? 0).line,
      message: ts.flattenDiagnosticMessageText(each.messageText, ' '),
    }));
  });
}

// Evaluates the rules of runtime-cost-cases.mjs with the real validator (1.36) and writes their costs and errors to
// runtime-cost-answers.json: null for rules that do not compile or whose cost is not the same in each run.
//
//   node packages/schema/src/cel/testdata/record-runtime-costs.mjs PROGRAM
//
// PROGRAM is record-runtime-costs.go, compiled.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cases } from './runtime-cost-cases.mjs';

const [, , program] = process.argv;
const input = JSON.stringify(cases.map(({ schema, object }) => ({ schema, object })));
const record = () => JSON.parse(execFileSync(program, { input, maxBuffer: 1 << 28, encoding: 'utf8' }));
const normalise = (text) => text.replaceAll(/selfType\d+/g, 'selfType');
const runs = [record(), record(), record(), record()];
const lines = runs[0].map(({ cost, errors = [] }, i) => {
  // Go's maps have no order: a loop that ends early costs more in one run than in another.
  const isSteady = runs.every((run) => run[i].cost === cost);
  const compiled = !errors.some((error) => error.includes('rule compile error'));
  return isSteady && compiled ? JSON.stringify({ cost, errors: errors.map(normalise) }) : 'null';
});
writeFileSync(new URL('./runtime-cost-answers.json', import.meta.url), `[\n${lines.join(',\n')}\n]\n`);

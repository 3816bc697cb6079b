// Generates once, as `kubewright generate` does: codegen.mjs starts it for each run, with the bundle and the project's folder.
import { pathToFileURL } from 'node:url';

const [, , bundle, root] = process.argv;
const { generate } = await import(pathToFileURL(bundle).href);
const { problems } = await generate({ root });
if (problems.length > 0) throw new Error(JSON.stringify(problems.slice(0, 3), undefined, 1));
const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
process.stdout.write(JSON.stringify({ memory: maxRSS, processor: (userCPUTime + systemCPUTime) / 1000 }));

import { Pod } from '@kubewright/apimachinery/core/v1';
import { runOperator } from '@kubewright/runtime';
import { HelloWorld } from './api/v1/hello-world.ts';
import { composite } from './composite.ts';
import { sayGoodbye, sayHello } from './say-hello.ts';
import { webhook } from './sync-hook.ts';

/** URL of a hook in another program. If unset, the functions in this program are called. */
const url = process.env['HOOK_URL'];

const hooks = url ? { sync: webhook(url), finalize: webhook(url) } : { sync: sayHello, finalize: sayGoodbye };

const helloWorld = composite<HelloWorld>({ parent: HelloWorld, children: [Pod], ...hooks });

process.exitCode = await runOperator({ controllers: [helloWorld] });

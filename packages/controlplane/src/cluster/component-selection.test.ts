import { describe, expect, it } from 'vitest';
import { ComponentSelection } from './component-selection.ts';

const controllers = ['job-controller', 'namespace-controller'];
const all = ['apiserver', 'scheduler', 'nodes', ...controllers];

function select(list: string): readonly string[] {
  const selection = new ComponentSelection(list.split(','));
  selection.check(['apiserver', ...controllers]);
  return all.filter((name) => selection.includes(name));
}

describe('ComponentSelection', () => {
  it.each<[list: string, selected: readonly string[]]>([
    ['*', all],
    ['apiserver', ['apiserver']],
    ['scheduler', ['apiserver', 'scheduler']],
    ['controllers', ['apiserver', ...controllers]],
    ['*,-nodes', ['apiserver', 'scheduler', ...controllers]],
    ['-nodes, *', ['apiserver', 'scheduler', ...controllers]],
    ['*,-controllers', ['apiserver', 'scheduler', 'nodes']],
    ['*,-controllers,job-controller', ['apiserver', 'scheduler', 'nodes', 'job-controller']],
    ['controllers,-job-controller', ['apiserver', 'namespace-controller']],
    ['apiserver,namespace-controller,', ['apiserver', 'namespace-controller']],
  ])('selects from %s', (list, selected) => {
    expect(select(list)).toEqual(selected);
  });

  it.each<[list: string, message: string]>([
    ['', 'the list is empty; list the components to run, for example *'],
    ['-nodes', 'the list only excludes components; begin the list with *: *,-nodes'],
    ['*,-apiserver', 'the API server always runs; remove -apiserver'],
    ['nodes,-*', '* cannot be excluded; list only the components to run'],
    ['*,nodes,-nodes', 'the list contains both nodes and -nodes; remove nodes or -nodes'],
    ['*,-job', 'unknown component job; use job-controller, or another of *, controllers, apiserver, scheduler, '],
    ['shceduler', 'unknown component shceduler; use scheduler, or another of *, controllers'],
    ['something-else-entirely', 'unknown component something-else-entirely; choose from *, controllers'],
  ])('rejects %j', (list, message) => {
    expect(() => select(list)).toThrow(`invalid list of components ${JSON.stringify(list)}: ${message}`);
  });
});

import { type ControllerDefinition, controller, type DesiredState, generationChanged } from '@kubewright/runtime';
import { ChartError, renderChart } from './render-chart.ts';
import type { ChartWatch, Release } from './watches.ts';

/**
 * Returns a controller that runs a chart for each object of a kind: it renders the chart, applies the objects and
 * deletes objects that the chart no longer contains.
 */
export function chartController(watch: ChartWatch): ControllerDefinition {
  /**
   * The RBAC generator does not read the kinds in watches.yaml, so their permissions are listed here.
   *
   * @rbac groups=charts.example.com resources=websites verbs=get;list;watch
   * @rbac groups=charts.example.com resources=websites/status verbs=patch
   * @rbac groups=charts.example.com resources=websites/finalizers verbs=update
   * @rbac groups=apps resources=deployments verbs=get;list;watch;create;patch;delete
   * @rbac groups="" resources=services;configmaps verbs=get;list;watch;create;patch;delete
   */
  return controller<Release>({
    for: watch.for,
    owns: watch.owns,
    // Status changes do not render the chart again.
    predicates: [generationChanged()],
    async reconcile({ metadata, spec, status }, { signal }): Promise<DesiredState<Release>> {
      const { name, namespace, generation } = metadata;
      const { deployedRelease = { name, installedGeneration: generation } } = status ?? {};
      const change = deployedRelease.installedGeneration === generation ? 'Install' : 'Upgrade';
      try {
        const children = await renderChart(watch, { name, namespace, values: spec }, { signal });
        const deployed = { type: 'Deployed', status: 'True', reason: `${change}Successful`, message: '' } as const;
        return { children, status: { deployedRelease }, conditions: [deployed] };
      } catch (error) {
        if (!(error instanceof ChartError)) throw error;
        // The result has no `children`, so the children of the last release stay.
        const failure = { reason: `${change}Error`, message: error.message };
        const deployed = status?.conditions?.find(({ type }) => type === 'Deployed');
        return {
          status: status?.deployedRelease ? { deployedRelease } : {},
          conditions: [
            ...(deployed ? [deployed] : []),
            { type: 'ReleaseFailed', status: 'True', ...failure },
            { type: 'Ready', status: 'False', ...failure },
          ],
          requeueAfterMs: 30_000,
        };
      }
    },
  });
}

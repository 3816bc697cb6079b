import { generatedNote, type ProjectFile } from '../project/write-files.ts';
import { controllerBoard, kubewrightBoard, resourcesBoard } from './grafana-boards.ts';
import { type Board, dashboard } from './grafana-dashboard.ts';

/** Dashboards, with the names of kubebuilder's plugin and one for what only Kubewright measures. */
export function grafanaFiles(): readonly ProjectFile[] {
  return [
    file('controller-runtime-metrics', controllerBoard),
    file('controller-resources-metrics', resourcesBoard),
    file('kubewright-metrics', kubewrightBoard),
  ];
}

function file(name: string, board: Board): ProjectFile {
  // JSON has no comments: the first field says what the first line of a manifest says.
  const content = { description: generatedNote, ...dashboard(board) };
  return { path: `grafana/${name}.json`, text: `${JSON.stringify(content, null, 2)}\n` };
}

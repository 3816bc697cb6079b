import { generatedNote, type ProjectFile } from '../project/write-files.ts';
import { controllerBoard, kubewrightBoard, resourcesBoard } from './grafana-boards.ts';
import { type Board, dashboard } from './grafana-dashboard.ts';

/** Returns the dashboards: those of kubebuilder's plugin, with its names, and one for Kubewright's own metrics. */
export function grafanaFiles(): readonly ProjectFile[] {
  return [
    file('controller-runtime-metrics', controllerBoard),
    file('controller-resources-metrics', resourcesBoard),
    file('kubewright-metrics', kubewrightBoard),
  ];
}

function file(name: string, board: Board): ProjectFile {
  // JSON has no comments: the description contains the note from the first line of a manifest.
  const content = { description: generatedNote, ...dashboard(board) };
  return { path: `grafana/${name}.json`, text: `${JSON.stringify(content, null, 2)}\n` };
}

/** One line or group of lines in a panel. */
export interface Query {
  /** PromQL; what it selects is narrowed to the job, namespace and pods that are chosen above the dashboard. */
  readonly expr: string;
  readonly legend: string;
}

/** One diagram. */
export interface Panel {
  readonly title: string;
  readonly description?: string;
  /** Grafana's name of a unit: `s`, `ops`, `bytes`, `percent`, `short`. */
  readonly unit: string;
  /** @defaultValue timeseries */
  readonly type?: 'timeseries' | 'stat';
  readonly queries: readonly Query[];
}

/** A dashboard in few words: rows of panels, which share a row's width. */
export interface Board {
  readonly title: string;
  readonly uid: string;
  readonly rows: readonly { readonly title: string; readonly panels: readonly Panel[] }[];
}

/** Width of Grafana's grid. */
const gridWidth = 24;
const panelHeight = 8;
const mostInLine = 4;

/** Stands for the Prometheus that is chosen above the dashboard, whether it was imported by hand or put there by a sidecar. */
const datasource = { type: 'prometheus', uid: '$DS_PROMETHEUS' };

/** The labels by which everything is narrowed. */
const chosen = 'job="$job", namespace="$namespace", pod=~"$pod"';

/** Writes PromQL that selects a metric of what is chosen. */
export function select(metric: string, more = ''): string {
  return `${metric}{${chosen}${more === '' ? '' : `, ${more}`}}`;
}

/** A dashboard in Grafana's form (schema 39), the same for the same board. */
export function dashboard({ title, uid, rows }: Board): object {
  let y = 0;
  let id = 0;
  const panels = rows.flatMap((row) => {
    const head = { type: 'row', title: row.title, id: ++id, gridPos: { h: 1, w: gridWidth, x: 0, y }, panels: [] };
    const { length } = row.panels;
    const lines = Math.ceil(length / mostInLine);
    const inLine = Math.ceil(length / lines);
    const w = Math.floor(gridWidth / inLine);
    const below = row.panels.map((panel, index) => ({
      ...grafanaPanel(panel),
      id: ++id,
      gridPos: { h: panelHeight, w, x: w * (index % inLine), y: y + 1 + panelHeight * Math.floor(index / inLine) },
    }));
    y += 1 + panelHeight * lines;
    return [head, ...below];
  });
  return {
    title,
    uid,
    tags: ['operator', 'kubewright'],
    schemaVersion: 39,
    editable: true,
    time: { from: 'now-15m', to: 'now' },
    templating: { list: variables() },
    panels,
  };
}

function grafanaPanel({ title, description, unit, type = 'timeseries', queries }: Panel): object {
  return {
    type,
    title,
    ...(description !== undefined && { description }),
    datasource,
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    targets: queries.map(({ expr, legend }, index) => ({
      refId: String.fromCharCode('A'.charCodeAt(0) + index),
      datasource,
      editorMode: 'code',
      range: true,
      expr,
      legendFormat: legend,
    })),
  };
}

function variables(): readonly object[] {
  const found = 'controller_runtime_reconcile_total';
  return [
    { name: 'DS_PROMETHEUS', label: 'Prometheus', type: 'datasource', query: 'prometheus', hide: 0 },
    variable('job', `label_values(${found}, job)`),
    variable('namespace', `label_values(${found}{job="$job"}, namespace)`),
    {
      ...variable('pod', `label_values(${found}{job="$job", namespace="$namespace"}, pod)`),
      multi: true,
      includeAll: true,
      current: { selected: true, text: ['All'], value: ['$__all'] },
    },
  ];
}

function variable(name: string, query: string): object {
  // 2: asked again when the time range changes.
  return { name, type: 'query', datasource, query: { query, refId: name }, definition: query, refresh: 2, sort: 1 };
}

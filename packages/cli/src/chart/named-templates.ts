/**
 * Returns the named templates that the chart's templates share. A release named like the chart produces the same names as
 * `config/default`; any other release prefixes its own name.
 */
export function namedTemplates(chart: string): string {
  // The longest suffix has 35 characters and a service name at most 63; `init` limits project names accordingly.
  const short = `| trunc ${Math.max(28, chart.length)} | trimSuffix "-"`;
  return `{{/* The prefix of all object names. */}}
{{- define "${chart}.prefix" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride ${short} -}}
{{- else if contains (.Values.nameOverride | default .Chart.Name) .Release.Name -}}
{{- .Release.Name ${short} -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (.Values.nameOverride | default .Chart.Name) ${short} -}}
{{- end -}}
{{- end -}}

{{/* The service account of the operator. */}}
{{- define "${chart}.serviceAccountName" -}}
{{- if .Values.serviceAccount.name -}}
{{- .Values.serviceAccount.name -}}
{{- else if .Values.serviceAccount.enabled -}}
{{- include "${chart}.prefix" . }}-controller-manager
{{- else -}}
default
{{- end -}}
{{- end -}}
`;
}

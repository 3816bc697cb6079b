export { formatYaml } from './format-yaml.ts';
export { parseJson } from './parse-json.ts';
export { parseYaml } from './parse-yaml.ts';
export { type BodyLimits, BodyReadError, type ParsedBody, previewBody } from './parsed-body.ts';
export { encodeJson, stringifyJson } from './stringify-json.ts';

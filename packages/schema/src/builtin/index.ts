export { builtinDefinitionName, builtinSchema } from './builtin-schema.ts';
export { BuiltinDescriptions } from './descriptions.ts';
export {
  builtinDefinitions,
  builtinOpenApiSchema,
  builtinReferences,
  type OpenApiOptions,
  type OpenApiSchema,
} from './open-api.ts';
export {
  type BuiltinColumn,
  type BuiltinGroupVersion,
  type BuiltinResource,
  type BuiltinSubresource,
  builtinGroupVersions,
  builtinResources,
  findBuiltinKind,
  findBuiltinResource,
} from './resources.ts';

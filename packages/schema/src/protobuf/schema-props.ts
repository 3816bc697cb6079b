/** The message of a schema, which the forms "schema or boolean" and "schema or list" contain. */
export const schemaProps = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps';

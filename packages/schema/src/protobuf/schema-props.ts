/** Name of the message inside `JSONSchemaPropsOrBool` and similar types. */
export const schemaProps = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps';

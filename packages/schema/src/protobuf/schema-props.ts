/** Name of the message that `JSONSchemaPropsOrBool` and the similar types contain. */
export const schemaProps = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps';

// Created with openssl 3: `openssl req -new`.

/** A request for a client certificate: O=system:nodes, CN=system:node:worker-1. */
export const kubeletClientRequest = `-----BEGIN CERTIFICATE REQUEST-----
MIHxMIGYAgEAMDYxFTATBgNVBAoMDHN5c3RlbTpub2RlczEdMBsGA1UEAwwUc3lz
dGVtOm5vZGU6d29ya2VyLTEwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARc2mpq
p19zntleXNif0lRpGO6JJLTMaQWnsNqw6ZE8d65rF8yBPTyar4M5mT6/1WgNiN39
EIB+GlRvHdw18hjGoAAwCgYIKoZIzj0EAwIDSAAwRQIhAPibk9t6XkCYzdmCpfxM
FQflS+wKoZNXHXXcEw4TeNKdAiAhtyNAZneoH5eAy8Ps76zBzx/ABFmIF7+dXsxQ
K8WrtA==
-----END CERTIFICATE REQUEST-----
`;

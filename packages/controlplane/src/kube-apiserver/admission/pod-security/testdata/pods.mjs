const container = (securityContext, more = {}) => ({ name: 'a', image: 'i', ...(securityContext && { securityContext }), ...more });
const good = {
  allowPrivilegeEscalation: false,
  runAsNonRoot: true,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
};
const pod = (spec, securityContext) => ({ containers: [container(securityContext)], ...spec });
const base = (spec, more = {}) => ({ level: 'baseline', spec, ...more });
const strict = (spec, more = {}) => ({ level: 'restricted', spec, ...more });
const sysctls = (...names) => pod({ securityContext: { sysctls: names.map((name) => ({ name, value: '1' })) } });
const options = (seLinuxOptions) => pod({ securityContext: { seLinuxOptions } }, { seLinuxOptions });
const probe = (host) => ({ tcpSocket: { port: 1, host } });
const windows = (hostProcess) => ({
  os: { name: 'windows' },
  hostNetwork: true,
  securityContext: { windowsOptions: { hostProcess, runAsUserName: 'u' } },
  containers: [container()],
});

/** Pods, each with the security level of its namespace. */
export const securityPods = [
  { level: 'privileged', spec: pod({ hostPID: true }, { privileged: true }) },
  base(pod({})),
  base(pod({ hostNetwork: true, hostPID: true, hostIPC: true })),
  base(pod({}, { privileged: true })),
  base({ containers: [container({ privileged: true }), { ...container({ privileged: true }), name: 'b' }], initContainers: [{ ...container({ privileged: true }), name: 'i' }] }),
  base(pod({}, { capabilities: { add: ['SYS_ADMIN', 'CHOWN', 'NET_RAW'] } })),
  base(pod({ volumes: [{ name: 'h', hostPath: { path: '/' } }, { name: 'g', hostPath: { path: '/x' } }] })),
  base({ containers: [container(undefined, { ports: [{ containerPort: 80, hostPort: 80 }, { containerPort: 9, hostPort: 9 }] })] }),
  base({ containers: [container(undefined, { livenessProbe: probe('1.2.3.4'), lifecycle: { preStop: { httpGet: { port: 1, host: 'h' } } } })] }),
  base({ containers: [container(undefined, { livenessProbe: probe('1.2.3.4') })] }, { version: 'v1.33' }),
  base(pod({ hostUsers: false }, { procMount: 'Unmasked' })),
  strict(pod({ hostUsers: false }, { ...good, procMount: 'Unmasked' })),
  base(options({ type: 'spc_t', user: 'u' })),
  base(options({ type: 'container_engine_t', role: 'r' })),
  base(options({ type: 'container_engine_t' }), { version: 'v1.30' }),
  base(options({ type: 'container_t' })),
  base(pod({ securityContext: { seccompProfile: { type: 'Unconfined' } } }, { seccompProfile: { type: 'Unconfined' } })),
  base(pod({}), { version: 'v1.18', metadata: { annotations: { 'container.seccomp.security.alpha.kubernetes.io/a': 'unconfined' } } }),
  base(pod({}, { appArmorProfile: { type: 'Unconfined' } })),
  base(pod({ securityContext: { appArmorProfile: { type: 'Unconfined' } } })),
  base(sysctls('kernel.shm_rmid_forced', 'net.ipv4.tcp_rmem')),
  base(sysctls('kernel.shm_rmid_forced', 'net.ipv4.tcp_rmem', 'net.ipv4.tcp_fin_timeout'), { version: 'v1.28' }),
  base(sysctls('kernel.msgmax', 'vm.swappiness')),
  base(windows(true)),
  strict(pod({})),
  strict(pod({}, good)),
  strict(pod({ os: { name: 'windows' } }, { runAsNonRoot: true })),
  strict(pod({ os: { name: 'windows' } }, { runAsNonRoot: true }), { version: 'v1.24' }),
  strict(pod({}), { version: 'v1.7' }),
  strict(pod({}), { version: 'v1.20' }),
  strict(pod({}, { ...good, capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE', 'CHOWN'] } })),
  strict(pod({ volumes: [{ name: 'n', nfs: { server: 's', path: '/' } }, { name: 'h', hostPath: { path: '/' } }, { name: 'e', emptyDir: {} }] }, good)),
  strict(pod({}, { ...good, runAsNonRoot: false })),
  strict(pod({ securityContext: { runAsNonRoot: true, runAsUser: 0, seccompProfile: { type: 'Localhost', localhostProfile: 'x' } } }, { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } })),
  strict(pod({}, { ...good, runAsUser: 0 })),
  strict(pod({ hostUsers: false }, { ...good, runAsNonRoot: false, runAsUser: 0 })),
  strict(pod({}, { ...good, runAsUser: 0 }), { version: 'v1.22' }),
  strict(pod({}, { ...good, seccompProfile: { type: 'Unconfined' } })),
];

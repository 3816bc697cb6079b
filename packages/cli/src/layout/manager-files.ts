import { generatedFile, type ProjectFile } from '../project/write-files.ts';

/**
 * The manager's termination grace period: its shutdown budget of 30 s, plus time to log and to release its lease. A
 * manager that is killed earlier does not release its lease, and there is no leader until the lease expires.
 */
const gracePeriodSeconds = 40;

/** Returns the operator's namespace, deployment and metrics service: restricted pod security, probes, leader election. */
export function managerFiles(project: string): readonly ProjectFile[] {
  return [
    generatedFile('config/manager/kustomization.yaml', 'resources:\n- manager.yaml\n'),
    generatedFile('config/manager/manager.yaml', `${namespace(project)}---\n${deployment(project)}`),
    generatedFile('config/default/metrics_service.yaml', metricsService(project)),
  ];
}

const labels = (project: string, indent: string): string =>
  ['control-plane: controller-manager', `app.kubernetes.io/name: ${project}`, 'app.kubernetes.io/managed-by: kustomize']
    .map((line) => `${indent}${line}\n`)
    .join('');

function namespace(project: string): string {
  return `apiVersion: v1
kind: Namespace
metadata:
  labels:
${labels(project, '    ')}    pod-security.kubernetes.io/enforce: restricted
  name: system
`;
}

function deployment(project: string): string {
  return `apiVersion: apps/v1
kind: Deployment
metadata:
  name: controller-manager
  namespace: system
  labels:
${labels(project, '    ')}spec:
  selector:
    matchLabels:
      control-plane: controller-manager
      app.kubernetes.io/name: ${project}
  replicas: 1
  template:
    metadata:
      annotations:
        kubectl.kubernetes.io/default-container: manager
      labels:
        control-plane: controller-manager
        app.kubernetes.io/name: ${project}
    spec:
      securityContext:
        runAsNonRoot: true
        seccompProfile:
          type: RuntimeDefault
      containers:
      - args:
        - --metrics-bind-address=:8443
        - --leader-elect
        - --health-probe-bind-address=:8081
        env:
        # The heap is limited to 70 % of the memory limit: change both together.
        - name: NODE_OPTIONS
          value: --enable-source-maps --max-old-space-size=180
        image: controller:latest
        name: manager
        ports: []
        securityContext:
          readOnlyRootFilesystem: true
          allowPrivilegeEscalation: false
          capabilities:
            drop:
            - "ALL"
        livenessProbe:
          httpGet:
            path: /healthz
            port: 8081
          initialDelaySeconds: 15
          periodSeconds: 20
        readinessProbe:
          httpGet:
            path: /readyz
            port: 8081
          initialDelaySeconds: 5
          periodSeconds: 10
        resources:
          limits:
            cpu: 500m
            memory: 256Mi
          requests:
            cpu: 10m
            memory: 64Mi
        volumeMounts: []
      serviceAccountName: controller-manager
      terminationGracePeriodSeconds: ${gracePeriodSeconds}
      volumes: []
`;
}

function metricsService(project: string): string {
  return `apiVersion: v1
kind: Service
metadata:
  labels:
${labels(project, '    ')}  name: controller-manager-metrics-service
  namespace: system
spec:
  ports:
  - name: https
    port: 8443
    protocol: TCP
    targetPort: 8443
  selector:
    control-plane: controller-manager
    app.kubernetes.io/name: ${project}
`;
}

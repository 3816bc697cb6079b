// Made by wire/generate.mjs from the Go types of Kubernetes 0.36.3; do not edit.
export interface APIService {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: APIServiceSpec;
  status: APIServiceStatus;
}

export interface APIServiceCondition {
  type: string;
  status: string;
  lastTransitionTime?: string | null | undefined;
  reason?: string | undefined;
  message?: string | undefined;
}

export interface APIServiceSpec {
  service?: ServiceReference | undefined;
  group?: string | undefined;
  version?: string | undefined;
  insecureSkipTLSVerify?: boolean | undefined;
  caBundle?: string | undefined;
  groupPriorityMinimum: number;
  versionPriority: number;
}

export interface APIServiceStatus {
  conditions?: APIServiceCondition[] | undefined;
}

export interface AWSElasticBlockStoreVolumeSource {
  volumeID: string;
  fsType?: string | undefined;
  partition?: number | undefined;
  readOnly?: boolean | undefined;
}

export interface Admissionregistrationv1ServiceReference {
  namespace: string;
  name: string;
  path?: string | undefined;
  port?: number | undefined;
}

export interface Affinity {
  nodeAffinity?: NodeAffinity | undefined;
  podAffinity?: PodAffinity | undefined;
  podAntiAffinity?: PodAntiAffinity | undefined;
}

export interface AggregationRule {
  clusterRoleSelectors?: LabelSelector[] | undefined;
}

export interface AllocatedDeviceStatus {
  driver: string;
  pool: string;
  device: string;
  shareID?: string | undefined;
  conditions: Condition[] | null;
  data?: unknown | undefined;
  networkData?: NetworkDeviceData | undefined;
}

export interface AllocationResult {
  devices: DeviceAllocationResult;
  nodeSelector?: NodeSelector | undefined;
  allocationTimestamp?: string | undefined;
}

export interface AppArmorProfile {
  type: string;
  localhostProfile?: string | undefined;
}

export interface ApplyConfiguration {
  expression?: string | undefined;
}

export interface AttachedVolume {
  name: string;
  devicePath: string;
}

export interface AuditAnnotation {
  key: string;
  valueExpression: string;
}

export interface Authenticationv1TokenRequest {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: TokenRequestSpec;
  status: TokenRequestStatus;
}

export interface Autoscalingv1CrossVersionObjectReference {
  kind: string;
  name: string;
  apiVersion?: string | undefined;
}

export interface Autoscalingv1HorizontalPodAutoscaler {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: Autoscalingv1HorizontalPodAutoscalerSpec;
  status: Autoscalingv1HorizontalPodAutoscalerStatus;
}

export interface Autoscalingv1HorizontalPodAutoscalerSpec {
  scaleTargetRef: Autoscalingv1CrossVersionObjectReference;
  minReplicas?: number | undefined;
  maxReplicas: number;
  targetCPUUtilizationPercentage?: number | undefined;
}

export interface Autoscalingv1HorizontalPodAutoscalerStatus {
  observedGeneration?: number | undefined;
  lastScaleTime?: string | undefined;
  currentReplicas: number;
  desiredReplicas: number;
  currentCPUUtilizationPercentage?: number | undefined;
}

export interface AzureDiskVolumeSource {
  diskName: string;
  diskURI: string;
  cachingMode?: string | undefined;
  fsType?: string | undefined;
  readOnly?: boolean | undefined;
  kind?: string | undefined;
}

export interface AzureFilePersistentVolumeSource {
  secretName: string;
  shareName: string;
  readOnly?: boolean | undefined;
  secretNamespace?: string | null | undefined;
}

export interface AzureFileVolumeSource {
  secretName: string;
  shareName: string;
  readOnly?: boolean | undefined;
}

export interface Binding {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  target: ObjectReference;
}

export interface BoundObjectReference {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  name?: string | undefined;
  uid?: string | undefined;
}

export interface CELDeviceSelector {
  expression: string;
}

export interface CSIDriver {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: CSIDriverSpec;
}

export interface CSIDriverSpec {
  attachRequired?: boolean | undefined;
  podInfoOnMount?: boolean | undefined;
  volumeLifecycleModes?: string[] | undefined;
  storageCapacity?: boolean | undefined;
  fsGroupPolicy?: string | undefined;
  tokenRequests?: TokenRequest[] | undefined;
  requiresRepublish?: boolean | undefined;
  seLinuxMount?: boolean | undefined;
  nodeAllocatableUpdatePeriodSeconds?: number | undefined;
  serviceAccountTokenInSecrets?: boolean | undefined;
  preventPodSchedulingIfMissing?: boolean | undefined;
}

export interface CSINode {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: CSINodeSpec;
}

export interface CSINodeDriver {
  name: string;
  nodeID: string;
  topologyKeys: string[] | null;
  allocatable?: VolumeNodeResources | undefined;
}

export interface CSINodeSpec {
  drivers: CSINodeDriver[] | null;
}

export interface CSIPersistentVolumeSource {
  driver: string;
  volumeHandle: string;
  readOnly?: boolean | undefined;
  fsType?: string | undefined;
  volumeAttributes?: Record<string, string> | undefined;
  controllerPublishSecretRef?: SecretReference | undefined;
  nodeStageSecretRef?: SecretReference | undefined;
  nodePublishSecretRef?: SecretReference | undefined;
  controllerExpandSecretRef?: SecretReference | undefined;
  nodeExpandSecretRef?: SecretReference | undefined;
}

export interface CSIStorageCapacity {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  nodeTopology?: LabelSelector | undefined;
  storageClassName: string;
  capacity?: string | undefined;
  maximumVolumeSize?: string | undefined;
}

export interface CSIVolumeSource {
  driver: string;
  readOnly?: boolean | undefined;
  fsType?: string | undefined;
  volumeAttributes?: Record<string, string> | undefined;
  nodePublishSecretRef?: LocalObjectReference | undefined;
}

export interface Capabilities {
  add?: string[] | undefined;
  drop?: string[] | undefined;
}

export interface CapacityRequestPolicy {
  default?: string | null | undefined;
  validValues?: string[] | undefined;
  validRange?: CapacityRequestPolicyRange | undefined;
}

export interface CapacityRequestPolicyRange {
  min?: string | undefined;
  max?: string | undefined;
  step?: string | undefined;
}

export interface CapacityRequirements {
  requests?: Record<string, string> | undefined;
}

export interface CephFSPersistentVolumeSource {
  monitors: string[] | null;
  path?: string | undefined;
  user?: string | undefined;
  secretFile?: string | undefined;
  secretRef?: SecretReference | undefined;
  readOnly?: boolean | undefined;
}

export interface CephFSVolumeSource {
  monitors: string[] | null;
  path?: string | undefined;
  user?: string | undefined;
  secretFile?: string | undefined;
  secretRef?: LocalObjectReference | undefined;
  readOnly?: boolean | undefined;
}

export interface CertificateSigningRequest {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: CertificateSigningRequestSpec;
  status: CertificateSigningRequestStatus;
}

export interface CertificateSigningRequestCondition {
  type: string;
  status: string;
  reason?: string | undefined;
  message?: string | undefined;
  lastUpdateTime?: string | null | undefined;
  lastTransitionTime?: string | null | undefined;
}

export interface CertificateSigningRequestSpec {
  request?: string | undefined;
  signerName: string;
  expirationSeconds?: number | undefined;
  usages?: string[] | undefined;
  username?: string | undefined;
  uid?: string | undefined;
  groups?: string[] | undefined;
  extra?: Record<string, string[]> | undefined;
}

export interface CertificateSigningRequestStatus {
  conditions?: CertificateSigningRequestCondition[] | undefined;
  certificate?: string | undefined;
}

export interface CinderPersistentVolumeSource {
  volumeID: string;
  fsType?: string | undefined;
  readOnly?: boolean | undefined;
  secretRef?: SecretReference | undefined;
}

export interface CinderVolumeSource {
  volumeID: string;
  fsType?: string | undefined;
  readOnly?: boolean | undefined;
  secretRef?: LocalObjectReference | undefined;
}

export interface ClientIPConfig {
  timeoutSeconds?: number | undefined;
}

export interface ClusterRole {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  rules: PolicyRule[] | null;
  aggregationRule?: AggregationRule | undefined;
}

export interface ClusterRoleBinding {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  subjects?: Subject[] | undefined;
  roleRef: RoleRef;
}

export interface ClusterTrustBundleProjection {
  name?: string | undefined;
  signerName?: string | undefined;
  labelSelector?: LabelSelector | undefined;
  optional?: boolean | undefined;
  path: string;
}

export interface ComponentCondition {
  type: string;
  status: string;
  message?: string | undefined;
  error?: string | undefined;
}

export interface ComponentStatus {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  conditions?: ComponentCondition[] | undefined;
}

export interface Condition {
  type: string;
  status: string;
  observedGeneration?: number | undefined;
  lastTransitionTime?: string | null | undefined;
  reason: string;
  message: string;
}

export interface ConfigMap {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  immutable?: boolean | undefined;
  data?: Record<string, string> | undefined;
  binaryData?: Record<string, string> | undefined;
}

export interface ConfigMapEnvSource {
  name?: string | undefined;
  optional?: boolean | undefined;
}

export interface ConfigMapKeySelector {
  name?: string | undefined;
  key: string;
  optional?: boolean | undefined;
}

export interface ConfigMapNodeConfigSource {
  namespace: string;
  name: string;
  uid?: string | undefined;
  resourceVersion?: string | undefined;
  kubeletConfigKey: string;
}

export interface ConfigMapProjection {
  name?: string | undefined;
  items?: KeyToPath[] | undefined;
  optional?: boolean | undefined;
}

export interface ConfigMapVolumeSource {
  name?: string | undefined;
  items?: KeyToPath[] | undefined;
  defaultMode?: number | undefined;
  optional?: boolean | undefined;
}

export interface Container {
  name: string;
  image?: string | undefined;
  command?: string[] | undefined;
  args?: string[] | undefined;
  workingDir?: string | undefined;
  ports?: ContainerPort[] | undefined;
  envFrom?: EnvFromSource[] | undefined;
  env?: EnvVar[] | undefined;
  resources: ResourceRequirements;
  resizePolicy?: ContainerResizePolicy[] | undefined;
  restartPolicy?: string | undefined;
  restartPolicyRules?: ContainerRestartRule[] | undefined;
  volumeMounts?: VolumeMount[] | undefined;
  volumeDevices?: VolumeDevice[] | undefined;
  livenessProbe?: Probe | undefined;
  readinessProbe?: Probe | undefined;
  startupProbe?: Probe | undefined;
  lifecycle?: Lifecycle | undefined;
  terminationMessagePath?: string | undefined;
  terminationMessagePolicy?: string | undefined;
  imagePullPolicy?: string | undefined;
  securityContext?: SecurityContext | undefined;
  stdin?: boolean | undefined;
  stdinOnce?: boolean | undefined;
  tty?: boolean | undefined;
}

export interface ContainerExtendedResourceRequest {
  containerName: string;
  resourceName: string;
  requestName: string;
}

export interface ContainerImage {
  names: string[] | null;
  sizeBytes?: number | undefined;
}

export interface ContainerPort {
  name?: string | undefined;
  hostPort?: number | undefined;
  containerPort: number;
  protocol?: string | undefined;
  hostIP?: string | undefined;
}

export interface ContainerResizePolicy {
  resourceName: string;
  restartPolicy: string;
}

export interface ContainerResourceMetricSource {
  name: string;
  target: MetricTarget;
  container: string;
}

export interface ContainerResourceMetricStatus {
  name: string;
  current: MetricValueStatus;
  container: string;
}

export interface ContainerRestartRule {
  action?: string | undefined;
  exitCodes?: ContainerRestartRuleOnExitCodes | undefined;
}

export interface ContainerRestartRuleOnExitCodes {
  operator?: string | undefined;
  values?: number[] | undefined;
}

export interface ContainerState {
  waiting?: ContainerStateWaiting | undefined;
  running?: ContainerStateRunning | undefined;
  terminated?: ContainerStateTerminated | undefined;
}

export interface ContainerStateRunning {
  startedAt?: string | null | undefined;
}

export interface ContainerStateTerminated {
  exitCode: number;
  signal?: number | undefined;
  reason?: string | undefined;
  message?: string | undefined;
  startedAt?: string | null | undefined;
  finishedAt?: string | null | undefined;
  containerID?: string | undefined;
}

export interface ContainerStateWaiting {
  reason?: string | undefined;
  message?: string | undefined;
}

export interface ContainerStatus {
  name: string;
  state: ContainerState;
  lastState: ContainerState;
  ready: boolean;
  restartCount: number;
  image: string;
  imageID: string;
  containerID?: string | undefined;
  started?: boolean | undefined;
  allocatedResources?: Record<string, string> | undefined;
  resources?: ResourceRequirements | undefined;
  volumeMounts?: VolumeMountStatus[] | undefined;
  user?: ContainerUser | undefined;
  allocatedResourcesStatus?: ResourceStatus[] | undefined;
  stopSignal?: string | undefined;
}

export interface ContainerUser {
  linux?: LinuxContainerUser | undefined;
}

export interface ControllerRevision {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  data?: unknown | undefined;
  revision: number;
}

export interface Counter {
  value: string;
}

export interface CounterSet {
  name: string;
  counters?: Record<string, Counter> | undefined;
}

export interface CronJob {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: CronJobSpec;
  status: CronJobStatus;
}

export interface CronJobSpec {
  schedule: string;
  timeZone?: string | undefined;
  startingDeadlineSeconds?: number | undefined;
  concurrencyPolicy?: string | undefined;
  suspend?: boolean | undefined;
  jobTemplate: JobTemplateSpec;
  successfulJobsHistoryLimit?: number | undefined;
  failedJobsHistoryLimit?: number | undefined;
}

export interface CronJobStatus {
  active?: ObjectReference[] | undefined;
  lastScheduleTime?: string | undefined;
  lastSuccessfulTime?: string | undefined;
}

export interface CrossVersionObjectReference {
  kind: string;
  name: string;
  apiVersion?: string | undefined;
}

export interface DaemonEndpoint {
  Port: number;
}

export interface DaemonSet {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: DaemonSetSpec;
  status: DaemonSetStatus;
}

export interface DaemonSetCondition {
  type: string;
  status: string;
  lastTransitionTime?: string | null | undefined;
  reason?: string | undefined;
  message?: string | undefined;
}

export interface DaemonSetSpec {
  selector?: LabelSelector | null | undefined;
  template: PodTemplateSpec;
  updateStrategy: DaemonSetUpdateStrategy;
  minReadySeconds?: number | undefined;
  revisionHistoryLimit?: number | undefined;
}

export interface DaemonSetStatus {
  currentNumberScheduled: number;
  numberMisscheduled: number;
  desiredNumberScheduled: number;
  numberReady: number;
  observedGeneration?: number | undefined;
  updatedNumberScheduled?: number | undefined;
  numberAvailable?: number | undefined;
  numberUnavailable?: number | undefined;
  collisionCount?: number | undefined;
  conditions?: DaemonSetCondition[] | undefined;
}

export interface DaemonSetUpdateStrategy {
  type?: string | undefined;
  rollingUpdate?: RollingUpdateDaemonSet | undefined;
}

export interface DeleteOptions {
  apiVersion: string;
  kind: string;
  gracePeriodSeconds?: number | undefined;
  preconditions?: Preconditions | undefined;
  orphanDependents?: boolean | undefined;
  propagationPolicy?: string | undefined;
  dryRun?: string[] | undefined;
  ignoreStoreReadErrorWithClusterBreakingPotential?: boolean | undefined;
}

export interface Deployment {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: DeploymentSpec;
  status: DeploymentStatus;
}

export interface DeploymentCondition {
  type: string;
  status: string;
  lastUpdateTime?: string | null | undefined;
  lastTransitionTime?: string | null | undefined;
  reason?: string | undefined;
  message?: string | undefined;
}

export interface DeploymentSpec {
  replicas?: number | undefined;
  selector?: LabelSelector | null | undefined;
  template: PodTemplateSpec;
  strategy: DeploymentStrategy;
  minReadySeconds?: number | undefined;
  revisionHistoryLimit?: number | undefined;
  paused?: boolean | undefined;
  progressDeadlineSeconds?: number | undefined;
}

export interface DeploymentStatus {
  observedGeneration?: number | undefined;
  replicas?: number | undefined;
  updatedReplicas?: number | undefined;
  readyReplicas?: number | undefined;
  availableReplicas?: number | undefined;
  unavailableReplicas?: number | undefined;
  terminatingReplicas?: number | undefined;
  conditions?: DeploymentCondition[] | undefined;
  collisionCount?: number | undefined;
}

export interface DeploymentStrategy {
  type?: string | undefined;
  rollingUpdate?: RollingUpdateDeployment | undefined;
}

export interface Device {
  name: string;
  attributes?: Record<string, DeviceAttribute> | undefined;
  capacity?: Record<string, DeviceCapacity> | undefined;
  consumesCounters?: DeviceCounterConsumption[] | undefined;
  nodeName?: string | undefined;
  nodeSelector?: NodeSelector | undefined;
  allNodes?: boolean | undefined;
  taints?: DeviceTaint[] | undefined;
  bindsToNode?: boolean | undefined;
  bindingConditions?: string[] | undefined;
  bindingFailureConditions?: string[] | undefined;
  allowMultipleAllocations?: boolean | undefined;
  nodeAllocatableResourceMappings?: Record<string, NodeAllocatableResourceMapping> | undefined;
}

export interface DeviceAllocationConfiguration {
  source: string;
  requests?: string[] | undefined;
  opaque?: OpaqueDeviceConfiguration | undefined;
}

export interface DeviceAllocationResult {
  results?: DeviceRequestAllocationResult[] | undefined;
  config?: DeviceAllocationConfiguration[] | undefined;
}

export interface DeviceAttribute {
  int?: number | undefined;
  bool?: boolean | undefined;
  string?: string | undefined;
  version?: string | undefined;
  ints?: number[] | undefined;
  bools?: boolean[] | undefined;
  strings?: string[] | undefined;
  versions?: string[] | undefined;
}

export interface DeviceCapacity {
  value: string;
  requestPolicy?: CapacityRequestPolicy | undefined;
}

export interface DeviceClaim {
  requests: DeviceRequest[] | null;
  constraints?: DeviceConstraint[] | undefined;
  config?: DeviceClaimConfiguration[] | undefined;
}

export interface DeviceClaimConfiguration {
  requests?: string[] | undefined;
  opaque?: OpaqueDeviceConfiguration | undefined;
}

export interface DeviceClass {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: DeviceClassSpec;
}

export interface DeviceClassConfiguration {
  opaque?: OpaqueDeviceConfiguration | undefined;
}

export interface DeviceClassSpec {
  selectors?: DeviceSelector[] | undefined;
  config?: DeviceClassConfiguration[] | undefined;
  extendedResourceName?: string | undefined;
}

export interface DeviceConfiguration {
  opaque?: OpaqueDeviceConfiguration | undefined;
}

export interface DeviceConstraint {
  requests?: string[] | undefined;
  matchAttribute?: string | undefined;
  distinctAttribute?: string | undefined;
}

export interface DeviceCounterConsumption {
  counterSet: string;
  counters?: Record<string, Counter> | undefined;
}

export interface DeviceRequest {
  name: string;
  exactly?: ExactDeviceRequest | undefined;
  firstAvailable?: DeviceSubRequest[] | undefined;
}

export interface DeviceRequestAllocationResult {
  request: string;
  driver: string;
  pool: string;
  device: string;
  adminAccess?: boolean | undefined;
  tolerations?: DeviceToleration[] | undefined;
  bindingConditions?: string[] | undefined;
  bindingFailureConditions?: string[] | undefined;
  shareID?: string | undefined;
  consumedCapacity?: Record<string, string> | undefined;
}

export interface DeviceSelector {
  cel?: CELDeviceSelector | undefined;
}

export interface DeviceSubRequest {
  name: string;
  deviceClassName: string;
  selectors?: DeviceSelector[] | undefined;
  allocationMode?: string | undefined;
  count?: number | undefined;
  tolerations?: DeviceToleration[] | undefined;
  capacity?: CapacityRequirements | undefined;
}

export interface DeviceTaint {
  key: string;
  value?: string | undefined;
  effect: string;
  timeAdded?: string | undefined;
}

export interface DeviceToleration {
  key?: string | undefined;
  operator?: string | undefined;
  value?: string | undefined;
  effect?: string | undefined;
  tolerationSeconds?: number | undefined;
}

export interface Discoveryv1EndpointPort {
  name?: string | undefined;
  protocol?: string | undefined;
  port?: number | undefined;
  appProtocol?: string | undefined;
}

export interface DownwardAPIProjection {
  items?: DownwardAPIVolumeFile[] | undefined;
}

export interface DownwardAPIVolumeFile {
  path: string;
  fieldRef?: ObjectFieldSelector | undefined;
  resourceFieldRef?: ResourceFieldSelector | undefined;
  mode?: number | undefined;
}

export interface DownwardAPIVolumeSource {
  items?: DownwardAPIVolumeFile[] | undefined;
  defaultMode?: number | undefined;
}

export interface EmptyDirVolumeSource {
  medium?: string | undefined;
  sizeLimit?: string | undefined;
}

export interface Endpoint {
  addresses: string[] | null;
  conditions: EndpointConditions;
  hostname?: string | undefined;
  targetRef?: ObjectReference | undefined;
  deprecatedTopology?: Record<string, string> | undefined;
  nodeName?: string | undefined;
  zone?: string | undefined;
  hints?: EndpointHints | undefined;
}

export interface EndpointAddress {
  ip: string;
  hostname?: string | undefined;
  nodeName?: string | undefined;
  targetRef?: ObjectReference | undefined;
}

export interface EndpointConditions {
  ready?: boolean | undefined;
  serving?: boolean | undefined;
  terminating?: boolean | undefined;
}

export interface EndpointHints {
  forZones?: ForZone[] | undefined;
  forNodes?: ForNode[] | undefined;
}

export interface EndpointPort {
  name?: string | undefined;
  port: number;
  protocol?: string | undefined;
  appProtocol?: string | undefined;
}

export interface EndpointSlice {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  addressType: string;
  endpoints: Endpoint[] | null;
  ports: Discoveryv1EndpointPort[] | null;
}

export interface EndpointSubset {
  addresses?: EndpointAddress[] | undefined;
  notReadyAddresses?: EndpointAddress[] | undefined;
  ports?: EndpointPort[] | undefined;
}

export interface Endpoints {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  subsets?: EndpointSubset[] | undefined;
}

export interface EnvFromSource {
  prefix?: string | undefined;
  configMapRef?: ConfigMapEnvSource | undefined;
  secretRef?: SecretEnvSource | undefined;
}

export interface EnvVar {
  name: string;
  value?: string | undefined;
  valueFrom?: EnvVarSource | undefined;
}

export interface EnvVarSource {
  fieldRef?: ObjectFieldSelector | undefined;
  resourceFieldRef?: ResourceFieldSelector | undefined;
  configMapKeyRef?: ConfigMapKeySelector | undefined;
  secretKeyRef?: SecretKeySelector | undefined;
  fileKeyRef?: FileKeySelector | undefined;
}

export interface EphemeralContainer {
  name: string;
  image?: string | undefined;
  command?: string[] | undefined;
  args?: string[] | undefined;
  workingDir?: string | undefined;
  ports?: ContainerPort[] | undefined;
  envFrom?: EnvFromSource[] | undefined;
  env?: EnvVar[] | undefined;
  resources: ResourceRequirements;
  resizePolicy?: ContainerResizePolicy[] | undefined;
  restartPolicy?: string | undefined;
  restartPolicyRules?: ContainerRestartRule[] | undefined;
  volumeMounts?: VolumeMount[] | undefined;
  volumeDevices?: VolumeDevice[] | undefined;
  livenessProbe?: Probe | undefined;
  readinessProbe?: Probe | undefined;
  startupProbe?: Probe | undefined;
  lifecycle?: Lifecycle | undefined;
  terminationMessagePath?: string | undefined;
  terminationMessagePolicy?: string | undefined;
  imagePullPolicy?: string | undefined;
  securityContext?: SecurityContext | undefined;
  stdin?: boolean | undefined;
  stdinOnce?: boolean | undefined;
  tty?: boolean | undefined;
  targetContainerName?: string | undefined;
}

export interface EphemeralContainerCommon {
  name: string;
  image?: string | undefined;
  command?: string[] | undefined;
  args?: string[] | undefined;
  workingDir?: string | undefined;
  ports?: ContainerPort[] | undefined;
  envFrom?: EnvFromSource[] | undefined;
  env?: EnvVar[] | undefined;
  resources: ResourceRequirements;
  resizePolicy?: ContainerResizePolicy[] | undefined;
  restartPolicy?: string | undefined;
  restartPolicyRules?: ContainerRestartRule[] | undefined;
  volumeMounts?: VolumeMount[] | undefined;
  volumeDevices?: VolumeDevice[] | undefined;
  livenessProbe?: Probe | undefined;
  readinessProbe?: Probe | undefined;
  startupProbe?: Probe | undefined;
  lifecycle?: Lifecycle | undefined;
  terminationMessagePath?: string | undefined;
  terminationMessagePolicy?: string | undefined;
  imagePullPolicy?: string | undefined;
  securityContext?: SecurityContext | undefined;
  stdin?: boolean | undefined;
  stdinOnce?: boolean | undefined;
  tty?: boolean | undefined;
}

export interface EphemeralVolumeSource {
  volumeClaimTemplate?: PersistentVolumeClaimTemplate | undefined;
}

export interface Event {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  involvedObject: ObjectReference;
  reason?: string | undefined;
  message?: string | undefined;
  source: EventSource;
  firstTimestamp?: string | null | undefined;
  lastTimestamp?: string | null | undefined;
  count?: number | undefined;
  type?: string | undefined;
  eventTime?: string | null | undefined;
  series?: EventSeries | undefined;
  action?: string | undefined;
  related?: ObjectReference | undefined;
  reportingComponent: string;
  reportingInstance: string;
}

export interface EventSeries {
  count?: number | undefined;
  lastObservedTime?: string | null | undefined;
}

export interface EventSource {
  component?: string | undefined;
  host?: string | undefined;
}

export interface Eventsv1Event {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  eventTime?: string | null | undefined;
  series?: Eventsv1EventSeries | undefined;
  reportingController?: string | undefined;
  reportingInstance?: string | undefined;
  action?: string | undefined;
  reason?: string | undefined;
  regarding: ObjectReference;
  related?: ObjectReference | undefined;
  note?: string | undefined;
  type?: string | undefined;
  deprecatedSource: EventSource;
  deprecatedFirstTimestamp?: string | null | undefined;
  deprecatedLastTimestamp?: string | null | undefined;
  deprecatedCount?: number | undefined;
}

export interface Eventsv1EventSeries {
  count: number;
  lastObservedTime?: string | null | undefined;
}

export interface Eviction {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  deleteOptions?: DeleteOptions | undefined;
}

export interface ExactDeviceRequest {
  deviceClassName: string;
  selectors?: DeviceSelector[] | undefined;
  allocationMode?: string | undefined;
  count?: number | undefined;
  adminAccess?: boolean | undefined;
  tolerations?: DeviceToleration[] | undefined;
  capacity?: CapacityRequirements | undefined;
}

export interface ExecAction {
  command?: string[] | undefined;
}

export interface ExemptPriorityLevelConfiguration {
  nominalConcurrencyShares?: number | undefined;
  lendablePercent?: number | undefined;
}

export interface ExpressionWarning {
  fieldRef: string;
  warning: string;
}

export interface ExternalMetricSource {
  metric: MetricIdentifier;
  target: MetricTarget;
}

export interface ExternalMetricStatus {
  metric: MetricIdentifier;
  current: MetricValueStatus;
}

export interface FCVolumeSource {
  targetWWNs?: string[] | undefined;
  lun?: number | undefined;
  fsType?: string | undefined;
  readOnly?: boolean | undefined;
  wwids?: string[] | undefined;
}

export interface FieldSelectorAttributes {
  rawSelector?: string | undefined;
  requirements?: FieldSelectorRequirement[] | undefined;
}

export interface FieldSelectorRequirement {
  key: string;
  operator: string;
  values?: string[] | undefined;
}

export interface FileKeySelector {
  volumeName: string;
  path: string;
  key: string;
  optional?: boolean | undefined;
}

export interface FlexPersistentVolumeSource {
  driver: string;
  fsType?: string | undefined;
  secretRef?: SecretReference | undefined;
  readOnly?: boolean | undefined;
  options?: Record<string, string> | undefined;
}

export interface FlexVolumeSource {
  driver: string;
  fsType?: string | undefined;
  secretRef?: LocalObjectReference | undefined;
  readOnly?: boolean | undefined;
  options?: Record<string, string> | undefined;
}

export interface FlockerVolumeSource {
  datasetName?: string | undefined;
  datasetUUID?: string | undefined;
}

export interface FlowDistinguisherMethod {
  type: string;
}

export interface FlowSchema {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: FlowSchemaSpec;
  status: FlowSchemaStatus;
}

export interface FlowSchemaCondition {
  type?: string | undefined;
  status?: string | undefined;
  lastTransitionTime?: string | null | undefined;
  reason?: string | undefined;
  message?: string | undefined;
}

export interface FlowSchemaSpec {
  priorityLevelConfiguration: PriorityLevelConfigurationReference;
  matchingPrecedence: number;
  distinguisherMethod?: FlowDistinguisherMethod | undefined;
  rules?: PolicyRulesWithSubjects[] | undefined;
}

export interface FlowSchemaStatus {
  conditions?: FlowSchemaCondition[] | undefined;
}

export interface Flowcontrolv1Subject {
  kind: string;
  user?: UserSubject | undefined;
  group?: GroupSubject | undefined;
  serviceAccount?: ServiceAccountSubject | undefined;
}

export interface ForNode {
  name: string;
}

export interface ForZone {
  name: string;
}

export interface GCEPersistentDiskVolumeSource {
  pdName: string;
  fsType?: string | undefined;
  partition?: number | undefined;
  readOnly?: boolean | undefined;
}

export interface GRPCAction {
  port: number;
  service?: string | null | undefined;
}

export interface GitRepoVolumeSource {
  repository: string;
  revision?: string | undefined;
  directory?: string | undefined;
}

export interface GlusterfsPersistentVolumeSource {
  endpoints: string;
  path: string;
  readOnly?: boolean | undefined;
  endpointsNamespace?: string | undefined;
}

export interface GlusterfsVolumeSource {
  endpoints: string;
  path: string;
  readOnly?: boolean | undefined;
}

export interface GroupSubject {
  name: string;
}

export interface HPAScalingPolicy {
  type: string;
  value: number;
  periodSeconds: number;
}

export interface HPAScalingRules {
  stabilizationWindowSeconds?: number | undefined;
  selectPolicy?: string | undefined;
  policies?: HPAScalingPolicy[] | undefined;
  tolerance?: string | undefined;
}

export interface HTTPGetAction {
  path?: string | undefined;
  port: number | string;
  host?: string | undefined;
  scheme?: string | undefined;
  httpHeaders?: HTTPHeader[] | undefined;
}

export interface HTTPHeader {
  name: string;
  value: string;
}

export interface HTTPIngressPath {
  path?: string | undefined;
  pathType?: string | null | undefined;
  backend: IngressBackend;
}

export interface HTTPIngressRuleValue {
  paths: HTTPIngressPath[] | null;
}

export interface HorizontalPodAutoscaler {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: HorizontalPodAutoscalerSpec;
  status: HorizontalPodAutoscalerStatus;
}

export interface HorizontalPodAutoscalerBehavior {
  scaleUp?: HPAScalingRules | undefined;
  scaleDown?: HPAScalingRules | undefined;
}

export interface HorizontalPodAutoscalerCondition {
  type: string;
  status: string;
  lastTransitionTime?: string | null | undefined;
  reason?: string | undefined;
  message?: string | undefined;
}

export interface HorizontalPodAutoscalerSpec {
  scaleTargetRef: CrossVersionObjectReference;
  minReplicas?: number | undefined;
  maxReplicas: number;
  metrics?: MetricSpec[] | undefined;
  behavior?: HorizontalPodAutoscalerBehavior | undefined;
}

export interface HorizontalPodAutoscalerStatus {
  observedGeneration?: number | undefined;
  lastScaleTime?: string | undefined;
  currentReplicas?: number | undefined;
  desiredReplicas: number;
  currentMetrics: MetricStatus[] | null;
  conditions?: HorizontalPodAutoscalerCondition[] | undefined;
}

export interface HostAlias {
  ip: string;
  hostnames?: string[] | undefined;
}

export interface HostIP {
  ip: string;
}

export interface HostPathVolumeSource {
  path: string;
  type?: string | undefined;
}

export interface IPAddress {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: IPAddressSpec;
}

export interface IPAddressSpec {
  parentRef?: ParentReference | undefined;
}

export interface IPBlock {
  cidr: string;
  except?: string[] | undefined;
}

export interface ISCSIPersistentVolumeSource {
  targetPortal: string;
  iqn: string;
  lun: number;
  iscsiInterface?: string | undefined;
  fsType?: string | undefined;
  readOnly?: boolean | undefined;
  portals?: string[] | undefined;
  chapAuthDiscovery?: boolean | undefined;
  chapAuthSession?: boolean | undefined;
  secretRef?: SecretReference | undefined;
  initiatorName?: string | undefined;
}

export interface ISCSIVolumeSource {
  targetPortal: string;
  iqn: string;
  lun: number;
  iscsiInterface?: string | undefined;
  fsType?: string | undefined;
  readOnly?: boolean | undefined;
  portals?: string[] | undefined;
  chapAuthDiscovery?: boolean | undefined;
  chapAuthSession?: boolean | undefined;
  secretRef?: LocalObjectReference | undefined;
  initiatorName?: string | undefined;
}

export interface ImageVolumeSource {
  reference?: string | undefined;
  pullPolicy?: string | undefined;
}

export interface ImageVolumeStatus {
  imageRef?: string | undefined;
}

export interface Ingress {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: IngressSpec;
  status: IngressStatus;
}

export interface IngressBackend {
  service?: IngressServiceBackend | undefined;
  resource?: TypedLocalObjectReference | undefined;
}

export interface IngressClass {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: IngressClassSpec;
}

export interface IngressClassParametersReference {
  apiGroup?: string | undefined;
  kind: string;
  name: string;
  scope?: string | null | undefined;
  namespace?: string | undefined;
}

export interface IngressClassSpec {
  controller?: string | undefined;
  parameters?: IngressClassParametersReference | undefined;
}

export interface IngressLoadBalancerIngress {
  ip?: string | undefined;
  hostname?: string | undefined;
  ports?: IngressPortStatus[] | undefined;
}

export interface IngressLoadBalancerStatus {
  ingress?: IngressLoadBalancerIngress[] | undefined;
}

export interface IngressPortStatus {
  port: number;
  protocol: string;
  error?: string | undefined;
}

export interface IngressRule {
  host?: string | undefined;
  http?: HTTPIngressRuleValue | undefined;
}

export interface IngressRuleValue {
  http?: HTTPIngressRuleValue | undefined;
}

export interface IngressServiceBackend {
  name: string;
  port: ServiceBackendPort;
}

export interface IngressSpec {
  ingressClassName?: string | undefined;
  defaultBackend?: IngressBackend | undefined;
  tls?: IngressTLS[] | undefined;
  rules?: IngressRule[] | undefined;
}

export interface IngressStatus {
  loadBalancer: IngressLoadBalancerStatus;
}

export interface IngressTLS {
  hosts?: string[] | undefined;
  secretName?: string | undefined;
}

export interface JSONPatch {
  expression?: string | undefined;
}

export interface Job {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: JobSpec;
  status: JobStatus;
}

export interface JobCondition {
  type: string;
  status: string;
  lastProbeTime?: string | null | undefined;
  lastTransitionTime?: string | null | undefined;
  reason?: string | undefined;
  message?: string | undefined;
}

export interface JobSpec {
  parallelism?: number | undefined;
  completions?: number | undefined;
  activeDeadlineSeconds?: number | undefined;
  podFailurePolicy?: PodFailurePolicy | undefined;
  successPolicy?: SuccessPolicy | undefined;
  backoffLimit?: number | undefined;
  backoffLimitPerIndex?: number | undefined;
  maxFailedIndexes?: number | undefined;
  selector?: LabelSelector | undefined;
  manualSelector?: boolean | undefined;
  template: PodTemplateSpec;
  ttlSecondsAfterFinished?: number | undefined;
  completionMode?: string | undefined;
  suspend?: boolean | undefined;
  podReplacementPolicy?: string | undefined;
  managedBy?: string | undefined;
}

export interface JobStatus {
  conditions?: JobCondition[] | undefined;
  startTime?: string | undefined;
  completionTime?: string | undefined;
  active?: number | undefined;
  succeeded?: number | undefined;
  failed?: number | undefined;
  terminating?: number | undefined;
  completedIndexes?: string | undefined;
  failedIndexes?: string | undefined;
  uncountedTerminatedPods?: UncountedTerminatedPods | undefined;
  ready?: number | undefined;
}

export interface JobTemplateSpec {
  metadata: ObjectMeta;
  spec: JobSpec;
}

export interface KeyToPath {
  key: string;
  path: string;
  mode?: number | undefined;
}

export interface LabelSelector {
  matchLabels?: Record<string, string> | undefined;
  matchExpressions?: LabelSelectorRequirement[] | undefined;
}

export interface LabelSelectorAttributes {
  rawSelector?: string | undefined;
  requirements?: LabelSelectorRequirement[] | undefined;
}

export interface LabelSelectorRequirement {
  key: string;
  operator: string;
  values?: string[] | undefined;
}

export interface Lease {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: LeaseSpec;
}

export interface LeaseSpec {
  holderIdentity?: string | undefined;
  leaseDurationSeconds?: number | undefined;
  acquireTime?: string | undefined;
  renewTime?: string | undefined;
  leaseTransitions?: number | undefined;
  strategy?: string | undefined;
  preferredHolder?: string | undefined;
}

export interface Lifecycle {
  postStart?: LifecycleHandler | undefined;
  preStop?: LifecycleHandler | undefined;
  stopSignal?: string | undefined;
}

export interface LifecycleHandler {
  exec?: ExecAction | undefined;
  httpGet?: HTTPGetAction | undefined;
  tcpSocket?: TCPSocketAction | undefined;
  sleep?: SleepAction | undefined;
}

export interface LimitRange {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: LimitRangeSpec;
}

export interface LimitRangeItem {
  type: string;
  max?: Record<string, string> | undefined;
  min?: Record<string, string> | undefined;
  default?: Record<string, string> | undefined;
  defaultRequest?: Record<string, string> | undefined;
  maxLimitRequestRatio?: Record<string, string> | undefined;
}

export interface LimitRangeSpec {
  limits: LimitRangeItem[] | null;
}

export interface LimitResponse {
  type: string;
  queuing?: QueuingConfiguration | undefined;
}

export interface LimitedPriorityLevelConfiguration {
  nominalConcurrencyShares?: number | null | undefined;
  limitResponse: LimitResponse;
  lendablePercent?: number | undefined;
  borrowingLimitPercent?: number | undefined;
}

export interface LinuxContainerUser {
  uid: number;
  gid: number;
  supplementalGroups?: number[] | undefined;
}

export interface LoadBalancerIngress {
  ip?: string | undefined;
  hostname?: string | undefined;
  ipMode?: string | undefined;
  ports?: PortStatus[] | undefined;
}

export interface LoadBalancerStatus {
  ingress?: LoadBalancerIngress[] | undefined;
}

export interface LocalObjectReference {
  name?: string | undefined;
}

export interface LocalSubjectAccessReview {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: SubjectAccessReviewSpec;
  status: SubjectAccessReviewStatus;
}

export interface LocalVolumeSource {
  path: string;
  fsType?: string | undefined;
}

export interface ManagedFieldsEntry {
  manager?: string | undefined;
  operation?: string | undefined;
  apiVersion?: string | undefined;
  time?: string | undefined;
  fieldsType?: string | undefined;
  fieldsV1?: unknown | undefined;
  subresource?: string | undefined;
}

export interface MatchCondition {
  name: string;
  expression: string;
}

export interface MatchResources {
  namespaceSelector?: LabelSelector | undefined;
  objectSelector?: LabelSelector | undefined;
  resourceRules?: NamedRuleWithOperations[] | undefined;
  excludeResourceRules?: NamedRuleWithOperations[] | undefined;
  matchPolicy?: string | undefined;
}

export interface MetricIdentifier {
  name: string;
  selector?: LabelSelector | undefined;
}

export interface MetricSpec {
  type: string;
  object?: ObjectMetricSource | undefined;
  pods?: PodsMetricSource | undefined;
  resource?: ResourceMetricSource | undefined;
  containerResource?: ContainerResourceMetricSource | undefined;
  external?: ExternalMetricSource | undefined;
}

export interface MetricStatus {
  type: string;
  object?: ObjectMetricStatus | undefined;
  pods?: PodsMetricStatus | undefined;
  resource?: ResourceMetricStatus | undefined;
  containerResource?: ContainerResourceMetricStatus | undefined;
  external?: ExternalMetricStatus | undefined;
}

export interface MetricTarget {
  type: string;
  value?: string | undefined;
  averageValue?: string | undefined;
  averageUtilization?: number | undefined;
}

export interface MetricValueStatus {
  value?: string | undefined;
  averageValue?: string | undefined;
  averageUtilization?: number | undefined;
}

export interface ModifyVolumeStatus {
  targetVolumeAttributesClassName?: string | undefined;
  status: string;
}

export interface MutatingAdmissionPolicy {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: MutatingAdmissionPolicySpec;
}

export interface MutatingAdmissionPolicyBinding {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: MutatingAdmissionPolicyBindingSpec;
}

export interface MutatingAdmissionPolicyBindingSpec {
  policyName?: string | undefined;
  paramRef?: ParamRef | undefined;
  matchResources?: MatchResources | undefined;
}

export interface MutatingAdmissionPolicySpec {
  paramKind?: ParamKind | undefined;
  matchConstraints?: MatchResources | undefined;
  variables?: Variable[] | undefined;
  mutations?: Mutation[] | undefined;
  failurePolicy?: string | undefined;
  matchConditions?: MatchCondition[] | undefined;
  reinvocationPolicy?: string | undefined;
}

export interface MutatingWebhook {
  name: string;
  clientConfig: WebhookClientConfig;
  rules?: RuleWithOperations[] | undefined;
  failurePolicy?: string | undefined;
  matchPolicy?: string | undefined;
  namespaceSelector?: LabelSelector | undefined;
  objectSelector?: LabelSelector | undefined;
  sideEffects?: string | null | undefined;
  timeoutSeconds?: number | undefined;
  admissionReviewVersions: string[] | null;
  reinvocationPolicy?: string | undefined;
  matchConditions?: MatchCondition[] | undefined;
}

export interface MutatingWebhookConfiguration {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  webhooks?: MutatingWebhook[] | undefined;
}

export interface Mutation {
  patchType: string;
  applyConfiguration?: ApplyConfiguration | undefined;
  jsonPatch?: JSONPatch | undefined;
}

export interface NFSVolumeSource {
  server: string;
  path: string;
  readOnly?: boolean | undefined;
}

export interface NamedRuleWithOperations {
  resourceNames?: string[] | undefined;
  operations?: string[] | undefined;
  apiGroups?: string[] | undefined;
  apiVersions?: string[] | undefined;
  resources?: string[] | undefined;
  scope?: string | undefined;
}

export interface Namespace {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: NamespaceSpec;
  status: NamespaceStatus;
}

export interface NamespaceCondition {
  type: string;
  status: string;
  lastTransitionTime?: string | null | undefined;
  reason?: string | undefined;
  message?: string | undefined;
}

export interface NamespaceSpec {
  finalizers?: string[] | undefined;
}

export interface NamespaceStatus {
  phase?: string | undefined;
  conditions?: NamespaceCondition[] | undefined;
}

export interface NetworkDeviceData {
  interfaceName?: string | undefined;
  ips?: string[] | undefined;
  hardwareAddress?: string | undefined;
}

export interface NetworkPolicy {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: NetworkPolicySpec;
}

export interface NetworkPolicyEgressRule {
  ports?: NetworkPolicyPort[] | undefined;
  to?: NetworkPolicyPeer[] | undefined;
}

export interface NetworkPolicyIngressRule {
  ports?: NetworkPolicyPort[] | undefined;
  from?: NetworkPolicyPeer[] | undefined;
}

export interface NetworkPolicyPeer {
  podSelector?: LabelSelector | undefined;
  namespaceSelector?: LabelSelector | undefined;
  ipBlock?: IPBlock | undefined;
}

export interface NetworkPolicyPort {
  protocol?: string | undefined;
  port?: number | string | undefined;
  endPort?: number | undefined;
}

export interface NetworkPolicySpec {
  podSelector: LabelSelector;
  ingress?: NetworkPolicyIngressRule[] | undefined;
  egress?: NetworkPolicyEgressRule[] | undefined;
  policyTypes?: string[] | undefined;
}

export interface Node {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: NodeSpec;
  status: NodeStatus;
}

export interface NodeAddress {
  type: string;
  address: string;
}

export interface NodeAffinity {
  requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector | undefined;
  preferredDuringSchedulingIgnoredDuringExecution?: PreferredSchedulingTerm[] | undefined;
}

export interface NodeAllocatableResourceClaimStatus {
  resourceClaimName: string;
  containers?: string[] | undefined;
  resources: Record<string, string> | null;
}

export interface NodeAllocatableResourceMapping {
  capacityKey?: string | undefined;
  allocationMultiplier?: string | undefined;
}

export interface NodeCondition {
  type: string;
  status: string;
  lastHeartbeatTime?: string | null | undefined;
  lastTransitionTime?: string | null | undefined;
  reason?: string | undefined;
  message?: string | undefined;
}

export interface NodeConfigSource {
  configMap?: ConfigMapNodeConfigSource | undefined;
}

export interface NodeConfigStatus {
  assigned?: NodeConfigSource | undefined;
  active?: NodeConfigSource | undefined;
  lastKnownGood?: NodeConfigSource | undefined;
  error?: string | undefined;
}

export interface NodeDaemonEndpoints {
  kubeletEndpoint: DaemonEndpoint;
}

export interface NodeFeatures {
  supplementalGroupsPolicy?: boolean | undefined;
}

export interface NodeRuntimeHandler {
  name: string;
  features?: NodeRuntimeHandlerFeatures | undefined;
}

export interface NodeRuntimeHandlerFeatures {
  recursiveReadOnlyMounts?: boolean | undefined;
  userNamespaces?: boolean | undefined;
}

export interface NodeSelector {
  nodeSelectorTerms: NodeSelectorTerm[] | null;
}

export interface NodeSelectorRequirement {
  key: string;
  operator: string;
  values?: string[] | undefined;
}

export interface NodeSelectorTerm {
  matchExpressions?: NodeSelectorRequirement[] | undefined;
  matchFields?: NodeSelectorRequirement[] | undefined;
}

export interface NodeSpec {
  podCIDR?: string | undefined;
  podCIDRs?: string[] | undefined;
  providerID?: string | undefined;
  unschedulable?: boolean | undefined;
  taints?: Taint[] | undefined;
  configSource?: NodeConfigSource | undefined;
  externalID?: string | undefined;
}

export interface NodeStatus {
  capacity?: Record<string, string> | undefined;
  allocatable?: Record<string, string> | undefined;
  phase?: string | undefined;
  conditions?: NodeCondition[] | undefined;
  addresses?: NodeAddress[] | undefined;
  daemonEndpoints: NodeDaemonEndpoints;
  nodeInfo: NodeSystemInfo;
  images?: ContainerImage[] | undefined;
  volumesInUse?: string[] | undefined;
  volumesAttached?: AttachedVolume[] | undefined;
  config?: NodeConfigStatus | undefined;
  runtimeHandlers?: NodeRuntimeHandler[] | undefined;
  features?: NodeFeatures | undefined;
  declaredFeatures?: string[] | undefined;
}

export interface NodeSwapStatus {
  capacity?: number | undefined;
}

export interface NodeSystemInfo {
  machineID: string;
  systemUUID: string;
  bootID: string;
  kernelVersion: string;
  osImage: string;
  containerRuntimeVersion: string;
  kubeletVersion: string;
  kubeProxyVersion: string;
  operatingSystem: string;
  architecture: string;
  swap?: NodeSwapStatus | undefined;
}

export interface NonResourceAttributes {
  path?: string | undefined;
  verb?: string | undefined;
}

export interface NonResourcePolicyRule {
  verbs: string[] | null;
  nonResourceURLs: string[] | null;
}

export interface NonResourceRule {
  verbs: string[] | null;
  nonResourceURLs?: string[] | undefined;
}

export interface ObjectFieldSelector {
  apiVersion?: string | undefined;
  fieldPath: string;
}

export interface ObjectMeta {
  name?: string | undefined;
  generateName?: string | undefined;
  namespace?: string | undefined;
  selfLink?: string | undefined;
  uid?: string | undefined;
  resourceVersion?: string | undefined;
  generation?: number | undefined;
  creationTimestamp?: string | undefined;
  deletionTimestamp?: string | undefined;
  deletionGracePeriodSeconds?: number | undefined;
  labels?: Record<string, string> | undefined;
  annotations?: Record<string, string> | undefined;
  ownerReferences?: OwnerReference[] | undefined;
  finalizers?: string[] | undefined;
  managedFields?: ManagedFieldsEntry[] | undefined;
}

export interface ObjectMetricSource {
  describedObject: CrossVersionObjectReference;
  target: MetricTarget;
  metric: MetricIdentifier;
}

export interface ObjectMetricStatus {
  metric: MetricIdentifier;
  current: MetricValueStatus;
  describedObject: CrossVersionObjectReference;
}

export interface ObjectReference {
  kind?: string | undefined;
  namespace?: string | undefined;
  name?: string | undefined;
  uid?: string | undefined;
  apiVersion?: string | undefined;
  resourceVersion?: string | undefined;
  fieldPath?: string | undefined;
}

export interface OpaqueDeviceConfiguration {
  driver: string;
  parameters?: unknown | undefined;
}

export interface Overhead {
  podFixed?: Record<string, string> | undefined;
}

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean | undefined;
  blockOwnerDeletion?: boolean | undefined;
}

export interface ParamKind {
  apiVersion?: string | undefined;
  kind?: string | undefined;
}

export interface ParamRef {
  name?: string | undefined;
  namespace?: string | undefined;
  selector?: LabelSelector | undefined;
  parameterNotFoundAction?: string | undefined;
}

export interface ParentReference {
  group?: string | undefined;
  resource?: string | undefined;
  namespace?: string | undefined;
  name?: string | undefined;
}

export interface PartialObjectMetadata {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
}

export interface PersistentVolume {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: PersistentVolumeSpec;
  status: PersistentVolumeStatus;
}

export interface PersistentVolumeClaim {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: PersistentVolumeClaimSpec;
  status: PersistentVolumeClaimStatus;
}

export interface PersistentVolumeClaimCondition {
  type: string;
  status: string;
  lastProbeTime?: string | null | undefined;
  lastTransitionTime?: string | null | undefined;
  reason?: string | undefined;
  message?: string | undefined;
}

export interface PersistentVolumeClaimSpec {
  accessModes?: string[] | undefined;
  selector?: LabelSelector | undefined;
  resources: VolumeResourceRequirements;
  volumeName?: string | undefined;
  storageClassName?: string | undefined;
  volumeMode?: string | undefined;
  dataSource?: TypedLocalObjectReference | undefined;
  dataSourceRef?: TypedObjectReference | undefined;
  volumeAttributesClassName?: string | undefined;
}

export interface PersistentVolumeClaimStatus {
  phase?: string | undefined;
  accessModes?: string[] | undefined;
  capacity?: Record<string, string> | undefined;
  conditions?: PersistentVolumeClaimCondition[] | undefined;
  allocatedResources?: Record<string, string> | undefined;
  allocatedResourceStatuses?: Record<string, string> | undefined;
  currentVolumeAttributesClassName?: string | undefined;
  modifyVolumeStatus?: ModifyVolumeStatus | undefined;
}

export interface PersistentVolumeClaimTemplate {
  metadata: ObjectMeta;
  spec: PersistentVolumeClaimSpec;
}

export interface PersistentVolumeClaimVolumeSource {
  claimName: string;
  readOnly?: boolean | undefined;
}

export interface PersistentVolumeSource {
  gcePersistentDisk?: GCEPersistentDiskVolumeSource | undefined;
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource | undefined;
  hostPath?: HostPathVolumeSource | undefined;
  glusterfs?: GlusterfsPersistentVolumeSource | undefined;
  nfs?: NFSVolumeSource | undefined;
  rbd?: RBDPersistentVolumeSource | undefined;
  iscsi?: ISCSIPersistentVolumeSource | undefined;
  cinder?: CinderPersistentVolumeSource | undefined;
  cephfs?: CephFSPersistentVolumeSource | undefined;
  fc?: FCVolumeSource | undefined;
  flocker?: FlockerVolumeSource | undefined;
  flexVolume?: FlexPersistentVolumeSource | undefined;
  azureFile?: AzureFilePersistentVolumeSource | undefined;
  vsphereVolume?: VsphereVirtualDiskVolumeSource | undefined;
  quobyte?: QuobyteVolumeSource | undefined;
  azureDisk?: AzureDiskVolumeSource | undefined;
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource | undefined;
  portworxVolume?: PortworxVolumeSource | undefined;
  scaleIO?: ScaleIOPersistentVolumeSource | undefined;
  local?: LocalVolumeSource | undefined;
  storageos?: StorageOSPersistentVolumeSource | undefined;
  csi?: CSIPersistentVolumeSource | undefined;
}

export interface PersistentVolumeSpec {
  capacity?: Record<string, string> | undefined;
  gcePersistentDisk?: GCEPersistentDiskVolumeSource | undefined;
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource | undefined;
  hostPath?: HostPathVolumeSource | undefined;
  glusterfs?: GlusterfsPersistentVolumeSource | undefined;
  nfs?: NFSVolumeSource | undefined;
  rbd?: RBDPersistentVolumeSource | undefined;
  iscsi?: ISCSIPersistentVolumeSource | undefined;
  cinder?: CinderPersistentVolumeSource | undefined;
  cephfs?: CephFSPersistentVolumeSource | undefined;
  fc?: FCVolumeSource | undefined;
  flocker?: FlockerVolumeSource | undefined;
  flexVolume?: FlexPersistentVolumeSource | undefined;
  azureFile?: AzureFilePersistentVolumeSource | undefined;
  vsphereVolume?: VsphereVirtualDiskVolumeSource | undefined;
  quobyte?: QuobyteVolumeSource | undefined;
  azureDisk?: AzureDiskVolumeSource | undefined;
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource | undefined;
  portworxVolume?: PortworxVolumeSource | undefined;
  scaleIO?: ScaleIOPersistentVolumeSource | undefined;
  local?: LocalVolumeSource | undefined;
  storageos?: StorageOSPersistentVolumeSource | undefined;
  csi?: CSIPersistentVolumeSource | undefined;
  accessModes?: string[] | undefined;
  claimRef?: ObjectReference | undefined;
  persistentVolumeReclaimPolicy?: string | undefined;
  storageClassName?: string | undefined;
  mountOptions?: string[] | undefined;
  volumeMode?: string | undefined;
  nodeAffinity?: VolumeNodeAffinity | undefined;
  volumeAttributesClassName?: string | undefined;
}

export interface PersistentVolumeStatus {
  phase?: string | undefined;
  message?: string | undefined;
  reason?: string | undefined;
  lastPhaseTransitionTime?: string | undefined;
}

export interface PhotonPersistentDiskVolumeSource {
  pdID: string;
  fsType?: string | undefined;
}

export interface Pod {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: PodSpec;
  status: PodStatus;
}

export interface PodAffinity {
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[] | undefined;
  preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[] | undefined;
}

export interface PodAffinityTerm {
  labelSelector?: LabelSelector | undefined;
  namespaces?: string[] | undefined;
  topologyKey: string;
  namespaceSelector?: LabelSelector | undefined;
  matchLabelKeys?: string[] | undefined;
  mismatchLabelKeys?: string[] | undefined;
}

export interface PodAntiAffinity {
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[] | undefined;
  preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[] | undefined;
}

export interface PodCertificateProjection {
  signerName?: string | undefined;
  keyType?: string | undefined;
  maxExpirationSeconds?: number | undefined;
  credentialBundlePath?: string | undefined;
  keyPath?: string | undefined;
  certificateChainPath?: string | undefined;
  userAnnotations?: Record<string, string> | undefined;
}

export interface PodCondition {
  type: string;
  observedGeneration?: number | undefined;
  status: string;
  lastProbeTime?: string | null | undefined;
  lastTransitionTime?: string | null | undefined;
  reason?: string | undefined;
  message?: string | undefined;
}

export interface PodDNSConfig {
  nameservers?: string[] | undefined;
  searches?: string[] | undefined;
  options?: PodDNSConfigOption[] | undefined;
}

export interface PodDNSConfigOption {
  name?: string | undefined;
  value?: string | undefined;
}

export interface PodDisruptionBudget {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: PodDisruptionBudgetSpec;
  status: PodDisruptionBudgetStatus;
}

export interface PodDisruptionBudgetSpec {
  minAvailable?: number | string | undefined;
  selector?: LabelSelector | undefined;
  maxUnavailable?: number | string | undefined;
  unhealthyPodEvictionPolicy?: string | undefined;
}

export interface PodDisruptionBudgetStatus {
  observedGeneration?: number | undefined;
  disruptedPods?: Record<string, string> | undefined;
  disruptionsAllowed: number;
  currentHealthy: number;
  desiredHealthy: number;
  expectedPods: number;
  conditions?: Condition[] | undefined;
}

export interface PodExtendedResourceClaimStatus {
  requestMappings: ContainerExtendedResourceRequest[] | null;
  resourceClaimName: string;
}

export interface PodFailurePolicy {
  rules: PodFailurePolicyRule[] | null;
}

export interface PodFailurePolicyOnExitCodesRequirement {
  containerName?: string | undefined;
  operator: string;
  values: number[] | null;
}

export interface PodFailurePolicyOnPodConditionsPattern {
  type: string;
  status: string;
}

export interface PodFailurePolicyRule {
  action: string;
  onExitCodes?: PodFailurePolicyOnExitCodesRequirement | undefined;
  onPodConditions?: PodFailurePolicyOnPodConditionsPattern[] | undefined;
}

export interface PodIP {
  ip: string;
}

export interface PodOS {
  name: string;
}

export interface PodReadinessGate {
  conditionType: string;
}

export interface PodResourceClaim {
  name: string;
  resourceClaimName?: string | undefined;
  resourceClaimTemplateName?: string | undefined;
}

export interface PodResourceClaimStatus {
  name: string;
  resourceClaimName?: string | undefined;
}

export interface PodSchedulingGate {
  name: string;
}

export interface PodSchedulingGroup {
  podGroupName?: string | undefined;
}

export interface PodSecurityContext {
  seLinuxOptions?: SELinuxOptions | undefined;
  windowsOptions?: WindowsSecurityContextOptions | undefined;
  runAsUser?: number | undefined;
  runAsGroup?: number | undefined;
  runAsNonRoot?: boolean | undefined;
  supplementalGroups?: number[] | undefined;
  supplementalGroupsPolicy?: string | undefined;
  fsGroup?: number | undefined;
  sysctls?: Sysctl[] | undefined;
  fsGroupChangePolicy?: string | undefined;
  seccompProfile?: SeccompProfile | undefined;
  appArmorProfile?: AppArmorProfile | undefined;
  seLinuxChangePolicy?: string | undefined;
}

export interface PodSpec {
  volumes?: Volume[] | undefined;
  initContainers?: Container[] | undefined;
  containers: Container[] | null;
  ephemeralContainers?: EphemeralContainer[] | undefined;
  restartPolicy?: string | undefined;
  terminationGracePeriodSeconds?: number | undefined;
  activeDeadlineSeconds?: number | undefined;
  dnsPolicy?: string | undefined;
  nodeSelector?: Record<string, string> | undefined;
  serviceAccountName?: string | undefined;
  serviceAccount?: string | undefined;
  automountServiceAccountToken?: boolean | undefined;
  nodeName?: string | undefined;
  hostNetwork?: boolean | undefined;
  hostPID?: boolean | undefined;
  hostIPC?: boolean | undefined;
  shareProcessNamespace?: boolean | undefined;
  securityContext?: PodSecurityContext | undefined;
  imagePullSecrets?: LocalObjectReference[] | undefined;
  hostname?: string | undefined;
  subdomain?: string | undefined;
  affinity?: Affinity | undefined;
  schedulerName?: string | undefined;
  tolerations?: Toleration[] | undefined;
  hostAliases?: HostAlias[] | undefined;
  priorityClassName?: string | undefined;
  priority?: number | undefined;
  dnsConfig?: PodDNSConfig | undefined;
  readinessGates?: PodReadinessGate[] | undefined;
  runtimeClassName?: string | undefined;
  enableServiceLinks?: boolean | undefined;
  preemptionPolicy?: string | undefined;
  overhead?: Record<string, string> | undefined;
  topologySpreadConstraints?: TopologySpreadConstraint[] | undefined;
  setHostnameAsFQDN?: boolean | undefined;
  os?: PodOS | undefined;
  hostUsers?: boolean | undefined;
  schedulingGates?: PodSchedulingGate[] | undefined;
  resourceClaims?: PodResourceClaim[] | undefined;
  resources?: ResourceRequirements | undefined;
  hostnameOverride?: string | undefined;
  schedulingGroup?: PodSchedulingGroup | undefined;
}

export interface PodStatus {
  observedGeneration?: number | undefined;
  phase?: string | undefined;
  conditions?: PodCondition[] | undefined;
  message?: string | undefined;
  reason?: string | undefined;
  nominatedNodeName?: string | undefined;
  hostIP?: string | undefined;
  hostIPs?: HostIP[] | undefined;
  podIP?: string | undefined;
  podIPs?: PodIP[] | undefined;
  startTime?: string | undefined;
  initContainerStatuses?: ContainerStatus[] | undefined;
  containerStatuses?: ContainerStatus[] | undefined;
  qosClass?: string | undefined;
  ephemeralContainerStatuses?: ContainerStatus[] | undefined;
  resize?: string | undefined;
  resourceClaimStatuses?: PodResourceClaimStatus[] | undefined;
  extendedResourceClaimStatus?: PodExtendedResourceClaimStatus | undefined;
  allocatedResources?: Record<string, string> | undefined;
  resources?: ResourceRequirements | undefined;
  nodeAllocatableResourceClaimStatuses?: NodeAllocatableResourceClaimStatus[] | undefined;
}

export interface PodStatusResult {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  status: PodStatus;
}

export interface PodTemplate {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  template: PodTemplateSpec;
}

export interface PodTemplateSpec {
  metadata: ObjectMeta;
  spec: PodSpec;
}

export interface PodsMetricSource {
  metric: MetricIdentifier;
  target: MetricTarget;
}

export interface PodsMetricStatus {
  metric: MetricIdentifier;
  current: MetricValueStatus;
}

export interface PolicyRule {
  verbs: string[] | null;
  apiGroups?: string[] | undefined;
  resources?: string[] | undefined;
  resourceNames?: string[] | undefined;
  nonResourceURLs?: string[] | undefined;
}

export interface PolicyRulesWithSubjects {
  subjects: Flowcontrolv1Subject[] | null;
  resourceRules?: ResourcePolicyRule[] | undefined;
  nonResourceRules?: NonResourcePolicyRule[] | undefined;
}

export interface PortStatus {
  port: number;
  protocol: string;
  error?: string | undefined;
}

export interface PortworxVolumeSource {
  volumeID: string;
  fsType?: string | undefined;
  readOnly?: boolean | undefined;
}

export interface Preconditions {
  uid?: string | undefined;
  resourceVersion?: string | undefined;
}

export interface PreferredSchedulingTerm {
  weight: number;
  preference: NodeSelectorTerm;
}

export interface PriorityClass {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  value: number;
  globalDefault?: boolean | undefined;
  description?: string | undefined;
  preemptionPolicy?: string | undefined;
}

export interface PriorityLevelConfiguration {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: PriorityLevelConfigurationSpec;
  status: PriorityLevelConfigurationStatus;
}

export interface PriorityLevelConfigurationCondition {
  type?: string | undefined;
  status?: string | undefined;
  lastTransitionTime?: string | null | undefined;
  reason?: string | undefined;
  message?: string | undefined;
}

export interface PriorityLevelConfigurationReference {
  name: string;
}

export interface PriorityLevelConfigurationSpec {
  type: string;
  limited?: LimitedPriorityLevelConfiguration | undefined;
  exempt?: ExemptPriorityLevelConfiguration | undefined;
}

export interface PriorityLevelConfigurationStatus {
  conditions?: PriorityLevelConfigurationCondition[] | undefined;
}

export interface Probe {
  exec?: ExecAction | undefined;
  httpGet?: HTTPGetAction | undefined;
  tcpSocket?: TCPSocketAction | undefined;
  grpc?: GRPCAction | undefined;
  initialDelaySeconds?: number | undefined;
  timeoutSeconds?: number | undefined;
  periodSeconds?: number | undefined;
  successThreshold?: number | undefined;
  failureThreshold?: number | undefined;
  terminationGracePeriodSeconds?: number | undefined;
}

export interface ProbeHandler {
  exec?: ExecAction | undefined;
  httpGet?: HTTPGetAction | undefined;
  tcpSocket?: TCPSocketAction | undefined;
  grpc?: GRPCAction | undefined;
}

export interface ProjectedVolumeSource {
  sources: VolumeProjection[] | null;
  defaultMode?: number | undefined;
}

export interface QueuingConfiguration {
  queues: number;
  handSize: number;
  queueLengthLimit: number;
}

export interface QuobyteVolumeSource {
  registry: string;
  volume: string;
  readOnly?: boolean | undefined;
  user?: string | undefined;
  group?: string | undefined;
  tenant?: string | undefined;
}

export interface RBDPersistentVolumeSource {
  monitors: string[] | null;
  image: string;
  fsType?: string | undefined;
  pool?: string | undefined;
  user?: string | undefined;
  keyring?: string | undefined;
  secretRef?: SecretReference | undefined;
  readOnly?: boolean | undefined;
}

export interface RBDVolumeSource {
  monitors: string[] | null;
  image: string;
  fsType?: string | undefined;
  pool?: string | undefined;
  user?: string | undefined;
  keyring?: string | undefined;
  secretRef?: LocalObjectReference | undefined;
  readOnly?: boolean | undefined;
}

export interface RangeAllocation {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  range: string;
  data?: string | undefined;
}

export interface ReplicaSet {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: ReplicaSetSpec;
  status: ReplicaSetStatus;
}

export interface ReplicaSetCondition {
  type: string;
  status: string;
  lastTransitionTime?: string | null | undefined;
  reason?: string | undefined;
  message?: string | undefined;
}

export interface ReplicaSetSpec {
  replicas?: number | undefined;
  minReadySeconds?: number | undefined;
  selector?: LabelSelector | null | undefined;
  template: PodTemplateSpec;
}

export interface ReplicaSetStatus {
  replicas: number;
  fullyLabeledReplicas?: number | undefined;
  readyReplicas?: number | undefined;
  availableReplicas?: number | undefined;
  terminatingReplicas?: number | undefined;
  observedGeneration?: number | undefined;
  conditions?: ReplicaSetCondition[] | undefined;
}

export interface ReplicationController {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: ReplicationControllerSpec;
  status: ReplicationControllerStatus;
}

export interface ReplicationControllerCondition {
  type: string;
  status: string;
  lastTransitionTime?: string | null | undefined;
  reason?: string | undefined;
  message?: string | undefined;
}

export interface ReplicationControllerSpec {
  replicas?: number | undefined;
  minReadySeconds?: number | undefined;
  selector?: Record<string, string> | undefined;
  template?: PodTemplateSpec | undefined;
}

export interface ReplicationControllerStatus {
  replicas: number;
  fullyLabeledReplicas?: number | undefined;
  readyReplicas?: number | undefined;
  availableReplicas?: number | undefined;
  observedGeneration?: number | undefined;
  conditions?: ReplicationControllerCondition[] | undefined;
}

export interface ResourceAttributes {
  namespace?: string | undefined;
  verb?: string | undefined;
  group?: string | undefined;
  version?: string | undefined;
  resource?: string | undefined;
  subresource?: string | undefined;
  name?: string | undefined;
  fieldSelector?: FieldSelectorAttributes | undefined;
  labelSelector?: LabelSelectorAttributes | undefined;
}

export interface ResourceClaim {
  name: string;
  request?: string | undefined;
}

export interface ResourceClaimConsumerReference {
  apiGroup?: string | undefined;
  resource: string;
  name: string;
  uid: string;
}

export interface ResourceClaimSpec {
  devices: DeviceClaim;
}

export interface ResourceClaimStatus {
  allocation?: AllocationResult | undefined;
  reservedFor?: ResourceClaimConsumerReference[] | undefined;
  devices?: AllocatedDeviceStatus[] | undefined;
}

export interface ResourceClaimTemplate {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: ResourceClaimTemplateSpec;
}

export interface ResourceClaimTemplateSpec {
  metadata: ObjectMeta;
  spec: ResourceClaimSpec;
}

export interface ResourceFieldSelector {
  containerName?: string | undefined;
  resource: string;
  divisor: string;
}

export interface ResourceHealth {
  resourceID: string;
  health?: string | undefined;
  message?: string | undefined;
}

export interface ResourceMetricSource {
  name: string;
  target: MetricTarget;
}

export interface ResourceMetricStatus {
  name: string;
  current: MetricValueStatus;
}

export interface ResourcePolicyRule {
  verbs: string[] | null;
  apiGroups: string[] | null;
  resources: string[] | null;
  clusterScope?: boolean | undefined;
  namespaces: string[] | null;
}

export interface ResourcePool {
  name: string;
  generation: number;
  resourceSliceCount: number;
}

export interface ResourceQuota {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: ResourceQuotaSpec;
  status: ResourceQuotaStatus;
}

export interface ResourceQuotaSpec {
  hard?: Record<string, string> | undefined;
  scopes?: string[] | undefined;
  scopeSelector?: ScopeSelector | undefined;
}

export interface ResourceQuotaStatus {
  hard?: Record<string, string> | undefined;
  used?: Record<string, string> | undefined;
}

export interface ResourceRequirements {
  limits?: Record<string, string> | undefined;
  requests?: Record<string, string> | undefined;
  claims?: ResourceClaim[] | undefined;
}

export interface ResourceRule {
  verbs: string[] | null;
  apiGroups?: string[] | undefined;
  resources?: string[] | undefined;
  resourceNames?: string[] | undefined;
}

export interface ResourceSlice {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: ResourceSliceSpec;
}

export interface ResourceSliceSpec {
  driver: string;
  pool: ResourcePool;
  nodeName?: string | undefined;
  nodeSelector?: NodeSelector | undefined;
  allNodes?: boolean | undefined;
  devices?: Device[] | undefined;
  perDeviceNodeSelection?: boolean | undefined;
  sharedCounters?: CounterSet[] | undefined;
}

export interface ResourceStatus {
  name: string;
  resources?: ResourceHealth[] | undefined;
}

export interface Resourcev1ResourceClaim {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: ResourceClaimSpec;
  status: ResourceClaimStatus;
}

export interface Role {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  rules: PolicyRule[] | null;
}

export interface RoleBinding {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  subjects?: Subject[] | undefined;
  roleRef: RoleRef;
}

export interface RoleRef {
  apiGroup: string;
  kind: string;
  name: string;
}

export interface RollingUpdateDaemonSet {
  maxUnavailable?: number | string | undefined;
  maxSurge?: number | string | undefined;
}

export interface RollingUpdateDeployment {
  maxUnavailable?: number | string | undefined;
  maxSurge?: number | string | undefined;
}

export interface RollingUpdateStatefulSetStrategy {
  partition?: number | undefined;
  maxUnavailable?: number | string | undefined;
}

export interface Rule {
  apiGroups?: string[] | undefined;
  apiVersions?: string[] | undefined;
  resources?: string[] | undefined;
  scope?: string | undefined;
}

export interface RuleWithOperations {
  operations?: string[] | undefined;
  apiGroups?: string[] | undefined;
  apiVersions?: string[] | undefined;
  resources?: string[] | undefined;
  scope?: string | undefined;
}

export interface RuntimeClass {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  handler: string;
  overhead?: Overhead | undefined;
  scheduling?: Scheduling | undefined;
}

export interface SELinuxOptions {
  user?: string | undefined;
  role?: string | undefined;
  type?: string | undefined;
  level?: string | undefined;
}

export interface Scale {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: ScaleSpec;
  status: ScaleStatus;
}

export interface ScaleIOPersistentVolumeSource {
  gateway: string;
  system: string;
  secretRef?: SecretReference | null | undefined;
  sslEnabled?: boolean | undefined;
  protectionDomain?: string | undefined;
  storagePool?: string | undefined;
  storageMode?: string | undefined;
  volumeName?: string | undefined;
  fsType?: string | undefined;
  readOnly?: boolean | undefined;
}

export interface ScaleIOVolumeSource {
  gateway: string;
  system: string;
  secretRef?: LocalObjectReference | null | undefined;
  sslEnabled?: boolean | undefined;
  protectionDomain?: string | undefined;
  storagePool?: string | undefined;
  storageMode?: string | undefined;
  volumeName?: string | undefined;
  fsType?: string | undefined;
  readOnly?: boolean | undefined;
}

export interface ScaleSpec {
  replicas?: number | undefined;
}

export interface ScaleStatus {
  replicas: number;
  selector?: string | undefined;
}

export interface Scheduling {
  nodeSelector?: Record<string, string> | undefined;
  tolerations?: Toleration[] | undefined;
}

export interface ScopeSelector {
  matchExpressions?: ScopedResourceSelectorRequirement[] | undefined;
}

export interface ScopedResourceSelectorRequirement {
  scopeName: string;
  operator: string;
  values?: string[] | undefined;
}

export interface SeccompProfile {
  type: string;
  localhostProfile?: string | undefined;
}

export interface Secret {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  immutable?: boolean | undefined;
  data?: Record<string, string> | undefined;
  stringData?: Record<string, string> | undefined;
  type?: string | undefined;
}

export interface SecretEnvSource {
  name?: string | undefined;
  optional?: boolean | undefined;
}

export interface SecretKeySelector {
  name?: string | undefined;
  key: string;
  optional?: boolean | undefined;
}

export interface SecretProjection {
  name?: string | undefined;
  items?: KeyToPath[] | undefined;
  optional?: boolean | undefined;
}

export interface SecretReference {
  name?: string | undefined;
  namespace?: string | undefined;
}

export interface SecretVolumeSource {
  secretName?: string | undefined;
  items?: KeyToPath[] | undefined;
  defaultMode?: number | undefined;
  optional?: boolean | undefined;
}

export interface SecurityContext {
  capabilities?: Capabilities | undefined;
  privileged?: boolean | undefined;
  seLinuxOptions?: SELinuxOptions | undefined;
  windowsOptions?: WindowsSecurityContextOptions | undefined;
  runAsUser?: number | undefined;
  runAsGroup?: number | undefined;
  runAsNonRoot?: boolean | undefined;
  readOnlyRootFilesystem?: boolean | undefined;
  allowPrivilegeEscalation?: boolean | undefined;
  procMount?: string | undefined;
  seccompProfile?: SeccompProfile | undefined;
  appArmorProfile?: AppArmorProfile | undefined;
}

export interface SelfSubjectAccessReview {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: SelfSubjectAccessReviewSpec;
  status: SubjectAccessReviewStatus;
}

export interface SelfSubjectAccessReviewSpec {
  resourceAttributes?: ResourceAttributes | undefined;
  nonResourceAttributes?: NonResourceAttributes | undefined;
}

export interface SelfSubjectReview {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  status: SelfSubjectReviewStatus;
}

export interface SelfSubjectReviewStatus {
  userInfo: UserInfo;
}

export interface SelfSubjectRulesReview {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: SelfSubjectRulesReviewSpec;
  status: SubjectRulesReviewStatus;
}

export interface SelfSubjectRulesReviewSpec {
  namespace?: string | undefined;
}

export interface Service {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: ServiceSpec;
  status: ServiceStatus;
}

export interface ServiceAccount {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  secrets?: ObjectReference[] | undefined;
  imagePullSecrets?: LocalObjectReference[] | undefined;
  automountServiceAccountToken?: boolean | undefined;
}

export interface ServiceAccountSubject {
  namespace: string;
  name: string;
}

export interface ServiceAccountTokenProjection {
  audience?: string | undefined;
  expirationSeconds?: number | undefined;
  path: string;
}

export interface ServiceBackendPort {
  name?: string | undefined;
  number?: number | undefined;
}

export interface ServiceCIDR {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: ServiceCIDRSpec;
  status: ServiceCIDRStatus;
}

export interface ServiceCIDRSpec {
  cidrs?: string[] | undefined;
}

export interface ServiceCIDRStatus {
  conditions?: Condition[] | undefined;
}

export interface ServicePort {
  name?: string | undefined;
  protocol?: string | undefined;
  appProtocol?: string | undefined;
  port: number;
  targetPort: number | string;
  nodePort?: number | undefined;
}

export interface ServiceReference {
  namespace?: string | undefined;
  name?: string | undefined;
  port?: number | undefined;
}

export interface ServiceSpec {
  ports?: ServicePort[] | undefined;
  selector?: Record<string, string> | undefined;
  clusterIP?: string | undefined;
  clusterIPs?: string[] | undefined;
  type?: string | undefined;
  externalIPs?: string[] | undefined;
  sessionAffinity?: string | undefined;
  loadBalancerIP?: string | undefined;
  loadBalancerSourceRanges?: string[] | undefined;
  externalName?: string | undefined;
  externalTrafficPolicy?: string | undefined;
  healthCheckNodePort?: number | undefined;
  publishNotReadyAddresses?: boolean | undefined;
  sessionAffinityConfig?: SessionAffinityConfig | undefined;
  ipFamilies?: string[] | undefined;
  ipFamilyPolicy?: string | undefined;
  allocateLoadBalancerNodePorts?: boolean | undefined;
  loadBalancerClass?: string | undefined;
  internalTrafficPolicy?: string | undefined;
  trafficDistribution?: string | undefined;
}

export interface ServiceStatus {
  loadBalancer: LoadBalancerStatus;
  conditions?: Condition[] | undefined;
}

export interface SessionAffinityConfig {
  clientIP?: ClientIPConfig | undefined;
}

export interface SleepAction {
  seconds: number;
}

export interface StatefulSet {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: StatefulSetSpec;
  status: StatefulSetStatus;
}

export interface StatefulSetCondition {
  type: string;
  status: string;
  lastTransitionTime?: string | null | undefined;
  reason?: string | undefined;
  message?: string | undefined;
}

export interface StatefulSetOrdinals {
  start: number;
}

export interface StatefulSetPersistentVolumeClaimRetentionPolicy {
  whenDeleted?: string | undefined;
  whenScaled?: string | undefined;
}

export interface StatefulSetSpec {
  replicas?: number | undefined;
  selector?: LabelSelector | null | undefined;
  template: PodTemplateSpec;
  volumeClaimTemplates?: PersistentVolumeClaim[] | undefined;
  serviceName: string;
  podManagementPolicy?: string | undefined;
  updateStrategy: StatefulSetUpdateStrategy;
  revisionHistoryLimit?: number | undefined;
  minReadySeconds?: number | undefined;
  persistentVolumeClaimRetentionPolicy?: StatefulSetPersistentVolumeClaimRetentionPolicy | undefined;
  ordinals?: StatefulSetOrdinals | undefined;
}

export interface StatefulSetStatus {
  observedGeneration?: number | undefined;
  replicas: number;
  readyReplicas?: number | undefined;
  currentReplicas?: number | undefined;
  updatedReplicas?: number | undefined;
  currentRevision?: string | undefined;
  updateRevision?: string | undefined;
  collisionCount?: number | undefined;
  conditions?: StatefulSetCondition[] | undefined;
  availableReplicas: number;
}

export interface StatefulSetUpdateStrategy {
  type?: string | undefined;
  rollingUpdate?: RollingUpdateStatefulSetStrategy | undefined;
}

export interface StorageClass {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  provisioner: string;
  parameters?: Record<string, string> | undefined;
  reclaimPolicy?: string | undefined;
  mountOptions?: string[] | undefined;
  allowVolumeExpansion?: boolean | undefined;
  volumeBindingMode?: string | undefined;
  allowedTopologies?: TopologySelectorTerm[] | undefined;
}

export interface StorageOSPersistentVolumeSource {
  volumeName?: string | undefined;
  volumeNamespace?: string | undefined;
  fsType?: string | undefined;
  readOnly?: boolean | undefined;
  secretRef?: ObjectReference | undefined;
}

export interface StorageOSVolumeSource {
  volumeName?: string | undefined;
  volumeNamespace?: string | undefined;
  fsType?: string | undefined;
  readOnly?: boolean | undefined;
  secretRef?: LocalObjectReference | undefined;
}

export interface Subject {
  kind: string;
  apiGroup?: string | undefined;
  name: string;
  namespace?: string | undefined;
}

export interface SubjectAccessReview {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: SubjectAccessReviewSpec;
  status: SubjectAccessReviewStatus;
}

export interface SubjectAccessReviewSpec {
  resourceAttributes?: ResourceAttributes | undefined;
  nonResourceAttributes?: NonResourceAttributes | undefined;
  user?: string | undefined;
  groups?: string[] | undefined;
  extra?: Record<string, string[]> | undefined;
  uid?: string | undefined;
}

export interface SubjectAccessReviewStatus {
  allowed: boolean;
  denied?: boolean | undefined;
  reason?: string | undefined;
  evaluationError?: string | undefined;
}

export interface SubjectRulesReviewStatus {
  resourceRules: ResourceRule[] | null;
  nonResourceRules: NonResourceRule[] | null;
  incomplete: boolean;
  evaluationError?: string | undefined;
}

export interface SuccessPolicy {
  rules: SuccessPolicyRule[] | null;
}

export interface SuccessPolicyRule {
  succeededIndexes?: string | undefined;
  succeededCount?: number | undefined;
}

export interface Sysctl {
  name: string;
  value: string;
}

export interface TCPSocketAction {
  port: number | string;
  host?: string | undefined;
}

export interface Taint {
  key: string;
  value?: string | undefined;
  effect: string;
  timeAdded?: string | undefined;
}

export interface TokenRequest {
  audience: string;
  expirationSeconds?: number | undefined;
}

export interface TokenRequestSpec {
  audiences: string[] | null;
  expirationSeconds?: number | null | undefined;
  boundObjectRef?: BoundObjectReference | null | undefined;
}

export interface TokenRequestStatus {
  token: string;
  expirationTimestamp?: string | null | undefined;
}

export interface TokenReview {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: TokenReviewSpec;
  status: TokenReviewStatus;
}

export interface TokenReviewSpec {
  token?: string | undefined;
  audiences?: string[] | undefined;
}

export interface TokenReviewStatus {
  authenticated?: boolean | undefined;
  user: UserInfo;
  audiences?: string[] | undefined;
  error?: string | undefined;
}

export interface Toleration {
  key?: string | undefined;
  operator?: string | undefined;
  value?: string | undefined;
  effect?: string | undefined;
  tolerationSeconds?: number | undefined;
}

export interface TopologySelectorLabelRequirement {
  key: string;
  values: string[] | null;
}

export interface TopologySelectorTerm {
  matchLabelExpressions?: TopologySelectorLabelRequirement[] | undefined;
}

export interface TopologySpreadConstraint {
  maxSkew: number;
  topologyKey: string;
  whenUnsatisfiable: string;
  labelSelector?: LabelSelector | undefined;
  minDomains?: number | undefined;
  nodeAffinityPolicy?: string | undefined;
  nodeTaintsPolicy?: string | undefined;
  matchLabelKeys?: string[] | undefined;
}

export interface TypeChecking {
  expressionWarnings?: ExpressionWarning[] | undefined;
}

export interface TypedLocalObjectReference {
  apiGroup?: string | null | undefined;
  kind: string;
  name: string;
}

export interface TypedObjectReference {
  apiGroup?: string | null | undefined;
  kind: string;
  name: string;
  namespace?: string | undefined;
}

export interface UncountedTerminatedPods {
  succeeded?: string[] | undefined;
  failed?: string[] | undefined;
}

export interface UserInfo {
  username?: string | undefined;
  uid?: string | undefined;
  groups?: string[] | undefined;
  extra?: Record<string, string[]> | undefined;
}

export interface UserSubject {
  name: string;
}

export interface ValidatingAdmissionPolicy {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: ValidatingAdmissionPolicySpec;
  status: ValidatingAdmissionPolicyStatus;
}

export interface ValidatingAdmissionPolicyBinding {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: ValidatingAdmissionPolicyBindingSpec;
}

export interface ValidatingAdmissionPolicyBindingSpec {
  policyName?: string | undefined;
  paramRef?: ParamRef | undefined;
  matchResources?: MatchResources | undefined;
  validationActions?: string[] | undefined;
}

export interface ValidatingAdmissionPolicySpec {
  paramKind?: ParamKind | undefined;
  matchConstraints?: MatchResources | undefined;
  validations?: Validation[] | undefined;
  failurePolicy?: string | undefined;
  auditAnnotations?: AuditAnnotation[] | undefined;
  matchConditions?: MatchCondition[] | undefined;
  variables?: Variable[] | undefined;
}

export interface ValidatingAdmissionPolicyStatus {
  observedGeneration?: number | undefined;
  typeChecking?: TypeChecking | undefined;
  conditions?: Condition[] | undefined;
}

export interface ValidatingWebhook {
  name: string;
  clientConfig: WebhookClientConfig;
  rules?: RuleWithOperations[] | undefined;
  failurePolicy?: string | undefined;
  matchPolicy?: string | undefined;
  namespaceSelector?: LabelSelector | undefined;
  objectSelector?: LabelSelector | undefined;
  sideEffects?: string | null | undefined;
  timeoutSeconds?: number | undefined;
  admissionReviewVersions: string[] | null;
  matchConditions?: MatchCondition[] | undefined;
}

export interface ValidatingWebhookConfiguration {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  webhooks?: ValidatingWebhook[] | undefined;
}

export interface Validation {
  expression: string;
  message?: string | undefined;
  reason?: string | undefined;
  messageExpression?: string | undefined;
}

export interface Variable {
  name: string;
  expression: string;
}

export interface Volume {
  name: string;
  hostPath?: HostPathVolumeSource | undefined;
  emptyDir?: EmptyDirVolumeSource | undefined;
  gcePersistentDisk?: GCEPersistentDiskVolumeSource | undefined;
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource | undefined;
  gitRepo?: GitRepoVolumeSource | undefined;
  secret?: SecretVolumeSource | undefined;
  nfs?: NFSVolumeSource | undefined;
  iscsi?: ISCSIVolumeSource | undefined;
  glusterfs?: GlusterfsVolumeSource | undefined;
  persistentVolumeClaim?: PersistentVolumeClaimVolumeSource | undefined;
  rbd?: RBDVolumeSource | undefined;
  flexVolume?: FlexVolumeSource | undefined;
  cinder?: CinderVolumeSource | undefined;
  cephfs?: CephFSVolumeSource | undefined;
  flocker?: FlockerVolumeSource | undefined;
  downwardAPI?: DownwardAPIVolumeSource | undefined;
  fc?: FCVolumeSource | undefined;
  azureFile?: AzureFileVolumeSource | undefined;
  configMap?: ConfigMapVolumeSource | undefined;
  vsphereVolume?: VsphereVirtualDiskVolumeSource | undefined;
  quobyte?: QuobyteVolumeSource | undefined;
  azureDisk?: AzureDiskVolumeSource | undefined;
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource | undefined;
  projected?: ProjectedVolumeSource | undefined;
  portworxVolume?: PortworxVolumeSource | undefined;
  scaleIO?: ScaleIOVolumeSource | undefined;
  storageos?: StorageOSVolumeSource | undefined;
  csi?: CSIVolumeSource | undefined;
  ephemeral?: EphemeralVolumeSource | undefined;
  image?: ImageVolumeSource | undefined;
}

export interface VolumeAttachment {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: VolumeAttachmentSpec;
  status: VolumeAttachmentStatus;
}

export interface VolumeAttachmentSource {
  persistentVolumeName?: string | undefined;
  inlineVolumeSpec?: PersistentVolumeSpec | undefined;
}

export interface VolumeAttachmentSpec {
  attacher: string;
  source: VolumeAttachmentSource;
  nodeName: string;
}

export interface VolumeAttachmentStatus {
  attached: boolean;
  attachmentMetadata?: Record<string, string> | undefined;
  attachError?: VolumeError | undefined;
  detachError?: VolumeError | undefined;
}

export interface VolumeAttributesClass {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  driverName: string;
  parameters?: Record<string, string> | undefined;
}

export interface VolumeDevice {
  name: string;
  devicePath: string;
}

export interface VolumeError {
  time?: string | null | undefined;
  message?: string | undefined;
  errorCode?: number | undefined;
}

export interface VolumeMount {
  name: string;
  readOnly?: boolean | undefined;
  recursiveReadOnly?: string | undefined;
  mountPath: string;
  subPath?: string | undefined;
  mountPropagation?: string | undefined;
  subPathExpr?: string | undefined;
}

export interface VolumeMountStatus {
  name: string;
  mountPath: string;
  readOnly?: boolean | undefined;
  recursiveReadOnly?: string | undefined;
  volumeStatus?: VolumeStatus | undefined;
}

export interface VolumeNodeAffinity {
  required?: NodeSelector | undefined;
}

export interface VolumeNodeResources {
  count?: number | undefined;
}

export interface VolumeProjection {
  secret?: SecretProjection | undefined;
  downwardAPI?: DownwardAPIProjection | undefined;
  configMap?: ConfigMapProjection | undefined;
  serviceAccountToken?: ServiceAccountTokenProjection | undefined;
  clusterTrustBundle?: ClusterTrustBundleProjection | undefined;
  podCertificate?: PodCertificateProjection | undefined;
}

export interface VolumeResourceRequirements {
  limits?: Record<string, string> | undefined;
  requests?: Record<string, string> | undefined;
}

export interface VolumeSource {
  hostPath?: HostPathVolumeSource | undefined;
  emptyDir?: EmptyDirVolumeSource | undefined;
  gcePersistentDisk?: GCEPersistentDiskVolumeSource | undefined;
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource | undefined;
  gitRepo?: GitRepoVolumeSource | undefined;
  secret?: SecretVolumeSource | undefined;
  nfs?: NFSVolumeSource | undefined;
  iscsi?: ISCSIVolumeSource | undefined;
  glusterfs?: GlusterfsVolumeSource | undefined;
  persistentVolumeClaim?: PersistentVolumeClaimVolumeSource | undefined;
  rbd?: RBDVolumeSource | undefined;
  flexVolume?: FlexVolumeSource | undefined;
  cinder?: CinderVolumeSource | undefined;
  cephfs?: CephFSVolumeSource | undefined;
  flocker?: FlockerVolumeSource | undefined;
  downwardAPI?: DownwardAPIVolumeSource | undefined;
  fc?: FCVolumeSource | undefined;
  azureFile?: AzureFileVolumeSource | undefined;
  configMap?: ConfigMapVolumeSource | undefined;
  vsphereVolume?: VsphereVirtualDiskVolumeSource | undefined;
  quobyte?: QuobyteVolumeSource | undefined;
  azureDisk?: AzureDiskVolumeSource | undefined;
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource | undefined;
  projected?: ProjectedVolumeSource | undefined;
  portworxVolume?: PortworxVolumeSource | undefined;
  scaleIO?: ScaleIOVolumeSource | undefined;
  storageos?: StorageOSVolumeSource | undefined;
  csi?: CSIVolumeSource | undefined;
  ephemeral?: EphemeralVolumeSource | undefined;
  image?: ImageVolumeSource | undefined;
}

export interface VolumeStatus {
  image?: ImageVolumeStatus | undefined;
}

export interface VsphereVirtualDiskVolumeSource {
  volumePath: string;
  fsType?: string | undefined;
  storagePolicyName?: string | undefined;
  storagePolicyID?: string | undefined;
}

export interface WebhookClientConfig {
  url?: string | undefined;
  service?: Admissionregistrationv1ServiceReference | undefined;
  caBundle?: string | undefined;
}

export interface WeightedPodAffinityTerm {
  weight: number;
  podAffinityTerm: PodAffinityTerm;
}

export interface WindowsSecurityContextOptions {
  gmsaCredentialSpecName?: string | undefined;
  gmsaCredentialSpec?: string | undefined;
  runAsUserName?: string | undefined;
  hostProcess?: boolean | undefined;
}

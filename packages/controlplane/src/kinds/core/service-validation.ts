import {
  checkDns1123Label,
  type FieldError,
  FieldPath,
  forbiddenField,
  invalidField,
  requiredField,
} from '@kubewright/apimachinery';
import type { Service, ServicePort, ServiceSpec } from '../generated/drafts.ts';
import { balancerAddress } from '../networking/load-balancer-status.ts';
import { type Check, each, enumOf, fields, isEmpty, optional, present, required } from '../validation/check.ts';
import { cidr, ipAddress, specialAddress } from '../validation/ip.ts';
import { type ValidationEntry, validationOf } from '../validation/kind-validation.ts';
import {
  dnsLabel,
  dnsSubdomain,
  labels,
  portNumber,
  portNumberOrName,
  protocol,
  qualifiedName,
} from '../validation/rules.ts';
import { serviceAddressChanges, serviceAddressFaults } from './service-address-validation.ts';
import { serviceWarnings } from './service-warnings.ts';

const specPath = FieldPath.of('spec');
const types = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const maxAffinitySeconds = 86_400;

/** Validation of Services. The allocator rejects addresses that cannot be allocated. */
export const serviceValidation: readonly ValidationEntry[] = [
  validationOf<Service>('/v1/services', {
    validate: ({ spec }) => [
      ...portsFaults(spec),
      ...typeFaults(spec),
      ...plain(spec, specPath),
      ...externalFaults(spec),
      ...healthCheckFaults(spec),
      ...serviceAddressFaults(spec),
    ],
    validateUpdate: serviceAddressChanges,
    validateName: checkDns1123Label,
    warnings: serviceWarnings,
  }),
  validationOf<Service>('/v1/services/status', { validate: balancerFaults }),
];

/** Validates the health check node port, which only load balancers that preserve client addresses may have. */
function healthCheckFaults(spec: ServiceSpec): readonly FieldError[] {
  const at = specPath.child('healthCheckNodePort');
  const port = spec.healthCheckNodePort ?? 0;
  if (spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local') return required(portNumber)(port, at);
  const detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
  return port === 0 ? [] : [invalidField(at, port, detail)];
}

function balancerFaults({ spec, status }: Service): readonly FieldError[] {
  const path = FieldPath.of('status', 'loadBalancer', 'ingress');
  if (spec.type === 'LoadBalancer') return each(balancerAddress)(status.loadBalancer?.ingress, path);
  if (isEmpty(status.loadBalancer?.ingress)) return [];
  return [forbiddenField(path, "may only be used when `spec.type` is 'LoadBalancer'")];
}

const plain: Check<ServiceSpec> = fields<ServiceSpec>({
  selector: labels,
  sessionAffinity: required(enumOf('ClientIP', 'None')),
  type: required(enumOf(...types)),
  internalTrafficPolicy: present(enumOf('Cluster', 'Local')),
  trafficDistribution: present(enumOf('PreferClose', 'PreferSameZone', 'PreferSameNode')),
});

function portsFaults(spec: ServiceSpec): readonly FieldError[] {
  const path = specPath.child('ports');
  const list = spec.ports ?? [];
  const faults: FieldError[] = [];
  const optionalPorts = spec.type === 'ExternalName' || spec.clusterIP === 'None';
  if (list.length === 0 && !optionalPorts) faults.push(requiredField(path));
  const names = new Set<string>();
  const numbers = new Set<string>();
  for (const [index, port] of list.entries()) {
    const at = path.index(index);
    faults.push(
      ...nameFaults(port, { at: at.child('name'), several: list.length > 1, names }),
      ...portFaults(port, at),
    );
    const key = `${port.protocol}/${port.port}`;
    if (numbers.has(key)) {
      faults.push({
        type: 'FieldValueDuplicate',
        field: String(at),
        body: `Duplicate value: ${JSON.stringify(shownPort(port))}`,
      });
    }
    numbers.add(key);
    if (spec.type === 'ClusterIP' && port.nodePort) {
      faults.push(forbiddenField(at.child('nodePort'), "may not be used when `type` is 'ClusterIP'"));
    }
  }
  return faults;
}

function nameFaults(
  { name }: ServicePort,
  context: { readonly at: FieldPath; readonly several: boolean; readonly names: Set<string> },
): readonly FieldError[] {
  const { at, several, names } = context;
  if (!name) return several ? [requiredField(at)] : [];
  const faults = [...dnsLabel(name, at)];
  if (names.has(name))
    faults.push({ type: 'FieldValueDuplicate', field: String(at), body: `Duplicate value: ${JSON.stringify(name)}` });
  names.add(name);
  return faults;
}

const portFaults: Check<ServicePort> = fields<ServicePort>({
  port: portNumber,
  protocol: required(protocol),
  targetPort: portNumberOrName,
  appProtocol: present(qualifiedName),
});

/** Formats a duplicate port for error messages, with only the fields that are compared. */
function shownPort({ protocol: kind, port }: ServicePort): Record<string, unknown> {
  return { Name: '', Protocol: kind, AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 };
}

function typeFaults(spec: ServiceSpec): readonly FieldError[] {
  const faults: FieldError[] = [];
  if (spec.type === 'ExternalName') {
    if (!isEmpty(spec.clusterIPs) || spec.clusterIP) {
      faults.push(forbiddenField(specPath.child('clusterIPs'), 'may not be set for ExternalName services'));
    }
    faults.push(
      ...required<string>((name, path) => dnsSubdomain(name?.replace(/\.$/, ''), path))(
        spec.externalName,
        specPath.child('externalName'),
      ),
    );
  }
  if ((spec.type === 'LoadBalancer' || spec.type === 'NodePort') && spec.clusterIP === 'None') {
    faults.push(
      invalidField(specPath.child('clusterIPs').index(0), 'None', `may not be set to 'None' for ${spec.type} services`),
    );
  }
  if (spec.loadBalancerClass !== undefined && spec.type !== 'LoadBalancer') {
    faults.push(forbiddenField(specPath.child('loadBalancerClass'), "may only be used when `type` is 'LoadBalancer'"));
  }
  if (!isEmpty(spec.loadBalancerSourceRanges)) {
    const at = specPath.child('LoadBalancerSourceRanges');
    if (spec.type !== 'LoadBalancer') faults.push(forbiddenField(at, "may only be used when `type` is 'LoadBalancer'"));
    faults.push(...each<string>((range, path) => cidr(range?.trim(), path))(spec.loadBalancerSourceRanges, at));
  }
  if (spec.allocateLoadBalancerNodePorts !== undefined && spec.type !== 'LoadBalancer') {
    const at = specPath.child('allocateLoadBalancerNodePorts');
    faults.push(forbiddenField(at, "may only be used when `type` is 'LoadBalancer'"));
  }
  const seconds = spec.sessionAffinityConfig?.clientIP?.timeoutSeconds;
  if (spec.sessionAffinity === 'ClientIP' && seconds !== undefined && (seconds <= 0 || seconds > maxAffinitySeconds)) {
    const at = specPath.child('sessionAffinityConfig', 'clientIP', 'timeoutSeconds');
    faults.push(invalidField(at, seconds, `must be greater than 0 and less than ${maxAffinitySeconds}`));
  }
  return faults;
}

function externalFaults(spec: ServiceSpec): readonly FieldError[] {
  const faults: FieldError[] = [...each(externalIp)(spec.externalIPs, specPath.child('externalIPs'))];
  const outside =
    spec.type === 'NodePort' ||
    spec.type === 'LoadBalancer' ||
    (spec.type === 'ClusterIP' && !isEmpty(spec.externalIPs));
  const path = specPath.child('externalTrafficPolicy');
  if (!outside && spec.externalTrafficPolicy) {
    faults.push(invalidField(path, spec.externalTrafficPolicy, 'may only be set for externally-accessible services'));
  } else if (outside) faults.push(...optional(enumOf('Cluster', 'Local'))(spec.externalTrafficPolicy, path));
  return faults;
}

const externalIp: Check<string> = (value = '', path) => {
  const faults = ipAddress(value, path);
  return faults.length > 0 ? faults : specialAddress(value, { path, allowLoopback: false });
};

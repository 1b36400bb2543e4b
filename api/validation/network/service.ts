/** Services. Addresses and node ports themselves are checked by those who hand them out. */
import { duplicate, fieldForbidden, invalidValue, notSupported, required } from '../../field-error.ts';
import type { Service, ServicePort, ServiceSpec } from '../../gen/types.ts';
import { cidrComplaints, ipComplaints } from '../address-form.ts';
import { endpointIp } from './endpoint-ip.ts';
import { dnsLabel, dnsSubdomain, portName, portNumber, qualifiedName } from '../names.ts';
import { labels, objectMeta } from '../metadata.ts';
import { oneOf, present, texts, type Errors } from '../rule.ts';

const META = { name: dnsLabel, namespaced: true, finalizers: true };
const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const DAY_S = 86_400;
const SOURCE_RANGES = 'service.beta.kubernetes.io/load-balancer-source-ranges';
const LB_ONLY = "may only be used when `type` is 'LoadBalancer'";

/** @param old addresses and networks that it had are not looked at again. */
export function service(out: Errors, object: Service, old?: Service): void {
	objectMeta(out, object.metadata, META);
	serviceSpec(out, object, old);
}

/** @param old what it had is partly not looked at again */
export function serviceSpec(out: Errors, object: Service, old: Service | undefined): void {
	const { spec = {} } = object;
	const { spec: before = {} } = old ?? {};
	const { type = '' } = spec;
	const ports = spec.ports ?? [];
	topologyAnnotations(out, object);
	if (ports.length === 0 && !isHeadless(spec) && type !== 'ExternalName') out.push(required('spec.ports'));
	if ((type === 'LoadBalancer' || type === 'NodePort') && spec.clusterIPs?.length === 1 && spec.clusterIPs[0] === 'None')
		out.push(invalidValue('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${type} services`));
	if (type === 'ExternalName') {
		for (const key of ['clusterIPs', 'ipFamilies', 'ipFamilyPolicy'] as const)
			if ((spec[key] ?? []).length > 0) out.push(fieldForbidden(`spec.${key}`, 'may not be set for ExternalName services'));
		const name = (spec.externalName ?? '').replace(/\.$/, '');
		if (present(out, 'spec.externalName', name)) texts(out, 'spec.externalName', name, dnsSubdomain(name));
	}
	const names = new Set<string>();
	for (const [i, port] of ports.entries()) servicePort(out, `spec.ports[${i}]`, port, ports.length > 1, names);
	labels(out, 'spec.selector', spec.selector);
	if ((spec.sessionAffinity ?? '') === '') out.push(required('spec.sessionAffinity'));
	else oneOf(out, 'spec.sessionAffinity', spec.sessionAffinity, ['ClientIP', 'None']);
	const timeout = spec.sessionAffinityConfig?.clientIP?.timeoutSeconds;
	if (spec.sessionAffinity === 'ClientIP' && timeout !== undefined && (timeout <= 0 || timeout > DAY_S))
		out.push(invalidValue('spec.sessionAffinityConfig.clientIP.timeoutSeconds', timeout, `must be greater than 0 and less than ${DAY_S}`));
	if (type !== 'ExternalName') clusterIps(out, spec, before);
	for (const [i, ip] of (spec.externalIPs ?? []).entries()) {
		const complaints = before.externalIPs?.includes(ip) === true ? [] : ipComplaints(ip);
		if (complaints.length > 0) texts(out, `spec.externalIPs[${i}]`, ip, complaints);
		else endpointIp(out, `spec.externalIPs[${i}]`, ip);
	}
	if (type === '') out.push(required('spec.type'));
	else oneOf(out, 'spec.type', type, TYPES);
	if (type === 'ClusterIP')
		for (const [i, { nodePort = 0 }] of ports.entries())
			if (nodePort !== 0) out.push(fieldForbidden(`spec.ports[${i}].nodePort`, "may not be used when `type` is 'ClusterIP'"));
	duplicatePorts(out, ports);
	sourceRanges(out, spec, before);
	annotatedRanges(out, object, old);
	if (spec.allocateLoadBalancerNodePorts !== undefined && type !== 'LoadBalancer')
		out.push(fieldForbidden('spec.allocateLoadBalancerNodePorts', LB_ONLY));
	loadBalancerClass(out, spec);
	traffic(out, spec);
}

const TOPOLOGY_MODE = 'service.kubernetes.io/topology-mode';
const TOPOLOGY_HINTS = 'service.kubernetes.io/topology-aware-hints';

/** The old name and the new one of one wish. */
function topologyAnnotations(out: Errors, { metadata: { annotations = {} } }: Service): void {
	const [mode, hints] = [annotations[TOPOLOGY_MODE], annotations[TOPOLOGY_HINTS]];
	if (mode !== undefined && hints !== undefined && mode !== hints)
		out.push(
			invalidValue(`metadata.annotations[${TOPOLOGY_MODE}]`, mode, `must match annotations[${TOPOLOGY_HINTS}] when both are specified`),
		);
}

function servicePort(out: Errors, at: string, port: ServicePort, needsName: boolean, names: Set<string>): void {
	const { name = '' } = port;
	if (needsName && name === '') out.push(required(`${at}.name`));
	else if (name !== '') {
		texts(out, `${at}.name`, name, dnsLabel(name));
		if (names.has(name)) out.push(duplicate(`${at}.name`, name));
		names.add(name);
	}
	texts(out, `${at}.port`, port.port, portNumber(port.port));
	if ((port.protocol ?? '') === '') out.push(required(`${at}.protocol`));
	else oneOf(out, `${at}.protocol`, port.protocol, ['SCTP', 'TCP', 'UDP']);
	const target = port.targetPort ?? port.port;
	texts(out, `${at}.targetPort`, target, typeof target === 'number' ? portNumber(target) : portName(target));
	if (port.appProtocol !== undefined) texts(out, `${at}.appProtocol`, port.appProtocol, qualifiedName(port.appProtocol));
}

function duplicatePorts(out: Errors, ports: readonly ServicePort[]): void {
	const nodePorts = new Set<string>();
	for (const [i, { nodePort = 0, protocol = '' }] of ports.entries()) {
		if (nodePort === 0) continue;
		const key = `${protocol}/${nodePort}`;
		if (nodePorts.has(key)) out.push(duplicate(`spec.ports[${i}].nodePort`, nodePort));
		nodePorts.add(key);
	}
	const seen = new Set<string>();
	for (const [i, { port, protocol = '' }] of ports.entries()) {
		const key = `${protocol}/${port}`;
		if (seen.has(key))
			out.push(duplicate(`spec.ports[${i}]`, { Name: '', Protocol: protocol, AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 }));
		seen.add(key);
	}
}

/** What the addresses and their families say of each other (ValidateServiceClusterIPsRelatedFields); the allocator asks before anything else is looked at. */
export function clusterIps(out: Errors, spec: ServiceSpec, before: ServiceSpec = {}): void {
	if (spec.type === 'ExternalName') return;
	const ips = spec.clusterIPs ?? [];
	if (ips.length === 0 && (spec.clusterIP ?? '') !== '') out.push(required('spec.clusterIPs'));
	if (ips.length > 0 && (spec.clusterIP ?? '') !== '' && spec.clusterIP !== ips[0])
		out.push(invalidValue('spec.clusterIPs', ips, 'first value must match `clusterIP`'));
	if (ips.length > 0 && (spec.clusterIP ?? '') === '')
		out.push(invalidValue('spec.clusterIPs', ips, 'must be empty when `clusterIP` is not specified'));
	const families = new Set<string>();
	for (const [i, family] of (spec.ipFamilies ?? []).entries()) {
		const at = `spec.ipFamilies[${i}]`;
		if (family !== 'IPv4' && family !== 'IPv6') out.push(notSupported(at, family, ['IPv4', 'IPv6']));
		if (families.has(family)) out.push(duplicate(at, family));
		families.add(family);
	}
	oneOf(out, 'spec.ipFamilyPolicy', spec.ipFamilyPolicy, ['PreferDualStack', 'RequireDualStack', 'SingleStack']);
	const sofar = out.length;
	for (const [i, ip] of ips.entries()) {
		if (i === 0 && ip === 'None') {
			if (ips.length > 1) out.push(invalidValue('spec.clusterIPs', ips, "'None' must be the first and only value"));
		} else if (before.clusterIPs?.includes(ip) !== true) texts(out, `spec.clusterIPs[${i}]`, ip, ipComplaints(ip));
	}
	const areAddresses = out.length === sofar;
	if (ips.length > 2) out.push(invalidValue('spec.clusterIPs', ips, 'may only hold up to 2 values'));
	if (!areAddresses || isHeadless(spec)) return;
	const asked = ips.map((ip) => (ip.includes(':') ? 'IPv6' : 'IPv4'));
	if (ips.length > 1 && new Set(asked).size < 2)
		out.push(invalidValue('spec.clusterIPs', ips, 'may specify no more than one IP for each IP family'));
	for (const [i, family] of (spec.ipFamilies ?? []).slice(0, ips.length).entries())
		if ((family === 'IPv4' || family === 'IPv6') && family !== asked[i])
			out.push(invalidValue(`spec.clusterIPs[${i}]`, ips[i], `expected an ${family} value as indicated by \`ipFamilies[${i}]\``));
}

/** By the list alone: the single field may say something else, which is refused. */
function isHeadless({ clusterIPs = [] }: ServiceSpec): boolean {
	return clusterIPs.length === 1 && clusterIPs[0] === 'None';
}

function sourceRanges(out: Errors, { type, loadBalancerSourceRanges: ranges = [] }: ServiceSpec, before: ServiceSpec): void {
	const at = 'spec.LoadBalancerSourceRanges';
	if (ranges.length === 0) return;
	if (type !== 'LoadBalancer') out.push(fieldForbidden(at, LB_ONLY));
	const known = new Set((before.loadBalancerSourceRanges ?? []).map((range) => range.trim()));
	for (const [i, range] of ranges.map((padded) => padded.trim()).entries())
		if (!known.has(range)) texts(out, `${at}[${i}]`, range, cidrComplaints(range));
}

/** What the field took the place of, where the field says nothing. */
function annotatedRanges(out: Errors, { metadata, spec }: Service, old: Service | undefined): void {
	const ranges = metadata.annotations?.[SOURCE_RANGES];
	if (ranges === undefined || (spec?.loadBalancerSourceRanges ?? []).length > 0) return;
	const at = `metadata.annotations[${SOURCE_RANGES}]`;
	if (spec?.type !== 'LoadBalancer') out.push(fieldForbidden(at, LB_ONLY));
	if (ranges === old?.metadata.annotations?.[SOURCE_RANGES] || ranges.trim() === '') return;
	for (const range of ranges.split(',').map((padded) => padded.trim())) texts(out, at, range, cidrComplaints(range));
}

export function loadBalancerClass(out: Errors, { type, loadBalancerClass: name }: ServiceSpec): void {
	if (name === undefined) return;
	if (type !== 'LoadBalancer') out.push(fieldForbidden('spec.loadBalancerClass', LB_ONLY));
	else texts(out, 'spec.loadBalancerClass', name, qualifiedName(name));
}

function traffic(out: Errors, spec: ServiceSpec): void {
	const { type, externalTrafficPolicy: external, internalTrafficPolicy: internal, healthCheckNodePort: port = 0 } = spec;
	const reachable = type === 'LoadBalancer' || type === 'NodePort' || (type === 'ClusterIP' && (spec.externalIPs ?? []).length > 0);
	const at = 'spec.externalTrafficPolicy';
	if (!reachable) {
		if (external !== undefined) out.push(invalidValue(at, external, 'may only be set for externally-accessible services'));
	} else if (external === undefined) out.push(required(at));
	else oneOf(out, at, external, ['Cluster', 'Local']);
	const checked = type === 'LoadBalancer' && external === 'Local';
	if (checked && port !== 0) texts(out, 'spec.healthCheckNodePort', port, portNumber(port));
	if (!checked && port !== 0)
		out.push(
			invalidValue(
				'spec.healthCheckNodePort',
				port,
				"may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
			),
		);
	if (internal === undefined) {
		if (type === 'ClusterIP' || type === 'NodePort' || type === 'LoadBalancer') out.push(required('spec.internalTrafficPolicy'));
	} else oneOf(out, 'spec.internalTrafficPolicy', internal, ['Cluster', 'Local']);
	oneOf(out, 'spec.trafficDistribution', spec.trafficDistribution, ['PreferClose', 'PreferSameZone', 'PreferSameNode']);
}

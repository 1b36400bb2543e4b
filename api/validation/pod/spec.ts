/** The spec of a pod or pod template, in upstream's order of checks (core validation ValidatePodSpec). */
import { fieldForbidden, invalidValue, notSupported, required, tooLong } from '../../field-error.ts';
import type { Pod, PodSpec } from '../../gen/types.ts';
import { containers, ephemeralContainers, initContainers } from './container.ts';
import { ipComplaints } from '../address-form.ts';
import { fileKeyVolumes } from './downward.ts';
import { labels } from '../metadata.ts';
import { dnsLabel, dnsSubdomain, qualifiedName, searchPath } from '../names.ts';
import { containerResources, podResources } from './resources.ts';
import { oneOf, texts, Unique, type Errors } from '../rule.ts';
import { affinity, schedulingGates, tolerations, topologySpread } from './scheduling.ts';
import type { PodOptions } from './options.ts';
import { osFields } from './os-fields.ts';
import { hostUsers, podSecurity, windowsHostProcess } from './security.ts';
import { volumes } from './volumes.ts';

const MAX_INT32 = 2_147_483_647;
const MIRROR = 'kubernetes.io/config.mirror';
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];

/** @param options what may stay; @param pod where it is a pod's own, which more is asked of than of a template's */
export function podSpec(out: Errors, path: string, given: PodSpec, options: PodOptions, pod?: Pod): void {
	const spec: PodSpec = { ...given, containers: given.containers ?? [] };
	const names = volumes(out, `${path}.volumes`, spec.volumes ?? [], options, pod);
	const claims = resourceClaims(out, `${path}.resourceClaims`, spec, pod?.metadata.annotations?.[MIRROR] !== undefined);
	const context = { spec, volumes: names, claims, options };
	containers(out, `${path}.containers`, spec.containers ?? [], context);
	initContainers(out, `${path}.initContainers`, spec.initContainers ?? [], context);
	ephemeralContainers(out, `${path}.ephemeralContainers`, spec, context);
	podResources(out, `${path}.resources`, spec, path, context);
	hostNetworkPorts(out, path, spec);
	if ((spec.restartPolicy ?? '') === '') out.push(required(`${path}.restartPolicy`));
	else oneOf(out, `${path}.restartPolicy`, spec.restartPolicy, ['Always', 'OnFailure', 'Never']);
	if ((spec.dnsPolicy ?? '') === '') out.push(required(`${path}.dnsPolicy`));
	else oneOf(out, `${path}.dnsPolicy`, spec.dnsPolicy, DNS_POLICIES);
	labels(out, `${path}.nodeSelector`, spec.nodeSelector);
	podSecurity(out, `${path}.securityContext`, spec.securityContext, spec, options);
	affinity(out, `${path}.affinity`, spec.affinity, options);
	dnsConfig(out, `${path}.dnsConfig`, spec);
	for (const [i, { conditionType }] of (spec.readinessGates ?? []).entries())
		texts(out, `${path}.readinessGates[${i}].conditionType`, conditionType, qualifiedName(conditionType));
	schedulingGates(out, `${path}.schedulingGates`, spec);
	topologySpread(out, `${path}.topologySpreadConstraints`, spec, options);
	windowsHostProcess(out, path, spec);
	hostUsers(out, path, spec, options);
	hostnameOverride(out, path, spec);
	optionalName(out, `${path}.serviceAccountName`, spec.serviceAccountName);
	optionalName(out, `${path}.nodeName`, spec.nodeName);
	const deadline = spec.activeDeadlineSeconds;
	if (deadline !== undefined && (deadline < 1 || deadline > MAX_INT32))
		out.push(invalidValue(`${path}.activeDeadlineSeconds`, deadline, `must be between 1 and ${MAX_INT32}, inclusive`));
	for (const key of ['hostname', 'subdomain'] as const)
		if ((spec[key] ?? '') !== '') texts(out, `${path}.${key}`, spec[key], dnsLabel(spec[key] ?? ''));
	tolerations(out, `${path}.tolerations`, spec.tolerations ?? []);
	for (const [i, { ip = '', hostnames = [] }] of (spec.hostAliases ?? []).entries()) {
		texts(out, `${path}.hostAliases[${i}].ip`, ip, ipComplaints(ip));
		for (const [j, name] of hostnames.entries()) texts(out, `${path}.hostAliases[${i}].hostnames[${j}]`, name, dnsSubdomain(name));
	}
	optionalName(out, `${path}.priorityClassName`, spec.priorityClassName);
	if (spec.runtimeClassName !== undefined)
		texts(out, `${path}.runtimeClassName`, spec.runtimeClassName, dnsSubdomain(spec.runtimeClassName));
	if (spec.preemptionPolicy === '') out.push(required(`${path}.preemptionPolicy`));
	else oneOf(out, `${path}.preemptionPolicy`, spec.preemptionPolicy, ['PreemptLowerPriority', 'Never']);
	containerResources(out, `${path}.overhead`, { limits: spec.overhead ?? {} }, { claims: new Set(), options });
	operatingSystem(out, path, spec);
	fileKeyVolumes(out, path, spec);
}

function hostNetworkPorts(out: Errors, path: string, { hostNetwork, containers: list }: PodSpec): void {
	if (hostNetwork !== true) return;
	for (const [i, { ports = [] }] of list.entries())
		for (const [j, { hostPort = 0, containerPort }] of ports.entries())
			if (hostPort !== 0 && hostPort !== containerPort)
				out.push(
					invalidValue(`${path}.containers[${i}].ports[${j}].hostPort`, hostPort, 'must match `containerPort` when `hostNetwork` is true'),
				);
}

function hostnameOverride(out: Errors, path: string, { hostnameOverride: name, hostNetwork, setHostnameAsFQDN }: PodSpec): void {
	if (name === undefined) return;
	if (setHostnameAsFQDN === true)
		out.push(fieldForbidden(`${path}.hostnameOverride`, 'may not be specified when setHostnameAsFQDN is true'));
	if (hostNetwork === true) out.push(fieldForbidden(`${path}.hostnameOverride`, 'may not be specified when hostNetwork is true'));
	if (Buffer.byteLength(name) > MAX_HOSTNAME) out.push(tooLong(`${path}.hostnameOverride`, MAX_HOSTNAME));
	texts(out, `${path}.hostnameOverride`, name, dnsSubdomain(name));
}

const MAX_HOSTNAME = 64;

function optionalName(out: Errors, path: string, value: string | undefined): void {
	if (value !== undefined && value !== '') texts(out, path, value, dnsSubdomain(value));
}

function operatingSystem(out: Errors, path: string, spec: PodSpec): void {
	const { os } = spec;
	if (os === undefined) return;
	if ((os.name ?? '') === '') out.push(required(`${path}.os.name`));
	else if (os.name !== 'linux' && os.name !== 'windows') out.push(notSupported(`${path}.os`, os.name, ['linux', 'windows']));
	else osFields(out, path, spec);
}

function resourceClaims(out: Errors, path: string, { resourceClaims: list = [] }: PodSpec, isMirror: boolean): ReadonlySet<string> {
	const seen = new Unique();
	if (isMirror) out.push(...list.map(() => fieldForbidden('[]', 'static pods do not support resource claims')));
	else
		for (const [i, { name, resourceClaimName, resourceClaimTemplateName }] of list.entries()) {
			const at = `${path}[${i}]`;
			if (name === '') out.push(required(`${at}.name`));
			else if (seen.check(out, `${at}.name`, name)) texts(out, `${at}.name`, name, dnsLabel(name));
			const value = {
				Name: name,
				ResourceClaimName: resourceClaimName ?? null,
				ResourceClaimTemplateName: resourceClaimTemplateName ?? null,
			};
			const say = (text: string): void => void out.push(invalidValue(at, value, text));
			if (resourceClaimName !== undefined && resourceClaimTemplateName !== undefined)
				say('at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified');
			else if (resourceClaimName === undefined && resourceClaimTemplateName === undefined)
				say('must specify one of: `resourceClaimName`, `resourceClaimTemplateName`');
			for (const [key, given] of Object.entries({ resourceClaimName, resourceClaimTemplateName }))
				if (given !== undefined) texts(out, `${at}.${key}`, given, dnsSubdomain(given));
		}
	return new Set(list.map(({ name }) => name).filter((name) => name !== ''));
}

const MAX_SEARCHES = 2048;

function dnsConfig(out: Errors, path: string, { dnsConfig: config, dnsPolicy }: PodSpec): void {
	const nameservers = config?.nameservers ?? [];
	if (dnsPolicy === 'None' && config === undefined) {
		out.push(required(path, 'must provide `dnsConfig` when `dnsPolicy` is None'));
		return;
	}
	if (dnsPolicy === 'None' && nameservers.length === 0) {
		out.push(required(`${path}.nameservers`, 'must provide at least one DNS nameserver when `dnsPolicy` is None'));
		return;
	}
	if (nameservers.length > 3) out.push(invalidValue(`${path}.nameservers`, nameservers, 'must not have more than 3 nameservers'));
	for (const [i, server] of nameservers.entries()) texts(out, `${path}.nameservers[${i}]`, server, ipComplaints(server));
	const searches = config?.searches ?? [];
	if (searches.length > 32) out.push(invalidValue(`${path}.searches`, searches, 'must not have more than 32 search paths'));
	if (Buffer.byteLength(searches.join(' ')) > MAX_SEARCHES)
		out.push(
			invalidValue(
				`${path}.searches`,
				searches,
				`must not have more than ${MAX_SEARCHES} characters (including spaces) in the search list`,
			),
		);
	for (const [i, search] of searches.entries()) {
		const plain = search.replace(/\.$/, '');
		if (search !== '.') texts(out, `${path}.searches[${i}]`, plain, searchPath(plain));
	}
	for (const [i, { name = '' }] of (config?.options ?? []).entries())
		if (name === '') out.push(required(`${path}.options[${i}]`, 'must not be empty'));
}

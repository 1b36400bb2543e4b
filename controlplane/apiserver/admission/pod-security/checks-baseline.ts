/** The checks of Pod Security Standard "baseline" (upstream k8s.io/pod-security-admission/policy). Pure. */
import { CONTAINER_APPARMOR, CONTAINER_SECCOMP, POD_SECCOMP } from './annotations.ts';
import { containerNames, containersOf, quoted, type Check, type Violation } from './check.ts';

const DEFAULT_CAPABILITIES = new Set([
	'AUDIT_WRITE',
	'CHOWN',
	'DAC_OVERRIDE',
	'FOWNER',
	'FSETID',
	'KILL',
	'MKNOD',
	'NET_BIND_SERVICE',
	'SETFCAP',
	'SETGID',
	'SETPCAP',
	'SETUID',
	'SYS_CHROOT',
]);
/** With the minor version that first allows each. */
const SAFE_SYSCTLS: ReadonlyMap<string, number> = new Map([
	['kernel.shm_rmid_forced', 0],
	['net.ipv4.ip_local_port_range', 0],
	['net.ipv4.tcp_syncookies', 0],
	['net.ipv4.ping_group_range', 0],
	['net.ipv4.ip_unprivileged_port_start', 0],
	['net.ipv4.ip_local_reserved_ports', 27],
	['net.ipv4.tcp_keepalive_time', 29],
	['net.ipv4.tcp_fin_timeout', 29],
	['net.ipv4.tcp_keepalive_intvl', 29],
	['net.ipv4.tcp_keepalive_probes', 29],
	['net.ipv4.tcp_rmem', 32],
	['net.ipv4.tcp_wmem', 32],
]);
const SELINUX_TYPES: ReadonlyMap<string, number> = new Map([
	['', 0],
	['container_t', 0],
	['container_init_t', 0],
	['container_kvm_t', 0],
	['container_engine_t', 31],
]);
/** Since then a pod in a user namespace of its own may mount /proc as it likes and be root in it. */
export const USER_NAMESPACES_SINCE = 35;
const SECCOMP_FIELDS_SINCE = 19;
const PROFILES = new Set(['RuntimeDefault', 'Localhost']);

const appArmor: Check = ({ metadata, spec }) => {
	const setters: string[] = [];
	const bad: string[] = [];
	const podType = spec.securityContext?.appArmorProfile?.type;
	if (podType !== undefined && !PROFILES.has(podType)) {
		setters.push('pod');
		bad.push(podType);
	}
	const wrong = containersOf(spec).filter((c) => {
		const type = c.securityContext?.appArmorProfile?.type;
		return type !== undefined && !PROFILES.has(type) && bad.push(type) > 0;
	});
	if (wrong.length > 0) setters.push(containerNames(wrong));
	const annotated = Object.entries(metadata.annotations ?? {})
		.filter(
			([key, value]) =>
				key.startsWith(CONTAINER_APPARMOR) && value !== '' && value !== 'runtime/default' && !value.startsWith('localhost/'),
		)
		.map(([key, value]) => `${key}=${JSON.stringify(value)}`)
		.sort();
	if (annotated.length > 0) setters.push(annotated.length === 1 ? 'annotation' : 'annotations');
	if (setters.length === 0) return undefined;
	const values = [...[...new Set(bad)].sort(), ...annotated];
	return {
		reason: values.length > 1 ? 'forbidden AppArmor profiles' : 'forbidden AppArmor profile',
		detail: `${setters.join(' and ')} must not set AppArmor profile type to ${quoted(values)}`,
	};
};

const capabilities: Check = ({ spec }) => {
	const added = new Set<string>();
	const wrong = containersOf(spec).filter((c) => {
		const beyond = (c.securityContext?.capabilities?.add ?? []).filter((name) => !DEFAULT_CAPABILITIES.has(name));
		for (const name of beyond) added.add(name);
		return beyond.length > 0;
	});
	if (wrong.length === 0) return undefined;
	return {
		reason: 'non-default capabilities',
		detail: `${containerNames(wrong)} must not include ${quoted([...added].sort())} in securityContext.capabilities.add`,
	};
};

const hostNamespaces: Check = ({ spec }) => {
	const set = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((name) => spec[name] === true);
	return set.length === 0 ? undefined : { reason: 'host namespaces', detail: set.map((name) => `${name}=true`).join(', ') };
};

const hostPathVolumes: Check = ({ spec }) => {
	const names = (spec.volumes ?? []).filter((v) => v.hostPath !== undefined).map((v) => v.name);
	if (names.length === 0) return undefined;
	return { reason: 'hostPath volumes', detail: `${names.length === 1 ? 'volume' : 'volumes'} ${quoted(names)}` };
};

const hostPorts: Check = ({ spec }) => {
	const ports = new Set<string>();
	const wrong = containersOf(spec).filter((c) => {
		const used = (c.ports ?? []).map((p) => p.hostPort ?? 0).filter((p) => p !== 0);
		for (const port of used) ports.add(String(port));
		return used.length > 0;
	});
	if (wrong.length === 0) return undefined;
	const list = [...ports].sort();
	return {
		reason: 'hostPort',
		detail: `${containerNames(wrong)} ${wrong.length === 1 ? 'uses' : 'use'} ${list.length === 1 ? 'hostPort' : 'hostPorts'} ${list.join(', ')}`,
	};
};

const probeHosts: Check = ({ spec }) => {
	const hosts = new Set<string>();
	const wrong = containersOf(spec).filter((c) => {
		const actions = [c.livenessProbe, c.readinessProbe, c.startupProbe, c.lifecycle?.postStart, c.lifecycle?.preStop];
		const used = actions.flatMap((a) => [a?.httpGet?.host ?? '', a?.tcpSocket?.host ?? '']).filter((host) => host !== '');
		for (const host of used) hosts.add(host);
		return used.length > 0;
	});
	if (wrong.length === 0) return undefined;
	const names = [...new Set(wrong.map((c) => c.name))].sort();
	const containers = containerNames(names.map((name) => ({ name })));
	const list = [...hosts].sort();
	return {
		reason: 'probe or lifecycle host',
		detail: `${containers} ${names.length === 1 ? 'uses' : 'use'} probe or lifecycle ${list.length === 1 ? 'host' : 'hosts'} ${quoted(list)}`,
	};
};

const privileged: Check = ({ spec }) => {
	const wrong = containersOf(spec).filter((c) => c.securityContext?.privileged === true);
	return wrong.length === 0
		? undefined
		: { reason: 'privileged', detail: `${containerNames(wrong)} must not set securityContext.privileged=true` };
};

/** A pod in a user namespace of its own may mount /proc as it likes, except under "restricted". */
export const procMount: Check = ({ spec, level, minor }) => {
	if (spec.hostUsers === false && level === 'baseline' && minor >= USER_NAMESPACES_SINCE) return undefined;
	const bad = new Set<string>();
	const wrong = containersOf(spec).filter((c) => {
		const type = c.securityContext?.procMount;
		if (type === undefined || type === 'Default') return false;
		bad.add(type);
		return true;
	});
	return wrong.length === 0
		? undefined
		: { reason: 'procMount', detail: `${containerNames(wrong)} must not set securityContext.procMount to ${quoted([...bad].sort())}` };
};

const seLinux: Check = ({ spec, minor }) => {
	const types = new Set<string>();
	const fields = new Set<string>();
	const isBad = (
		options: { readonly type?: string | undefined; readonly user?: string | undefined; readonly role?: string | undefined } | undefined,
	): boolean => {
		if (options === undefined) return false;
		const { type = '', user = '', role = '' } = options;
		const isKnown = minor >= (SELINUX_TYPES.get(type) ?? Number.POSITIVE_INFINITY) && SELINUX_TYPES.has(type);
		if (!isKnown) types.add(type);
		if (user !== '') fields.add('user may not be set');
		if (role !== '') fields.add('role may not be set');
		return !isKnown || user !== '' || role !== '';
	};
	const setters: string[] = [];
	if (isBad(spec.securityContext?.seLinuxOptions)) setters.push('pod');
	const wrong = containersOf(spec).filter((c) => isBad(c.securityContext?.seLinuxOptions));
	if (wrong.length > 0) setters.push(containerNames(wrong));
	if (setters.length === 0) return undefined;
	const list = [...types].sort();
	const typeText = list.length === 0 ? [] : [`${list.length === 1 ? 'type' : 'types'} ${quoted(list)}`];
	return {
		reason: 'seLinuxOptions',
		detail: `${setters.join(' and ')} set forbidden securityContext.seLinuxOptions: ${[...typeText, ...[...fields].sort().reverse()].join('; ')}`,
	};
};

export const seccompUnconfined: Check = ({ spec }): Violation | undefined => {
	const setters: string[] = [];
	if (spec.securityContext?.seccompProfile?.type === 'Unconfined') setters.push('pod');
	const wrong = containersOf(spec).filter((c) => c.securityContext?.seccompProfile?.type === 'Unconfined');
	if (wrong.length > 0) setters.push(containerNames(wrong));
	return setters.length === 0
		? undefined
		: { reason: 'seccompProfile', detail: `${setters.join(' and ')} must not set securityContext.seccompProfile.type to "Unconfined"` };
};

const sysctls: Check = ({ spec, minor }) => {
	const names = (spec.securityContext?.sysctls ?? []).map((s) => s.name);
	const bad = names.filter((name) => minor < (SAFE_SYSCTLS.get(name) ?? Number.POSITIVE_INFINITY) || !SAFE_SYSCTLS.has(name));
	return bad.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: bad.join(', ') };
};

const windowsHostProcess: Check = ({ spec }) => {
	const setters: string[] = [];
	if (spec.securityContext?.windowsOptions?.hostProcess === true) setters.push('pod');
	const wrong = containersOf(spec).filter((c) => c.securityContext?.windowsOptions?.hostProcess === true);
	if (wrong.length > 0) setters.push(containerNames(wrong));
	return setters.length === 0
		? undefined
		: { reason: 'hostProcess', detail: `${setters.join(' and ')} must not set securityContext.windowsOptions.hostProcess=true` };
};

/** Before there were fields for it, profiles were annotations. */
const seccompBaseline: Check = (subject) =>
	subject.minor < SECCOMP_FIELDS_SINCE ? seccompAnnotations(subject) : seccompUnconfined(subject);

const seccompAnnotations: Check = ({ metadata, spec }) => {
	const keys = [POD_SECCOMP, ...containersOf(spec).map((c) => CONTAINER_SECCOMP + c.name)];
	const isFine = (value: string): boolean => value === 'runtime/default' || value === 'docker/default' || value.startsWith('localhost/');
	const wrong = [...new Set(keys)]
		.filter((key) => metadata.annotations?.[key] !== undefined && !isFine(metadata.annotations[key]))
		.map((key) => `${key}=${JSON.stringify(metadata.annotations?.[key])}`);
	if (wrong.length === 0) return undefined;
	return {
		reason: 'seccompProfile',
		detail: `forbidden ${wrong.length === 1 ? 'annotation' : 'annotations'} ${wrong.sort().join(', ')}`,
	};
};

/** By upstream's check ids, in their order, with the minor version that has them first. */
export const BASELINE_CHECKS: readonly { readonly id: string; readonly check: Check; readonly since: number }[] = [
	{ id: 'appArmorProfile', check: appArmor, since: 0 },
	{ id: 'capabilities_baseline', check: capabilities, since: 0 },
	{ id: 'hostNamespaces', check: hostNamespaces, since: 0 },
	{ id: 'hostPathVolumes', check: hostPathVolumes, since: 0 },
	{ id: 'hostPorts', check: hostPorts, since: 0 },
	{ id: 'hostProbesAndHostLifecycle', check: probeHosts, since: 34 },
	{ id: 'privileged', check: privileged, since: 0 },
	{ id: 'procMount', check: procMount, since: 0 },
	{ id: 'seLinuxOptions', check: seLinux, since: 0 },
	{ id: 'seccompProfile_baseline', check: seccompBaseline, since: 0 },
	{ id: 'sysctls', check: sysctls, since: 0 },
	{ id: 'windowsHostProcess', check: windowsHostProcess, since: 0 },
];

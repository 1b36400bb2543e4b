/** The checks of Pod Security Standard "baseline" (upstream k8s.io/pod-security-admission/policy). Pure. */
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
const SAFE_SYSCTLS = new Set([
	'kernel.shm_rmid_forced',
	'net.ipv4.ip_local_port_range',
	'net.ipv4.ip_local_reserved_ports',
	'net.ipv4.ip_unprivileged_port_start',
	'net.ipv4.tcp_fin_timeout',
	'net.ipv4.tcp_keepalive_intvl',
	'net.ipv4.tcp_keepalive_probes',
	'net.ipv4.tcp_keepalive_time',
	'net.ipv4.tcp_rmem',
	'net.ipv4.tcp_syncookies',
	'net.ipv4.tcp_wmem',
	'net.ipv4.ping_group_range',
]);
const SELINUX_TYPES = new Set(['', 'container_t', 'container_init_t', 'container_kvm_t', 'container_engine_t']);
const PROFILES = new Set(['RuntimeDefault', 'Localhost']);

const appArmor: Check = ({ spec }) => {
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
	if (setters.length === 0) return undefined;
	const values = [...new Set(bad)];
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
	const ports = new Set<number>();
	const wrong = containersOf(spec).filter((c) => {
		const used = (c.ports ?? []).map((p) => p.hostPort ?? 0).filter((p) => p !== 0);
		for (const port of used) ports.add(port);
		return used.length > 0;
	});
	if (wrong.length === 0) return undefined;
	const list = [...ports].sort((a, b) => a - b);
	return {
		reason: 'hostPort',
		detail: `${containerNames(wrong)} ${wrong.length === 1 ? 'uses' : 'use'} ${list.length === 1 ? 'hostPort' : 'hostPorts'} ${list.join(', ')}`,
	};
};

const probeHosts: Check = ({ spec }) => {
	const hosts = new Set<string>();
	const wrong = containersOf(spec).filter((c) => {
		const actions = [c.livenessProbe, c.readinessProbe, c.startupProbe, c.lifecycle?.postStart, c.lifecycle?.preStop];
		const used = actions
			.flatMap((a) => [a?.httpGet?.host ?? '', a?.tcpSocket?.host ?? ''])
			.filter((h) => h !== '' && h !== '127.0.0.1' && h !== '::1');
		for (const host of used) hosts.add(host);
		return used.length > 0;
	});
	if (wrong.length === 0) return undefined;
	const list = [...hosts].sort();
	return {
		reason: 'probe or lifecycle host',
		detail: `${containerNames(wrong)} ${wrong.length === 1 ? 'uses' : 'use'} probe or lifecycle ${list.length === 1 ? 'host' : 'hosts'} ${quoted(list)}`,
	};
};

const privileged: Check = ({ spec }) => {
	const wrong = containersOf(spec).filter((c) => c.securityContext?.privileged === true);
	return wrong.length === 0
		? undefined
		: { reason: 'privileged', detail: `${containerNames(wrong)} must not set securityContext.privileged=true` };
};

/** A pod in a user namespace of its own may mount /proc as it likes, except under "restricted". */
export const procMount: Check = ({ spec, level }) => {
	if (spec.hostUsers === false && level === 'baseline') return undefined;
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

const seLinux: Check = ({ spec }) => {
	const types = new Set<string>();
	const fields = new Set<string>();
	const isBad = (
		options: { readonly type?: string | undefined; readonly user?: string | undefined; readonly role?: string | undefined } | undefined,
	): boolean => {
		if (options === undefined) return false;
		const { type = '', user = '', role = '' } = options;
		if (!SELINUX_TYPES.has(type)) types.add(type);
		if (user !== '') fields.add('user may not be set');
		if (role !== '') fields.add('role may not be set');
		return !SELINUX_TYPES.has(type) || user !== '' || role !== '';
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

const sysctls: Check = ({ spec }) => {
	const names = (spec.securityContext?.sysctls ?? []).map((s) => s.name).filter((name) => !SAFE_SYSCTLS.has(name));
	return names.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: names.join(', ') };
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

/** By upstream's check ids, in their order. */
export const BASELINE_CHECKS: readonly (readonly [string, Check])[] = [
	['appArmorProfile', appArmor],
	['capabilities_baseline', capabilities],
	['hostNamespaces', hostNamespaces],
	['hostPathVolumes', hostPathVolumes],
	['hostPorts', hostPorts],
	['hostProbesAndHostLifecycle', probeHosts],
	['privileged', privileged],
	['procMount', procMount],
	['seLinuxOptions', seLinux],
	['seccompProfile_baseline', seccompUnconfined],
	['sysctls', sysctls],
	['windowsHostProcess', windowsHostProcess],
];

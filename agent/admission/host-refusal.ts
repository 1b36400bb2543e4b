/** What this host cannot do for a pod, whatever its Node says: sysctls, AppArmor (upstream pkg/kubelet/sysctl, pkg/security/apparmor). Pure. */
import type { Pod } from '../../api/gen/types.ts';
import { containersOf } from '../pod/containers.ts';
import type { Waiting } from '../pod/plan.ts';

export interface HostAbilities {
	readonly appArmor: boolean;
	/** allowedUnsafeSysctls: names, or prefixes that end with "*". */
	readonly unsafeSysctls: readonly string[];
}

/** Upstream's safe ones; all are of the network namespace but the first. */
const SAFE: ReadonlySet<string> = new Set([
	...['kernel.shm_rmid_forced', 'net.ipv4.ip_local_port_range', 'net.ipv4.tcp_syncookies', 'net.ipv4.ping_group_range'],
	...['net.ipv4.ip_unprivileged_port_start', 'net.ipv4.ip_local_reserved_ports', 'net.ipv4.tcp_keepalive_time'],
	...['net.ipv4.tcp_fin_timeout', 'net.ipv4.tcp_keepalive_intvl', 'net.ipv4.tcp_keepalive_probes', 'net.ipv4.tcp_rmem'],
	'net.ipv4.tcp_wmem',
]);
const IPC = /^(kernel\.shm|kernel\.msg|kernel\.sem$|fs\.mqueue\.)/;
const ANNOTATION = 'container.apparmor.security.beta.kubernetes.io/';

export function hostRefusal(pod: Pod, abilities: HostAbilities): Waiting | undefined {
	const sysctl = sysctlFault(pod, abilities.unsafeSysctls);
	if (sysctl !== undefined) return { reason: 'SysctlForbidden', message: `forbidden sysctl: ${sysctl}` };
	if (!abilities.appArmor && asksForAppArmor(pod))
		return { reason: 'AppArmor', message: 'Cannot enforce AppArmor: AppArmor is not enabled on the host' };
	return undefined;
}

function sysctlFault(pod: Pod, unsafe: readonly string[]): string | undefined {
	for (const { name } of pod.spec?.securityContext?.sysctls ?? []) {
		const sysctl = dotted(name);
		const allowed = unsafe.map(dotted).some((p) => (p.endsWith('*') ? sysctl.startsWith(p.slice(0, -1)) : sysctl === p));
		if (!SAFE.has(sysctl) && !allowed) return `"${name}" not allowlisted`;
		if (IPC.test(sysctl) && pod.spec?.hostIPC === true) return `"${name}" not allowed with host ipc enabled`;
		if (sysctl.startsWith('net.') && pod.spec?.hostNetwork === true) return `"${name}" not allowed with host net enabled`;
	}
	return undefined;
}

/** "net/ipv4/conf.d/x" is "net.ipv4.conf/d.x": the first separator decides. */
function dotted(name: string): string {
	const first = /[./]/.exec(name)?.[0];
	return first === '/' ? name.replace(/[./]/g, (c) => (c === '/' ? '.' : '/')) : name;
}

function asksForAppArmor(pod: Pod): boolean {
	const types = [pod.spec?.securityContext, ...containersOf(pod).map(({ spec }) => spec.securityContext)].map(
		(s) => s?.appArmorProfile?.type,
	);
	const annotated = Object.entries(pod.metadata.annotations ?? {}).some(
		([name, value]) => name.startsWith(ANNOTATION) && value !== '' && value !== 'unconfined',
	);
	return annotated || types.some((type) => type !== undefined && type !== 'Unconfined');
}

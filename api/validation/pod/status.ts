/** The status of a pod: conditions, addresses, and containers that do not come back to life (upstream ValidatePodStatusUpdate). */
import { fieldForbidden, internal, invalidValue } from '../../field-error.ts';
import type { ContainerStatus, Pod } from '../../gen/types.ts';
import { ipComplaints } from '../address-form.ts';
import { isIp, isV4 } from '../ip.ts';
import { objectMetaUpdate } from '../metadata.ts';
import { dnsSubdomain, qualifiedName } from '../names.ts';
import { annotationUpdates } from './annotation-updates.ts';
import { allocatedResources, claimStatuses } from './status-devices.ts';
import { immutable, texts, type Errors } from '../rule.ts';

const SYSTEM_CONDITIONS = new Set(['PodScheduled', 'Ready', 'Initialized']);
const RESTART_ALL = 'RestartAllContainers';
const STATUS_LISTS = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const;
const MAX_ID = 2 ** 31 - 1;
const COUNT = 'must be a non-negative integer';

export function podStatusUpdate(out: Errors, pod: Pod, old: Pod): void {
	objectMetaUpdate(out, pod.metadata, old.metadata);
	annotationUpdates(out, pod, old);
	const [status, before] = [pod.status ?? {}, old.status ?? {}];
	for (const [i, { type = '', observedGeneration = 0 }] of (status.conditions ?? []).entries()) {
		const path = `status.conditions[${i}]`;
		if (observedGeneration < 0) out.push(invalidValue(`${path}.observedGeneration`, observedGeneration, COUNT));
		if (!SYSTEM_CONDITIONS.has(type)) texts(out, `${path}.Type`, type, qualifiedName(type));
	}
	if ((pod.spec?.nodeName ?? '') !== (old.spec?.nodeName ?? '')) out.push(fieldForbidden('status.nodeName', 'may not be changed directly'));
	const { nominatedNodeName: nominated = '', observedGeneration = 0 } = status;
	if (nominated !== '' && nominated !== (before.nominatedNodeName ?? '')) {
		texts(out, 'status.nominatedNodeName', nominated, dnsSubdomain(nominated));
		if ((old.spec?.nodeName ?? '') !== '')
			out.push(fieldForbidden('status.nominatedNodeName', 'may not be set on pods that are already bound to a node'));
	}
	if (observedGeneration < 0) out.push(invalidValue('status.observedGeneration', observedGeneration, COUNT));
	immutable(out, 'status.qosClass', status.qosClass, before.qosClass);
	for (const list of STATUS_LISTS)
		stayTerminated(out, `status.${list}`, status[list] ?? [], before[list] ?? [], (name, exitCode) =>
			mayRestart(old, list, name, exitCode),
		);
	claimStatuses(out, pod);
	addresses(out, 'status.podIPs', status.podIPs ?? [], before.podIPs ?? []);
	const { hostIP = '', hostIPs = [] } = status;
	if (hostIPs[0] !== undefined && hostIPs[0].ip !== hostIP)
		out.push(invalidValue('status.hostIPs[0].ip', hostIPs[0].ip, 'must be equal to `hostIP`'));
	addresses(out, 'status.hostIPs', hostIPs, before.hostIPs ?? []);
	for (const list of STATUS_LISTS) users(out, `status.${list}`, status[list] ?? [], pod.spec?.os?.name === 'windows');
	allocatedResources(out, pod);
}

function stayTerminated(
	out: Errors,
	path: string,
	now: readonly ContainerStatus[],
	before: readonly ContainerStatus[],
	mayStart: (name: string, exitCode: number) => boolean,
): void {
	for (const [i, { name, state }] of before.entries()) {
		if (state?.terminated === undefined) continue;
		const runs = now.some((status) => status.name === name && status.state?.terminated === undefined);
		if (runs && !mayStart(name, state.terminated.exitCode))
			out.push(fieldForbidden(`${path}[${i}].state`, 'may not be transitioned to non-terminated state'));
	}
}

function users(out: Errors, path: string, statuses: readonly ContainerStatus[], isWindows: boolean): void {
	for (const [i, { user }] of statuses.entries()) {
		if (user?.linux === undefined) continue;
		const { uid = 0, gid = 0, supplementalGroups = [] } = user.linux;
		const at = `${path}[${i}].user.linux`;
		if (isWindows) {
			out.push(fieldForbidden(at, 'cannot be set for a windows pod'));
			continue;
		}
		const ids = [
			['uid', uid],
			['gid', gid],
			...supplementalGroups.map((group, j) => [`supplementalGroups[${j}]`, group] as const),
		] as const;
		for (const [key, id] of ids)
			if (id < 0 || id > MAX_ID) out.push(invalidValue(`${at}.${key}`, id, `must be between 0 and ${MAX_ID}, inclusive`));
	}
}

/** By the rules of the container, its own policy, or the pod's. */
function mayRestart(pod: Pod, list: string, name: string, exitCode: number): boolean {
	if (list === 'ephemeralContainerStatuses') return false;
	const { containers = [], initContainers = [], restartPolicy: podPolicy = 'Always' } = pod.spec ?? {};
	if ([...containers, ...initContainers].some((c) => c.restartPolicyRules?.some(({ action }) => action === RESTART_ALL))) return true;
	const container = (list === 'containerStatuses' ? containers : initContainers).find((c) => c.name === name);
	if (container === undefined) return false;
	for (const { exitCodes } of container.restartPolicyRules ?? []) {
		const has = (exitCodes?.values ?? []).includes(exitCode);
		if (exitCodes !== undefined && (exitCodes.operator === 'In' ? has : !has)) return true;
	}
	const policy = container.restartPolicy ?? podPolicy;
	return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
}

interface Address {
	readonly ip?: string | undefined;
}

/** At most one of each family; one that was there before is not looked at again. */
function addresses(out: Errors, path: string, now: readonly Address[], before: readonly Address[]): void {
	const known = new Set(before.map(({ ip }) => ip));
	for (const [i, { ip = '' }] of now.entries()) if (!known.has(ip)) texts(out, `${path}[${i}]`, ip, ipComplaints(ip));
	if (now.length < 2) return;
	const wrong = now.findIndex(({ ip = '' }) => !isIp(ip));
	if (wrong >= 0) out.push(internal(path, `failed to check for dual stack with error:invalid IP[${wrong}]: ${now[wrong]?.ip}`));
	const families = new Set(now.map(({ ip = '' }) => isV4(ip)));
	if (families.size < 2 || now.length > 2)
		out.push(invalidValue(path, now.map(goAddress), 'may specify no more than one IP for each IP family'));
}

/** As the internal type is printed. */
function goAddress({ ip = '' }: Address): object {
	return { IP: ip };
}

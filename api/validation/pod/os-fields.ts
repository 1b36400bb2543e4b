/** Fields that make no sense on an operating system, in upstream's order. */
import { fieldForbidden } from '../../field-error.ts';
import type { PodSpec } from '../../gen/types.ts';
import type { Errors } from '../rule.ts';

const NOT_WINDOWS = 'cannot be set for a windows pod';
const NOT_LINUX = 'windows options cannot be set for a linux pod';
const POD = ['appArmorProfile', 'seLinuxOptions'] as const;
const HOST = ['hostPID', 'hostIPC'] as const;
const POD_REST = ['seccompProfile', 'fsGroup', 'fsGroupChangePolicy', 'sysctls'] as const;
const POD_IDS = ['runAsUser', 'runAsGroup', 'supplementalGroups', 'supplementalGroupsPolicy', 'seLinuxChangePolicy'] as const;
const CONTAINER = [
	'appArmorProfile',
	'seLinuxOptions',
	'seccompProfile',
	'capabilities',
	'readOnlyRootFilesystem',
	'privileged',
	'allowPrivilegeEscalation',
	'procMount',
	'runAsUser',
	'runAsGroup',
] as const;

export function osFields(out: Errors, path: string, spec: PodSpec): void {
	const windows = spec.os?.name === 'windows';
	const context = spec.securityContext;
	if (windows) {
		const pod = (keys: readonly (keyof NonNullable<typeof context>)[]): void => {
			for (const key of keys) if (context?.[key] !== undefined) out.push(fieldForbidden(`${path}.securityContext.${key}`, NOT_WINDOWS));
		};
		const host = (keys: readonly ('hostPID' | 'hostIPC' | 'shareProcessNamespace')[]): void => {
			for (const key of keys) if (spec[key] === true) out.push(fieldForbidden(`${path}.${key}`, NOT_WINDOWS));
		};
		pod(POD);
		if (spec.hostUsers !== undefined) out.push(fieldForbidden(`${path}.hostUsers`, NOT_WINDOWS));
		host(HOST);
		pod(POD_REST);
		if (spec.shareProcessNamespace !== undefined) out.push(fieldForbidden(`${path}.shareProcessNamespace`, NOT_WINDOWS));
		pod(POD_IDS);
	} else if (context?.windowsOptions !== undefined) out.push(fieldForbidden(`${path}.securityContext.windowsOptions`, NOT_LINUX));
	for (const list of ['initContainers', 'containers', 'ephemeralContainers'] as const)
		for (const [i, { securityContext: own }] of (spec[list] ?? []).entries()) {
			const at = `${path}.${list}[${i}].securityContext`;
			if (windows) {
				for (const key of CONTAINER) if (own?.[key] !== undefined) out.push(fieldForbidden(`${at}.${key}`, NOT_WINDOWS));
			} else if (own?.windowsOptions !== undefined) out.push(fieldForbidden(`${at}.windowsOptions`, NOT_LINUX));
		}
}

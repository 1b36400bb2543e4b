/** CRI security contexts as the engine's options. */
import { AppError } from '../../base/errors.ts';
import { SecurityProfile_ProfileType, type LinuxContainerSecurityContext, type SELinuxOption, type SecurityProfile } from '../proto.ts';
import type { HostConfig } from '../engine/types.ts';
import type { HostAbilities } from '../host-abilities.ts';

type Security = Pick<
	HostConfig,
	'Privileged' | 'ReadonlyRootfs' | 'SecurityOpt' | 'CapAdd' | 'CapDrop' | 'MaskedPaths' | 'ReadonlyPaths' | 'DeviceCgroupRules'
>;

/** A seccomp profile of the node by its file path. */
export type ReadProfile = (path: string) => string;

export function hostSecurity(context: LinuxContainerSecurityContext | undefined, host: HostAbilities, readProfile: ReadProfile): Security {
	if (context === undefined) return { SecurityOpt: ['seccomp=unconfined'] };
	const common: Security = context.readonlyRootfs ? { ReadonlyRootfs: true } : {};
	if (context.privileged) return { ...common, ...privileged(host) };
	return {
		...common,
		...capabilities(context, host),
		SecurityOpt: [
			...seccomp(context.seccomp, context.seccompProfilePath, readProfile),
			...appArmor(context.apparmor, context.apparmorProfile, host),
			...selinux(context.selinuxOptions, host),
			...(context.noNewPrivs ? ['no-new-privileges'] : []),
		],
		MaskedPaths: context.maskedPaths,
		ReadonlyPaths: context.readonlyPaths,
	};
}

/** Where the engine lacks a capability its own "privileged" fails: then every part of it that can be had is asked for by name. */
function privileged(host: HostAbilities): Security {
	if (host.missingCapabilities.length === 0) return { Privileged: true };
	return {
		CapAdd: host.capabilities,
		SecurityOpt: ['seccomp=unconfined', ...(host.appArmor ? ['apparmor=unconfined'] : []), 'label=disable'],
		MaskedPaths: [],
		ReadonlyPaths: [],
		DeviceCgroupRules: ['a *:* rwm'],
	};
}

/** ALL means all that the engine can give; names may come with or without CAP_. */
function capabilities(context: LinuxContainerSecurityContext, host: HostAbilities): Pick<Security, 'CapAdd' | 'CapDrop'> {
	const plain = (names: readonly string[]): string[] => names.map((n) => n.toUpperCase().replace(/^CAP_/, ''));
	const add = plain(context.capabilities?.addCapabilities ?? []);
	const drop = plain(context.capabilities?.dropCapabilities ?? []);
	const everything = add.includes('ALL') && host.missingCapabilities.length > 0;
	return {
		...(add.length === 0 ? {} : { CapAdd: everything ? host.capabilities.filter((c) => !drop.includes(c)) : add }),
		...(drop.length === 0 ? {} : { CapDrop: drop }),
	};
}

export function seccomp(profile: SecurityProfile | undefined, path: string, readProfile: ReadProfile): readonly string[] {
	if (profile === undefined) {
		if (path === '' || path === 'unconfined') return ['seccomp=unconfined'];
		if (path === 'runtime/default' || path === 'docker/default') return [];
		return [`seccomp=${readProfile(path.replace(/^localhost\//, ''))}`];
	}
	switch (profile.profileType) {
		case SecurityProfile_ProfileType.RuntimeDefault:
			return [];
		case SecurityProfile_ProfileType.Localhost:
			return [`seccomp=${readProfile(profile.localhostRef)}`];
		case SecurityProfile_ProfileType.Unconfined:
		case SecurityProfile_ProfileType.UNRECOGNIZED:
			return ['seccomp=unconfined'];
	}
}

function appArmor(profile: SecurityProfile | undefined, legacy: string, host: HostAbilities): readonly string[] {
	const name =
		profile === undefined
			? legacy.replace(/^localhost\//, '')
			: profile.profileType === SecurityProfile_ProfileType.Localhost
				? profile.localhostRef
				: '';
	const unconfined = profile === undefined ? legacy === 'unconfined' : profile.profileType === SecurityProfile_ProfileType.Unconfined;
	if (!host.appArmor) {
		if (name !== '' && !unconfined && name !== 'runtime/default')
			throw new AppError('InvalidArgument', `Cannot confine the container with AppArmor profile "${name}": the engine has no AppArmor`);
		return [];
	}
	if (unconfined) return ['apparmor=unconfined'];
	return name === '' || name === 'runtime/default' ? [] : [`apparmor=${name}`];
}

function selinux(option: SELinuxOption | undefined, host: HostAbilities): readonly string[] {
	if (option === undefined || !host.selinux) return [];
	return (['user', 'role', 'type', 'level'] as const).filter((k) => option[k] !== '').map((k) => `label=${k}:${option[k]}`);
}

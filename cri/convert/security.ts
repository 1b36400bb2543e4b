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
			...appArmor(context, host),
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

/** The profile of this node that the container is to have; undefined for the engine's own, "unconfined" for none. */
export function appArmorProfile(context: LinuxContainerSecurityContext | undefined): string | undefined {
	if (context === undefined || context.privileged) return undefined;
	const { apparmor, apparmorProfile } = context;
	const plain = (name: string): string => name.replace(/^localhost\//, '');
	if (apparmor === undefined) return apparmorProfile === '' || apparmorProfile === 'runtime/default' ? undefined : plain(apparmorProfile);
	switch (apparmor.profileType) {
		case SecurityProfile_ProfileType.RuntimeDefault:
			return undefined;
		case SecurityProfile_ProfileType.Localhost:
			return plain(apparmor.localhostRef);
		case SecurityProfile_ProfileType.Unconfined:
		case SecurityProfile_ProfileType.UNRECOGNIZED:
			return 'unconfined';
	}
}

function appArmor(context: LinuxContainerSecurityContext, host: HostAbilities): readonly string[] {
	const profile = appArmorProfile(context);
	if (host.appArmor) return profile === undefined ? [] : [`apparmor=${profile}`];
	if (profile !== undefined && profile !== 'unconfined')
		throw new AppError('InvalidArgument', `Cannot confine the container with AppArmor profile "${profile}": the engine has no AppArmor`);
	return [];
}

export function selinux(option: SELinuxOption | undefined, host: Pick<HostAbilities, 'selinux'>): readonly string[] {
	if (option === undefined || !host.selinux) return [];
	return (['user', 'role', 'type', 'level'] as const).filter((k) => option[k] !== '').map((k) => `label=${k}:${option[k]}`);
}

/** Whose pods no policy is about (PodSecurityConfiguration's exemptions), and what a namespace among them is told of its labels. Pure. */
import type { PodSpec } from '../../../../api/gen/types.ts';
import type { AdmissionAttributes } from '../../contracts.ts';
import { levelText, MODES, NO_DEFAULTS, sameLevel, type Defaults, type LevelVersion } from './policy.ts';

export interface Exemptions {
	readonly namespaces?: readonly string[];
	readonly usernames?: readonly string[];
	readonly runtimeClasses?: readonly string[];
}

/** As audit events name it. */
export function exemptionOf(
	{ namespaces = [], usernames = [] }: Exemptions,
	{ namespace, user }: AdmissionAttributes,
): 'namespace' | 'user' | undefined {
	if (namespaces.includes(namespace)) return 'namespace';
	return user.name !== '' && usernames.includes(user.name) ? 'user' : undefined;
}

export function isExemptClass({ runtimeClasses = [] }: Exemptions, { runtimeClassName = '' }: PodSpec): boolean {
	return runtimeClassName !== '' && runtimeClasses.includes(runtimeClassName);
}

/** Undefined where the labels say what counts anyway. Names the modes that labels set and that forbid anything. */
export function exemptionWarning(
	namespace: string,
	labels: Readonly<Record<string, string>>,
	policy: Defaults,
	defaults: Defaults,
): string | undefined {
	if ([NO_DEFAULTS, defaults].some((usual) => MODES.every((mode) => isAsStrict(policy[mode], usual[mode])))) return undefined;
	const set = (['enforce', 'audit', 'warn'] as const).filter((mode) => {
		const label = `pod-security.kubernetes.io/${mode}`;
		return policy[mode].level !== 'privileged' && (labels[label] !== undefined || labels[`${label}-version`] !== undefined);
	});
	const told = set.map((mode) => `${mode}=${levelText(policy[mode])}`).join(', ');
	return `namespace ${JSON.stringify(namespace)} is exempt from Pod Security, and the policy (${told}) will be ignored`;
}

/** Versions of "privileged" are all one. */
function isAsStrict(a: LevelVersion, b: LevelVersion): boolean {
	return a.level === b.level && (a.level === 'privileged' || sameLevel(a, b));
}

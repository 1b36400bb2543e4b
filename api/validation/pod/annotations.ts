/** Annotations that pods and pod templates give a meaning to, among them those that fields have replaced. */
import { fieldForbidden, invalidValue } from '../../field-error.ts';
import { goQuote } from '../../go-quote.ts';
import type { PodSpec } from '../../gen/types.ts';
import { descending } from '../paths.ts';
import type { Errors } from '../rule.ts';
import { containersOf } from './containers-of.ts';
import type { PodOptions } from './options.ts';

type Annotations = Readonly<Record<string, string>>;

const MIRROR = 'kubernetes.io/config.mirror';
export const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';
const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/';
const POD_SECCOMP = 'seccomp.security.alpha.kubernetes.io/pod';
const CONTAINER_SECCOMP = 'container.seccomp.security.alpha.kubernetes.io/';
const LOCALHOST = 'localhost/';
const SECCOMP_DEFAULTS = ['runtime/default', 'docker/default'];

/** @param path of the annotations */
export function podAnnotations(out: Errors, path: string, annotations: Annotations, spec: PodSpec, options: PodOptions): void {
	const mirror = annotations[MIRROR];
	if (mirror !== undefined && (spec.nodeName ?? '') === '')
		out.push(invalidValue(`${path}[${MIRROR}]`, mirror, 'must set spec.nodeName if mirror pod annotation is set'));
	const cost = annotations[DELETION_COST];
	if (cost !== undefined && !isCost(cost) && !options.has('deletionCost'))
		out.push(invalidValue(`${path}[${DELETION_COST}]`, cost, 'must be a 32bit integer'));
	for (const [key, profile] of Object.entries(annotations))
		if (key === POD_SECCOMP || key.startsWith(CONTAINER_SECCOMP)) seccompName(out, `${path}.${key}`, profile);
	const names = new Set([...containersOf('', spec)].map(([, { name }]) => name));
	for (const [key, profile] of Object.entries(annotations)) {
		if (!key.startsWith(APP_ARMOR)) continue;
		const container = key.slice(APP_ARMOR.length);
		if (!names.has(container)) out.push(invalidValue(`${path}[${key}]`, container, 'container not found'));
		if (!['', 'runtime/default', 'unconfined'].includes(profile) && !profile.startsWith(LOCALHOST))
			out.push(invalidValue(`${path}[${key}]`, profile, `invalid AppArmor profile name: ${goQuote(profile)}`));
	}
}

/** Where a field and the annotation that it replaced are both there, they say the same. @param path of the pod's spec */
export function profileAnnotations(out: Errors, path: string, annotations: Annotations, spec: PodSpec): void {
	const seccomp = (at: string, annotation: string | undefined, field: Profile | undefined): void =>
		mustMatch(out, `${at}.seccompProfile`, 'seccomp', SECCOMP_DEFAULTS, annotation, field);
	seccomp(`${path}.securityContext`, annotations[POD_SECCOMP], spec.securityContext?.seccompProfile);
	for (const [at, { name, securityContext }] of containersOf(path, spec))
		seccomp(`${at}.securityContext`, annotations[`${CONTAINER_SECCOMP}${name}`], securityContext?.seccompProfile);
	if (spec.os?.name === 'windows') return;
	for (const [at, { name, securityContext }] of containersOf(path, spec)) {
		const field = securityContext?.appArmorProfile ?? spec.securityContext?.appArmorProfile;
		const annotation = annotations[`${APP_ARMOR}${name}`];
		mustMatch(out, `${at}.securityContext.appArmorProfile`, 'apparmor', ['runtime/default'], annotation, field);
	}
}

interface Profile {
	readonly type: string;
	readonly localhostProfile?: string | undefined;
}

function mustMatch(
	out: Errors,
	path: string,
	what: string,
	defaults: readonly string[],
	annotation: string | undefined,
	field: Profile | undefined,
): void {
	if (annotation === undefined || field === undefined) return;
	const isType =
		field.type === 'Unconfined'
			? annotation === 'unconfined'
			: field.type === 'RuntimeDefault'
				? defaults.includes(annotation)
				: field.type !== 'Localhost' || annotation.startsWith(LOCALHOST);
	if (!isType) out.push(fieldForbidden(`${path}.type`, `${what} type in annotation and field must match`));
	else if (field.type === 'Localhost' && annotation !== `${LOCALHOST}${field.localhostProfile}`)
		out.push(fieldForbidden(`${path}.localhostProfile`, `${what} profile in annotation and field must match`));
}

function seccompName(out: Errors, path: string, profile: string): void {
	if (profile === 'unconfined' || SECCOMP_DEFAULTS.includes(profile)) return;
	if (profile.startsWith(LOCALHOST)) descending(out, path, profile.slice(LOCALHOST.length));
	else out.push(invalidValue(path, profile, 'must be a valid seccomp profile'));
}

/** Neither a plus sign nor leading zeros. */
export function isCost(text: string): boolean {
	return /^(0|[1-9]\d*|-\d+)$/.test(text) && Math.abs(Number(text) + 0.5) < 2 ** 31;
}

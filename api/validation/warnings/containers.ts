/** Warnings on the containers of pods: annotations in place of fields, fractions, variables and ports that get in each other's way. Pure. */
import type { AppArmorProfile, Container, ContainerPort, EnvVar, PodSpec } from '../../gen/types.ts';
import { goQuote } from '../../go-quote.ts';
import { same } from '../rule.ts';
import { fractionWarnings } from './fractions.ts';

const SECCOMP = 'container.seccomp.security.alpha.kubernetes.io/';
const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/';

export interface Annotated {
	/** Of the metadata. */
	readonly meta: string;
	readonly annotations: Readonly<Record<string, string>>;
	/** A template; pods are told of AppArmor when the annotation is made a field. */
	readonly isTemplate: boolean;
}

type Placed = readonly [path: string, container: Pick<Container, 'name' | 'securityContext' | 'resources' | 'env' | 'ports'>];

export function containerWarnings(at: string, spec: PodSpec, annotated: Annotated): readonly string[] {
	const all: readonly Placed[] = (['initContainers', 'containers', 'ephemeralContainers'] as const).flatMap((list) =>
		(spec[list] ?? []).map((container, i) => [`${at}.${list}[${i}]`, container] as const),
	);
	return [
		...all.flatMap(([path, container]) => [
			...annotationWarnings(container, spec.securityContext?.appArmorProfile, annotated),
			...(['memory', 'ephemeral-storage'] as const).flatMap((name) =>
				(['limits', 'requests'] as const).flatMap((key) => fractionWarnings(`${path}.resources.${key}`, container.resources?.[key], name)),
			),
			...variableWarnings(`${path}.env`, container.env ?? []),
		]),
		...portWarnings(all),
		...portNameWarnings(all),
	];
}

function annotationWarnings(
	{ name, securityContext }: Placed[1],
	ofPod: AppArmorProfile | undefined,
	{ meta, annotations, isTemplate }: Annotated,
): readonly string[] {
	const out: string[] = [];
	if (securityContext?.seccompProfile === undefined && annotations[SECCOMP + name] !== undefined)
		out.push(`${meta}.annotations[${SECCOMP}${name}]: non-functional in v1.27+; use the "seccompProfile" field instead`);
	const annotation = annotations[APP_ARMOR + name];
	if (isTemplate && securityContext?.appArmorProfile === undefined && annotation !== undefined) {
		const isSaid = ofPod !== undefined && same(ofPod, appArmorOf(annotation));
		if (!isSaid) out.push(appArmorWarning(name, meta));
	}
	return out;
}

export function appArmorWarning(container: string, meta = 'metadata'): string {
	return `${meta}.annotations[${APP_ARMOR}${container}]: deprecated since v1.30; use the "appArmorProfile" field instead`;
}

/** The field that an annotation stands for; undefined where it says nothing that is known (upstream's ApparmorFieldForAnnotation). */
export function appArmorOf(annotation: string): AppArmorProfile | undefined {
	if (annotation === 'runtime/default') return { type: 'RuntimeDefault' };
	if (annotation === 'unconfined') return { type: 'Unconfined' };
	const [, localhostProfile = ''] = /^localhost\/(.*)$/s.exec(annotation) ?? [];
	return localhostProfile === '' ? undefined : { type: 'Localhost', localhostProfile };
}

/** A variable again, unless it is made of the one before (X=1, X=$(X)2). */
function variableWarnings(path: string, env: readonly EnvVar[]): readonly string[] {
	const seen = new Set<string>();
	return env.flatMap(({ name, value = '', valueFrom }, i) => {
		const reference = `$(${name})`;
		const hides = valueFrom !== undefined || value === reference || !value.includes(reference);
		const isAgain = seen.has(name);
		seen.add(name);
		return isAgain && hides ? [`${path}[${i}]: hides previous definition of ${goQuote(name)}, which may be dropped when using apply`] : [];
	});
}

interface Seen {
	readonly path: string;
	readonly hostIP: string;
	readonly hostPort: number;
}

function portWarnings(containers: readonly Placed[]): readonly string[] {
	const out: string[] = [];
	const seen = new Map<string, Seen[]>();
	for (const [at, { ports = [] }] of containers)
		for (const [i, port] of ports.entries()) {
			const { containerPort, protocol = '', hostIP = '', hostPort = 0 } = port;
			const own: Seen = { path: `${at}.ports[${i}]`, hostIP, hostPort };
			if (hostIP !== '' && hostPort === 0) out.push(`${own.path}: hostIP set without hostPort: ${goPort(port)}`);
			const key = `${containerPort}/${protocol}`;
			const others = seen.get(key) ?? [];
			for (const other of others) {
				const how = clash(own, other);
				if (how !== undefined) out.push(`${own.path}: ${how} port definition with ${other.path}`);
			}
			seen.set(key, [...others, own]);
		}
	return out;
}

/** How two definitions of one port get in each other's way, if they do. */
function clash(a: Seen, b: Seen): string | undefined {
	if (a.hostIP === b.hostIP && a.hostPort === b.hostPort) return 'duplicate';
	if (a.hostPort === 0 || b.hostPort === 0) return 'overlapping';
	return a.hostPort === b.hostPort && (a.hostIP === '') !== (b.hostIP === '') ? 'dangerously ambiguous' : undefined;
}

function portNameWarnings(containers: readonly Placed[]): readonly string[] {
	const seen = new Map<string, string>();
	return containers.flatMap(([at, { ports = [] }]) =>
		ports.flatMap(({ name = '' }, i) => {
			const path = `${at}.ports[${i}]`;
			const other = seen.get(name);
			if (name !== '' && other === undefined) seen.set(name, path);
			if (other === undefined) return [];
			return [
				`${path}: duplicate port name ${goQuote(name)} with ${other}, services and probes that select ports by name will use ${other}`,
			];
		}),
	);
}

/** As Go prints the struct. */
function goPort({ name = '', hostPort = 0, containerPort, protocol = '', hostIP = '' }: ContainerPort): string {
	return `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;
}

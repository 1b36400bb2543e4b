/** Evaluates a pod against a level and version of the Pod Security Standards, and reads a namespace's policy. Pure. */
import type { Namespace, ObjectMeta, PodSpec } from '../../../../api/gen/types.ts';
import { BASELINE_CHECKS } from './checks-baseline.ts';
import { RESTRICTED_CHECKS } from './checks-restricted.ts';
import type { Level, Violation } from './check.ts';

export interface LevelVersion {
	readonly level: Level;
	/** "latest" or "v1.25". */
	readonly version: string;
}

export type Mode = 'enforce' | 'audit' | 'warn';

const PREFIX = 'pod-security.kubernetes.io/';

/** The level a namespace asks for in a mode; privileged unless labelled. A label that means nothing counts as restricted, as upstream fails safe. */
export function policyOf(namespace: Namespace, mode: Mode): LevelVersion {
	const labels = namespace.metadata.labels ?? {};
	const level = labels[PREFIX + mode];
	const version = labels[`${PREFIX}${mode}-version`] ?? 'latest';
	if (level === undefined) return { level: 'privileged', version: 'latest' };
	return {
		level: level === 'privileged' || level === 'baseline' ? level : 'restricted',
		version: /^v1\.\d+$/.test(version) ? version : 'latest',
	};
}

/** What the pod violates, in upstream's order. */
export function violations(metadata: ObjectMeta, spec: PodSpec, policy: LevelVersion): readonly Violation[] {
	const { level, version } = policy;
	if (level === 'privileged') return [];
	const minor = version === 'latest' ? Number.POSITIVE_INFINITY : Number(version.slice('v1.'.length));
	const subject = { metadata, spec, level, minor };
	const restricted = level === 'restricted' ? RESTRICTED_CHECKS.filter((c) => minor >= c.since) : [];
	const replaced = new Set(restricted.map((c) => c.replaces));
	const checks = [...BASELINE_CHECKS.filter(([id]) => !replaced.has(id)).map(([, check]) => check), ...restricted.map((c) => c.check)];
	return checks.map((check) => check(subject)).filter((v) => v !== undefined);
}

/** `violates PodSecurity "baseline:latest": privileged (…), hostPort (…)`. */
export function describeViolations(found: readonly Violation[], { level, version }: LevelVersion): string {
	return `PodSecurity "${level}:${version}": ${found.map((v) => `${v.reason} (${v.detail})`).join(', ')}`;
}

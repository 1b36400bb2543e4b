/** Evaluates a pod against a level and version of the Pod Security Standards. Pure. */
import type { ObjectMeta, PodSpec } from '../../../../api/gen/types.ts';
import { BASELINE_CHECKS } from './checks-baseline.ts';
import { RESTRICTED_CHECKS } from './checks-restricted.ts';
import type { Violation } from './check.ts';
import { levelText, type LevelVersion } from './policy.ts';

/** What the pod violates, in upstream's order. */
export function violations(metadata: ObjectMeta, spec: PodSpec, policy: LevelVersion): readonly Violation[] {
	const { level, version } = policy;
	if (level === 'privileged') return [];
	const minor = version === 'latest' ? Number.POSITIVE_INFINITY : Number(version.slice('v1.'.length));
	const subject = { metadata, spec, level, minor };
	const restricted = level === 'restricted' ? RESTRICTED_CHECKS.filter((c) => minor >= c.since) : [];
	const replaced = new Set(restricted.map((c) => c.replaces));
	const baseline = BASELINE_CHECKS.filter(({ id, since }) => minor >= since && !replaced.has(id));
	return [...baseline, ...restricted].map(({ check }) => check(subject)).filter((v) => v !== undefined);
}

/** `PodSecurity "baseline:latest": privileged (…), hostPort (…)`. */
export function describeViolations(found: readonly Violation[], policy: LevelVersion): string {
	return `PodSecurity ${JSON.stringify(levelText(policy))}: ${found.map((v) => `${v.reason} (${v.detail})`).join(', ')}`;
}

/** What e2e.test reports, as a score of each area. Pure. */
import type { Score, Spec } from '../critest/report.ts';
import { scoreOf } from '../critest/report.ts';

/** The areas of upstream's conformance suite, and how many tests 1.36 has in each. */
export const AREAS = {
	'sig-api-machinery': 99,
	'sig-apps': 60,
	'sig-architecture': 1,
	'sig-auth': 10,
	'sig-cli': 17,
	'sig-instrumentation': 4,
	'sig-network': 47,
	'sig-node': 106,
	'sig-scheduling': 11,
	'sig-storage': 91,
} as const;
export type Area = keyof typeof AREAS;

export function isArea(name: string): name is Area {
	return Object.hasOwn(AREAS, name);
}

export function areaOf(spec: Spec): string {
	return /^\[([\w-]+)\]/.exec(spec.name)?.[1] ?? '';
}

/** Without those that were not asked for: ginkgo reports them as skipped, but with no reason. */
export function asked(specs: readonly Spec[]): readonly Spec[] {
	return specs.filter((s) => s.result !== 'skipped' || s.message !== '');
}

export interface AreaScore extends Score {
	readonly area: string;
}

/** In the order of the areas' names. */
export function scoreByArea(specs: readonly Spec[]): readonly AreaScore[] {
	const areas = [...new Set(specs.map(areaOf))].toSorted();
	return areas.map((area) => ({ area, ...scoreOf(specs.filter((s) => areaOf(s) === area)) }));
}

/** Where less passes than is recorded, told in one line each; nothing passes of an area of which nothing ran. */
export function below(scores: readonly AreaScore[], recorded: Readonly<Record<string, number>>): readonly string[] {
	const passed = new Map(scores.map((score) => [score.area, score.passed]));
	return Object.entries(recorded)
		.filter(([area, had]) => (passed.get(area) ?? 0) < had)
		.map(([area, had]) => `${area}: ${passed.get(area) ?? 0} tests passed where ${had} had`);
}

/** What is wrong with a run of tests by name: those that failed, or that there was none. */
export function failures(specs: readonly Spec[]): readonly string[] {
	if (specs.length === 0) return ['no test has such a name'];
	return specs.filter((s) => s.result === 'failed').map((s) => s.name);
}

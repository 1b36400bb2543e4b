/** Ginkgo's JSON report as a score. Pure. */

export interface Spec {
	readonly name: string;
	readonly result: 'passed' | 'failed' | 'skipped';
	/** Why it failed or was skipped; empty otherwise. */
	readonly message: string;
	readonly seconds: number;
}

interface Report {
	readonly SpecReports?: readonly {
		readonly LeafNodeType: string;
		readonly ContainerHierarchyTexts: readonly string[] | null;
		readonly LeafNodeText: string;
		readonly State: string;
		readonly RunTime: number;
		readonly Failure?: { readonly Message: string };
	}[];
}

/** The specs of a report but for the benchmarks, which this is no run of, and those that upstream has disabled (pending). A suite that broke down (no `It` at all) throws. */
export function specsOf(text: string): readonly Spec[] {
	const specs = (JSON.parse(text) as readonly Report[])
		.flatMap((report) => report.SpecReports ?? [])
		.filter((s) => s.LeafNodeType === 'It' && s.State !== 'pending')
		.map((s) => ({
			name: [...(s.ContainerHierarchyTexts ?? []), s.LeafNodeText].join(' ').replace(/^\[k8s\.io\] /, ''),
			result: s.State === 'passed' ? ('passed' as const) : s.State === 'skipped' ? ('skipped' as const) : ('failed' as const),
			message: s.Failure?.Message ?? '',
			seconds: s.RunTime / 1e9,
		}))
		.filter((s) => !/benchmark/i.test(s.name));
	if (specs.length === 0) throw new Error('The report has no specs');
	return specs.toSorted((a, b) => a.name.localeCompare(b.name));
}

export interface Score {
	readonly passed: number;
	readonly failed: number;
	readonly skipped: number;
}

export function scoreOf(specs: readonly Spec[]): Score {
	const count = (result: Spec['result']): number => specs.filter((s) => s.result === result).length;
	return { passed: count('passed'), failed: count('failed'), skipped: count('skipped') };
}

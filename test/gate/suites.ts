/** What `npm test` runs, in order. Each command prints `totals: N passed, N failed, N skipped` as its last line. */
export interface Totals {
	passed: number;
	failed: number;
	skipped: number;
}

export interface Suite {
	readonly name: string;
	/** Arguments of node. */
	readonly command: readonly string[];
}

export const SUITES: readonly Suite[] = [
	{ name: 'this machine', command: ['test/gate/prepare.ts'] },
	{ name: 'unit and integration', command: ['test/gate/ava.ts'] },
	{ name: "upstream's recorded answers", command: ['test/answers/replay.ts'] },
	{ name: 'the official CRI suite', command: ['test/conformance/critest/run.ts'] },
	{ name: 'the official CSI suite', command: ['test/conformance/csi-sanity/run.ts'] },
	{ name: 'end to end', command: ['test/gate/ava.ts', '--config', 'ava.e2e.config.js'] },
];

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
	/** Campaigns and other people's suites: `npm run ok` leaves them to `npm test`, and so to CI, to stay below 15 minutes. */
	readonly long?: true;
	/** `begins`: goes on beside those that follow. `waits`: until all that began so have ended. */
	readonly beside?: 'begins' | 'waits';
}

/** One file after the other, since they share the engine. */
const onEngine = (...files: readonly string[]): readonly string[] => ['test/gate/ava.ts', '--config', 'ava.e2e.config.js', ...files];

/** Beside the main path; each takes a minute or so. */
const LONG = ['etcd', 'pressure', 'storage', 'top'].map((name) => `test/e2e/${name}.test.ts`);

export const SUITES: readonly Suite[] = [
	{ name: 'this machine', command: ['test/gate/prepare.ts'] },
	// Compiling takes the processors, end-to-end tests mostly wait.
	{ name: 'tools of the last suites', command: ['test/gate/prepare.ts', '--late'], long: true, beside: 'begins' },
	{ name: 'unit and integration', command: ['test/gate/ava.ts'] },
	{ name: "upstream's recorded answers", command: ['test/answers/replay.ts'] },
	{ name: 'end to end', command: onEngine('cri/**', 'test/e2e/**', ...LONG.map((file) => `!${file}`)) },
	{ name: 'end to end: etcd, pressure, storage, metrics', command: onEngine(...LONG), long: true },
	{ name: 'the official CRI suite', command: ['test/conformance/critest/run.ts'], long: true, beside: 'waits' },
	// It mostly waits, for kubectl and for controllers.
	{ name: "kubectl's own scripts", command: ['test/conformance/test-cmd/run.ts'], long: true, beside: 'begins' },
	{ name: 'the official CSI suite', command: ['test/conformance/csi-sanity/run.ts'], long: true },
	{ name: 'crashes', command: onEngine('test/crash/**'), long: true },
	{ name: 'conformance', command: onEngine('test/conformance/**'), long: true },
	{ name: 'the node on containerd, in short', command: ['test/conformance/node/on-containerd.ts', '--short'], long: true },
];

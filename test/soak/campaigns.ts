/** The long campaigns: what each does, how long it takes, and how it runs. A new one is one entry. */

export interface CampaignRun {
	readonly count: number;
	readonly seed: number;
	readonly log: (line: string) => void;
}

export interface Campaign {
	readonly name: string;
	readonly what: string;
	readonly minutes: number;
	/** Rounds unless told. */
	readonly count: number;
	run(run: CampaignRun): Promise<{ readonly text: string; readonly problems: readonly string[] }>;
}

/** Loaded when it is run: a list of campaigns costs nothing. */
const kill =
	(isolated: boolean): Campaign['run'] =>
	async ({ count, seed, log }) => {
		const { killCampaign, summary } = await import('../crash/kill-campaign.ts');
		const figures = await killCampaign({ kills: count, seed, isolated, log });
		return { text: summary(figures), problems: figures.problems };
	};

const linear: Campaign['run'] = async ({ count, seed, log }) => {
	const { linearizability, STORES } = await import('../linearizability/campaign.ts');
	const problems: string[] = [];
	for (const name of Object.keys(STORES) as (keyof typeof STORES)[]) {
		const result = await linearizability(name, { operations: count, seed });
		log(result.text);
		problems.push(...result.problems.map((p) => `${name}: ${p}`));
	}
	return { text: problems.length === 0 ? 'every store is linearizable' : `${problems.length} problems`, problems };
};

const watch: Campaign['run'] = async ({ count, seed, log }) => {
	const { SITES, watchContract } = await import('../linearizability/watch-campaign.ts');
	const problems: string[] = [];
	for (const name of Object.keys(SITES) as (keyof typeof SITES)[]) {
		const result = await watchContract(name, { events: count, seed });
		log(result.text);
		problems.push(...result.problems.map((p) => `${name}: ${p}`));
	}
	return { text: problems.length === 0 ? 'the contract holds on every store' : `${problems.length} problems`, problems };
};

const fuzz: Campaign['run'] = async ({ count, seed, log }) => {
	const { fuzzAll } = await import('../fuzz/campaign.ts');
	return fuzzAll({ runs: count, seed, log });
};

const cri =
	(kills: boolean): Campaign['run'] =>
	async ({ count, seed, log }) => {
		const { criCampaign } = await import('../crash/cri/campaign.ts');
		// Some ten pods pass between two deaths.
		const plan = kills ? { pods: count * 10, kills: count, faults: 0 } : { pods: count, kills: 0, faults: 0.05 };
		return criCampaign({ ...plan, seed, inFlight: 4, log });
	};

/** A test that CI runs with few, run with many. */
const sessions: Campaign['run'] = async ({ count, log }) => {
	const { run } = await import('../tools/command.ts');
	const ava = ['node_modules/ava/entrypoints/cli.js', '--config', 'ava.e2e.config.js', 'cri/streaming/streaming.integration.test.ts'];
	const env = { ...process.env, STREAM_SESSIONS: String(count) };
	const { code, stdout } = await run(process.execPath, [...ava, '--match', 'sessions*'], { env, timeoutMs: 3_600_000 });
	log(stdout);
	return { text: `${count} sessions one after the other, ${count * 2} idle side by side`, problems: code === 0 ? [] : ['see above'] };
};

/** The same of links that are swapped under the agent. */
const races: Campaign['run'] = async ({ count, log }) => {
	const { run } = await import('../tools/command.ts');
	const tests = ['sub-path', 'host-path', 'ownership'].map((name) => `agent/volume/${name}.integration.test.ts`);
	const env = { ...process.env, SYMLINK_RACES: String(count) };
	const { code, stdout } = await run(process.execPath, ['node_modules/ava/entrypoints/cli.js', ...tests], { env, timeoutMs: 3_600_000 });
	log(stdout);
	return { text: `${count} races of each kind`, problems: code === 0 ? [] : ['see above'] };
};

export const CAMPAIGNS: readonly Campaign[] = [
	{ name: 'kill', what: 'kill -9 of the whole process under a load of writes and pods', minutes: 5, count: 50, run: kill(false) },
	{
		name: 'kill-isolated',
		what: 'the same with a process a part: each part, all at once, and the parent alone',
		minutes: 3,
		count: 16,
		run: kill(true),
	},
	{
		name: 'cri',
		what: 'pod lifecycles through the CRI over an engine that errs, hangs, resets and loses events; nothing leaks',
		minutes: 60,
		count: 2000,
		run: cri(false),
	},
	{
		name: 'cri-defences',
		what: 'each defence of the shim is taken out of a copy, and the test that stands for it has to fail',
		minutes: 6,
		count: 1,
		run: async ({ log }) => (await import('../tools/defences.ts')).defences((await import('../crash/cri/defences.ts')).DEFENCES, log),
	},
	{
		name: 'agent-restart',
		what: 'an agent with 105 pods is killed; its runtime is away; its machine starts anew; no pod may notice more than it must',
		minutes: 10,
		count: 50,
		run: async (run) => (await import('../crash/agent/campaign.ts')).agentRestarts(run),
	},
	{
		name: 'agent-churn',
		what: 'pods of a real engine come and go; the agent and the machine hold nothing of them afterwards',
		minutes: 10,
		count: 500,
		run: async (run) => (await import('../crash/agent/campaign.ts')).agentChurn(run),
	},
	{
		name: 'agent-churn-simulated',
		what: 'the same with simulated pods by the thousand, and how the heap grows',
		minutes: 10,
		count: 10_000,
		run: async ({ count, log }) => (await import('./simulated-churn.ts')).simulatedChurn(count, log),
	},
	{
		name: 'agent-defences',
		what: 'the same of the agent, and of what keeps one node from what is of another',
		minutes: 6,
		count: 1,
		run: async ({ log }) => (await import('../tools/defences.ts')).defences((await import('../crash/agent/defences.ts')).DEFENCES, log),
	},
	{
		name: 'agent-races',
		what: 'names in volumes are swapped for links while the agent checks, makes, opens, mounts and owns them; nothing leads out',
		minutes: 30,
		count: 10_000,
		run: races,
	},
	{
		name: 'csi-defences',
		what: 'the same of the storage driver',
		minutes: 3,
		count: 1,
		run: async ({ log }) => (await import('../tools/defences.ts')).defences((await import('../crash/csi/defences.ts')).DEFENCES, log),
	},
	{
		name: 'cri-sessions',
		what: 'exec, attach and port-forward sessions by the thousand, one after the other and idle side by side; nothing leaks',
		minutes: 10,
		count: 3000,
		run: sessions,
	},
	{
		name: 'csi-callers',
		what: 'eight callers of the storage driver at once, who want the same volumes; each is made once, listed once, and gone once',
		minutes: 1,
		count: 1000,
		run: async ({ count }) => (await import('../crash/csi/many-callers.ts')).callersCampaign(count),
	},
	{
		name: 'csi-kill',
		what: 'lives of volumes while the storage driver is killed after any number of steps; no data is lost, nothing leaks',
		minutes: 25,
		count: 1000,
		run: async ({ count, seed, log }) => (await import('../crash/csi/campaign.ts')).csiCampaign({ kills: count, seed, log }),
	},
	{ name: 'cri-kill', what: 'the same with kill -9 of the shim instead', minutes: 15, count: 200, run: cri(true) },
	{
		name: 'node-containerd',
		what: 'all that upstream asserts of a node, of our agent on containerd',
		minutes: 10,
		count: 1,
		run: async () => {
			const { code, logs } = await (await import('../conformance/containerd/node-suite.ts')).nodeSuite({ match: [] });
			return { text: `the logs are in ${logs}`, problems: code === 0 ? [] : ['some failed: see above'] };
		},
	},
	{
		name: 'upstream',
		what: "upstream's own conformance suite (e2e.test) against a cluster; its score by area",
		minutes: 120,
		count: 1,
		run: async ({ log }) => (await import('../conformance/upstream/campaign.ts')).upstreamConformance({ areas: [], procs: 4, log }),
	},
	{
		name: 'linearizability',
		what: 'random operations of concurrent clients on each store, with kills, checked',
		minutes: 10,
		count: 1_000_000,
		run: linear,
	},
	{
		name: 'watch',
		what: 'watches of every store stay whole through compaction and reconnects: ordered, no gap, nothing twice',
		minutes: 10,
		count: 1_000_000,
		run: watch,
	},
	{
		name: 'fuzz',
		what: 'inputs that nobody would write, for everything that reads what clients send',
		minutes: 12,
		count: 100_000,
		run: fuzz,
	},
];

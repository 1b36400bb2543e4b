/** `npm run bench -- NAME`: a benchmark against its floor, both in one run, interleaved; prints a table with ratios. */
import { missing, type Bench } from './needs.ts';

const BENCHES = {
	'pod-start': 'pod create to Running and delete to gone, against raw engine create and start of a sandbox and a container',
	api: 'GET, durable create, LIST and watch fan-out, against a bare Node.js http2 server and raw SQLite',
	cri: 'every CRI call of a pod against the raw engine, lists and stats over a hundred containers, memory and idle CPU of the shim',
	csi: 'every CSI call of a volume against the bare commands, cycles with one and eight clients, lists of a thousand',
	density: 'a node full of pods: 105 at once and 100 in sequence against the raw engine, memory and CPU of the agent, 1,000 hollow nodes',
	start: 'cold start to node Ready, memory by PSS, idle CPU over a minute',
} as const satisfies Record<Bench, string>;

const name = process.argv[2] ?? '';
if (!Object.hasOwn(BENCHES, name)) {
	console.error(
		`usage: npm run bench -- NAME\n${Object.entries(BENCHES)
			.map(([n, text]) => `  ${n.padEnd(10)} ${text}`)
			.join('\n')}`,
	);
	process.exit(2);
}
const lacks = await missing(name as Bench);
if (lacks.length > 0) {
	console.error(`The benchmark ${name} cannot run here: ${lacks.join('; ')}`);
	process.exit(1);
}
const { bench } = (await import(`./${name}.ts`)) as { bench: (args: readonly string[]) => Promise<void> };
await bench(process.argv.slice(3));

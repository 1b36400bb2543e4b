/** Which benchmarks there are, what each measures and what may be asked of it: as a text for people, and as what an invocation means. */
import type { Bench } from './needs.ts';

interface Usage {
	readonly does: string;
	/** All of them unless some are named. */
	readonly parts?: readonly string[];
	/** What numbers mean, in order, each with what it is unless given. */
	readonly numbers?: readonly string[];
	readonly options?: readonly string[];
}

export const BENCHES = {
	'pod-start': {
		does: 'pod create to Running and delete to gone, against raw engine create and start of a sandbox and a container',
		numbers: ['rounds (20)'],
	},
	api: {
		does: 'GET, durable create, LIST and watch fan-out, against a bare Node.js http2 server and raw SQLite',
		parts: ['get', 'create', 'list', 'watch', 'memory'],
	},
	cri: {
		does: 'every CRI call of a pod against the raw engine, lists and stats over a hundred containers, memory and idle CPU of the shim',
		numbers: ['rounds (20)'],
		options: ['--engine=sid', '--engine=trixie'],
	},
	csi: {
		does: 'every CSI call of a volume against the bare commands, cycles with one and eight clients, lists of a thousand, memory of driver and roles',
		parts: ['images', 'folders', 'memory'],
		numbers: ['rounds (30)'],
	},
	density: {
		does: 'a node full of pods: 105 at once and 100 in sequence against the raw engine, memory and CPU of the agent, 1,000 hollow nodes',
		parts: ['once', 'sequence', 'idle', 'hollow'],
		numbers: ['hollow nodes (1000)'],
	},
	start: { does: 'cold start to node Ready, memory by PSS, idle CPU over a minute', numbers: ['rounds (5)', 'idle ms (60000)'] },
} as const satisfies Readonly<Record<Bench, Usage>>;

export type Asked =
	| { readonly type: 'bench'; readonly name: Bench; readonly args: readonly string[] }
	| { readonly type: 'usage'; readonly text: string; readonly status: 0 | 2 };

const HELP = ['--help', '-h', 'help'];

/** @param argv the arguments behind `npm run bench --` */
export function asked([name = '', ...args]: readonly string[]): Asked {
	if (HELP.includes(name)) return { type: 'usage', text: usage(), status: 0 };
	if (!Object.hasOwn(BENCHES, name))
		return { type: 'usage', text: name === '' ? usage() : `"${name}" is no benchmark.\n${usage()}`, status: 2 };
	const bench = name as Bench;
	if (args.some((arg) => HELP.includes(arg))) return { type: 'usage', text: usage([bench]), status: 0 };
	const wrong = refused(BENCHES[bench], args);
	if (wrong !== undefined) return { type: 'usage', text: `${bench} does not take "${wrong}".\n${usage([bench])}`, status: 2 };
	return { type: 'bench', name: bench, args };
}

/** The first argument that means nothing. */
function refused({ parts = [], numbers = [], options = [] }: Usage, args: readonly string[]): string | undefined {
	let left = numbers.length;
	return args.find((arg) => (/^\d+$/.test(arg) ? --left < 0 : !parts.includes(arg) && !options.includes(arg)));
}

function usage(benches: readonly Bench[] = Object.keys(BENCHES) as Bench[]): string {
	const lines = benches.flatMap((name) => {
		const { does, parts = [], numbers = [], options = [] }: Usage = BENCHES[name];
		const takes = [
			parts.length === 0 ? [] : [`parts: ${parts.join(', ')}; all unless told`],
			numbers.length === 0 ? [] : [`numbers: ${numbers.join(', ')}`],
			options.length === 0 ? [] : [`options: ${options.join(', ')}`],
		];
		return [`  ${name.padEnd(10)} ${does}`, ...takes.flat().map((line) => `${' '.repeat(13)}${line}`)];
	});
	return ['usage: npm run bench -- NAME [PART …] [NUMBER …]', ...lines].join('\n');
}

/** The fuzz campaign: a process a target, ended when it says nothing for too long or takes too much memory. */
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { NODE_FLAGS } from '../../cluster/node-flags.ts';
import { lineOf, type Figures } from './fuzz.ts';
import { TARGETS } from './targets.ts';

interface Plan {
	/** Inputs a target. */
	readonly runs: number;
	readonly seed: number;
	readonly log: (line: string) => void;
}

/** A batch takes a second or two. */
const SILENCE_MS = 60_000;
/** What a target may have beside the 40 MiB that the sources themselves take. */
const HEAP_MIB = 300;

export async function fuzzAll({ runs, seed, log }: Plan): Promise<{ readonly text: string; readonly problems: readonly string[] }> {
	const problems: string[] = [];
	let inputs = 0;
	for (const { name } of TARGETS) {
		const outcome = await fuzzApart(name, runs, seed);
		if (typeof outcome === 'string') problems.push(outcome);
		else {
			log(lineOf(outcome));
			inputs += outcome.runs;
			problems.push(...outcome.problems);
		}
	}
	return {
		text: `${TARGETS.length} targets, ${inputs} inputs: ${problems.length === 0 ? 'all hold' : `${problems.length} problems`}`,
		problems,
	};
}

/** The figures, or how it ended without. */
function fuzzApart(name: string, runs: number, seed: number): Promise<Figures | string> {
	return new Promise((resolve) => {
		const child = fork(join(import.meta.dirname, 'fuzz-process.ts'), [name, String(runs), String(seed)], {
			// The server's: how much garbage may wait is decided by them.
			execArgv: [...NODE_FLAGS, `--max-old-space-size=${HEAP_MIB}`],
		});
		let [figures, done, silent] = [undefined as Figures | undefined, 0, false];
		const end = (): void => {
			silent = true;
			child.kill('SIGKILL');
		};
		let timer = setTimeout(end, SILENCE_MS);
		child.on('message', (message: { readonly done?: number; readonly figures?: Figures }) => {
			clearTimeout(timer);
			timer = setTimeout(end, SILENCE_MS);
			done = message.done ?? done;
			figures = message.figures;
		});
		child.on('close', (code, signal) => {
			clearTimeout(timer);
			const how = silent ? `said nothing for ${SILENCE_MS / 1000} s` : `ended with ${code ?? signal}`;
			resolve(figures ?? `${name}: ${how} after input ${done} of seed ${seed}`);
		});
	});
}

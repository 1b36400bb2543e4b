/** The driver of every target: runs it on inputs that a seed chooses, times each, and says which errors no caller could have expected. */
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { sameJson } from '../../api/same-json.ts';
import { AppError, messageOf } from '../../base/errors.ts';
import { Choose } from './choose.ts';

export interface Target<Input = unknown> {
	readonly name: string;
	/** One input, made of choices. */
	input(choose: Choose): Input;
	/** Throws what is wrong; a typed refusal is an answer like any other. */
	check(input: Input): void;
	/** Refusals beside AppErrors. */
	readonly refusals?: readonly (abstract new (
		...args: never[]
	) => Error)[];
}

export interface Plan {
	readonly runs: number;
	readonly seed: number;
	readonly onBatch?: (done: number) => void;
}

export interface Figures {
	readonly name: string;
	readonly runs: number;
	/** Inputs that were refused with a typed error. */
	readonly refused: number;
	readonly slowestMs: number;
	/** Memory at its most beyond what it was after the first batch. */
	readonly grownMiB: number;
	readonly seconds: number;
	readonly problems: readonly string[];
}

/** Of the processor, for one input. */
const LIMIT_MS = 1000;
const LIMIT_MIB = 256;
const BATCH = 500;
const MIB = 1024 * 1024;

export async function fuzz<Input>(target: Target<Input>, { runs, seed, onBatch }: Plan): Promise<Figures> {
	const started = performance.now();
	const state = { refused: 0, slowestMs: 0, failing: undefined as Input | undefined };
	let [base, most, done] = [0, 0, 0];
	const problems: string[] = [];
	for (; done < runs && problems.length === 0; done += Math.min(BATCH, runs - done)) {
		const property = fc.property(fc.gen(), (next) => {
			const input = target.input(new Choose(next));
			try {
				run(target, input, state);
			} catch (error) {
				state.failing = input;
				throw error;
			}
		});
		const options = {
			seed: seed + done,
			numRuns: Math.min(BATCH, runs - done),
			interruptAfterTimeLimit: 60_000,
			markInterruptAsFailure: true,
		};
		const result = fc.check(property, options);
		if (result.failed) problems.push(failure(target.name, seed + done, state.failing, result.errorInstance));
		const { rss } = process.memoryUsage();
		if (done === 0) base = rss;
		most = Math.max(most, rss);
		onBatch?.(done);
		await setImmediate(); // nothing else runs meanwhile
	}
	const grownMiB = (most - base) / MIB;
	if (grownMiB > LIMIT_MIB) problems.push(`${target.name}: memory grew by ${grownMiB.toFixed(0)} MiB`);
	const { refused, slowestMs } = state;
	return { refused, slowestMs, name: target.name, runs: done, grownMiB, seconds: (performance.now() - started) / 1000, problems };
}

/** One line for people. */
export function lineOf({ name, runs, refused, slowestMs, grownMiB, seconds, problems }: Figures): string {
	const share = Math.min(100, (100 * refused) / runs).toFixed(0);
	const what = `${runs} inputs (${share} % refused), slowest ${slowestMs.toFixed(0)} ms, memory +${grownMiB.toFixed(0)} MiB, ${seconds.toFixed(1)} s`;
	return `${name}: ${what}: ${problems.length === 0 ? 'holds' : `${problems.length} problems`}`;
}

function run<Input>(target: Target<Input>, input: Input, state: { refused: number; slowestMs: number }): void {
	const once = (): number => {
		const from = processorMs();
		try {
			target.check(input);
		} catch (error) {
			if (!isRefusal(target, error)) throw error;
			state.refused++;
		}
		return processorMs() - from;
	};
	const took = once();
	// The first time may have paid for what came before: what is slow is slow again.
	const ms = took > LIMIT_MS ? Math.min(took, once()) : took;
	state.slowestMs = Math.max(state.slowestMs, ms);
	if (ms > LIMIT_MS) throw new Error(`took ${ms.toFixed(0)} ms`);
}

/** Of this thread: how long others had the processor does not count. */
function processorMs(): number {
	const { user, system } = process.threadCpuUsage();
	return (user + system) / 1000;
}

function isRefusal<Input>({ refusals = [] }: Target<Input>, error: unknown): boolean {
	return error instanceof AppError || refusals.some((kind) => error instanceof kind);
}

function failure(name: string, seed: number, input: unknown, error: unknown): string {
	const stack = error instanceof Error ? (error.stack ?? '') : '';
	const places = stack
		.split('\n')
		.filter((line) => line.trim().startsWith('at '))
		.slice(0, 8);
	return [`${name}: ${messageOf(error)}`, ...places, `    input: ${shown(input)}`, `    seed: ${seed}`].join('\n');
}

const SHOWN = 3000;

function shown(input: unknown): string {
	const text = JSON.stringify(input, (_key, value: unknown) => {
		const bytes = value as { type?: string; data?: readonly number[] };
		return bytes?.type === 'Buffer' && Array.isArray(bytes.data) ? `hex ${Buffer.from(bytes.data).toString('hex')}` : value;
	});
	return text === undefined || text.length > SHOWN ? `${text?.slice(0, SHOWN)} …` : text;
}

/** For checks of targets. */
export function mustEqual(got: unknown, want: unknown, what: string): void {
	if (!sameJson(got, want)) throw new Error(`${what}: ${JSON.stringify(got)} instead of ${JSON.stringify(want)}`);
}

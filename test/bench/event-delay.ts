/** How late an event comes: from the moment its commit is durable (as the committing worker saw it) until a watcher on a connection of its own has it. */
import { readFile } from 'node:fs/promises';
import { call, open, session, type Target } from './api-target.ts';
import { COLLECTION, configMap, WATCH } from './api-watch.ts';
import { percentile } from './figures.ts';

let runs = 0;

export interface EventDelay {
	/** Milliseconds from durable to seen. */
	readonly p50: number;
	readonly p99: number;
	/** Milliseconds from the request's first byte to the event seen, p50: the whole way. */
	readonly whole: number;
}

/**
 * One write after the other. A commit of somebody else's that falls between counts as this one's: never too little is told.
 * @param floorBytes of the bare server's event: it has nothing to make durable, and writes down when it begins to tell
 */
export async function eventDelay(target: Target, events: number, commitsFile: string, floorBytes?: number): Promise<EventDelay> {
	// What an earlier one left would be told at once.
	const label = `late-${++runs}`;
	const [watcher, writer] = [session(target), session(target)];
	const [path, post] = floorBytes === undefined ? [`${WATCH}fan%3D${label}`, COLLECTION] : ['/watch', `/event?bytes=${floorBytes}`];
	let came = Promise.withResolvers<bigint>();
	const stream = open(watcher, target, path).setEncoding('utf8');
	stream.on('data', () => came.resolve(process.hrtime.bigint()));
	await new Promise((resolve) => stream.once('response', resolve));
	const spans: { readonly from: bigint; readonly seen: bigint }[] = [];
	for (let i = 0; i < events; i++) {
		came = Promise.withResolvers<bigint>();
		const from = process.hrtime.bigint();
		const [seen] = await Promise.all([came.promise, call(writer, target, post, 'POST', configMap(label))]);
		spans.push({ from, seen });
	}
	for (const s of [watcher, writer]) s.destroy();
	const bytes = await readFile(commitsFile);
	const commits = Array.from({ length: bytes.length / 8 }, (_, i) => bytes.readBigUInt64LE(i * 8));
	let next = 0;
	const late = spans.map(({ from, seen }) => {
		while (next < commits.length && (commits[next] as bigint) < from) next++;
		const durable = commits[next];
		if (durable === undefined || durable > seen) throw new Error('An event was seen before its commit was durable');
		return Number(seen - durable) / 1e6;
	});
	const warm = late.slice(events >> 2);
	const whole = spans.slice(events >> 2).map(({ from, seen }) => Number(seen - from) / 1e6);
	return { p50: percentile(warm, 0.5), p99: percentile(warm, 0.99), whole: percentile(whole, 0.5) };
}

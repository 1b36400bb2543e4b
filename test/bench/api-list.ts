/** LIST under measurement: many objects beside the bare server that sends as many bytes, and a selector that keeps a few of them. */
import { call, session, type Target } from './api-target.ts';
import { median } from './figures.ts';

const COLLECTION = '/api/v1/namespaces/kube-node-lease/configmaps';
const OBJECTS = 10_000;
const KEPT = 10;
/** So that an object is 1.7 KB as stored. */
const DATA = 'x'.repeat(1300);
const ROUNDS = 9;

export interface ListFigures {
	readonly whole: number;
	readonly floor: number;
	readonly selected: number;
	readonly bytes: number;
}

/** Medians in ms. @param filled called when the objects are there, and before any is listed */
export async function list(target: Target, floor: Target, filled: () => Promise<unknown>): Promise<ListFigures> {
	const [ours, bare] = [session(target), session(floor)];
	let next = 0;
	const fill = async (): Promise<void> => {
		for (let i = next++; i < OBJECTS; i = next++) {
			const labels = { many: 'yes', ...(i % (OBJECTS / KEPT) === 0 ? { few: 'yes' } : {}) };
			const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `list-${i}`, labels }, data: { data: DATA } };
			await call(ours, target, COLLECTION, 'POST', JSON.stringify(object));
		}
	};
	await Promise.all(Array.from({ length: 64 }, fill));
	await filled();
	const times: Record<'whole' | 'floor' | 'selected', number[]> = { whole: [], floor: [], selected: [] };
	let bytes = 0;
	for (let i = 0; i < ROUNDS; i++) {
		const whole = await timed(() => call(ours, target, COLLECTION));
		bytes = whole.got.length;
		times.whole.push(whole.ms);
		times.floor.push((await timed(() => call(bare, floor, `/list?bytes=${bytes}`))).ms);
	}
	// On their own: the client takes some milliseconds to clear away each 17 MB of the above.
	for (let i = 0; i < ROUNDS * 3; i++) {
		const selected = await timed(() => call(ours, target, `${COLLECTION}?labelSelector=few%3Dyes`));
		if ((JSON.parse(selected.got.toString()) as { items: unknown[] }).items.length !== KEPT) throw new Error('The selector kept others');
		times.selected.push(selected.ms);
	}
	for (const s of [ours, bare]) s.destroy();
	return { whole: median(times.whole), floor: median(times.floor), selected: median(times.selected), bytes };
}

async function timed<T>(work: () => Promise<T>): Promise<{ readonly ms: number; readonly got: T }> {
	const from = performance.now();
	const got = await work();
	return { ms: performance.now() - from, got };
}

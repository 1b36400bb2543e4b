/** The linearizability campaign on each store: clients at once, kills where the store persists, and the checker over all that was said. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realClock } from '../../base/clock.ts';
import { noLog } from '../../base/log.ts';
import { plainForm } from '../suites/plain-form.ts';
import { openEtcdStore } from '../../controlplane/storage/etcd/etcd-store.ts';
import { createMemoryStore } from '../../controlplane/storage/memory-store.ts';
import { Etcd } from '../tools/etcd.ts';
import { check } from './checker.ts';
import type { Operation } from './history.ts';
import { Killable } from './killable.ts';
import { subjectOf } from './subject.ts';
import { runWorkload, type Workload } from './workload.ts';

export interface Plan {
	readonly operations: number;
	readonly seed: number;
}

export interface Result {
	readonly text: string;
	readonly problems: readonly string[];
}

const CLIENTS = 24;
/** Kills a campaign of 20,000 operations has; longer ones have more. */
const KILLS = 5;
const killsOf = ({ operations }: Plan): number => Math.max(KILLS, Math.round((operations / 100_000) * KILLS));

type Run = (plan: Plan) => Promise<Operation[]>;

export const STORES: Readonly<Record<'memory' | 'sqlite' | 'etcd', Run>> = {
	async memory({ operations, seed }) {
		const store = createMemoryStore(realClock);
		const history = await runWorkload({ subjects: [subjectOf(store)], clients: CLIENTS, operations, seed });
		await store.close();
		return history;
	},
	async sqlite(plan) {
		const dir = await mkdtemp(join(tmpdir(), 'kubeling-linear-'));
		try {
			await using killable = new Killable(join(dir, 'state.db'));
			await killable.start();
			const disturb = async (): Promise<void> => {
				await killable.kill();
				await killable.start();
			};
			return await runWorkload({ ...disturbed(plan, disturb), subjects: [killable.subject] });
		} finally {
			await rm(dir, { recursive: true, force: true });
		}
	},
	/** Two stores on one etcd: each has clients of its own. */
	async etcd(plan) {
		await using etcd = await Etcd.start({ version: '3.6' });
		const open = (): ReturnType<typeof openEtcdStore> =>
			openEtcdStore({ endpoints: etcd.endpoints, form: plainForm('/registry/'), clock: realClock, log: noLog });
		const stores = [await open(), await open()] as const;
		const disturb = async (): Promise<void> => {
			await etcd.kill(0);
			await etcd.startMember(0);
		};
		const history = await runWorkload({ ...disturbed(plan, disturb), subjects: [subjectOf(stores[0]), subjectOf(stores[1])] });
		await Promise.all(stores.map((store) => store.close()));
		return history;
	},
};

function disturbed(plan: Plan, disturb: () => Promise<void>): Omit<Workload, 'subjects'> {
	return { ...plan, clients: CLIENTS, disturb, disturbances: killsOf(plan) };
}

export async function linearizability(name: keyof typeof STORES, plan: Plan): Promise<Result> {
	const started = performance.now();
	const history = await STORES[name](plan);
	const ran = performance.now();
	const problems = check(history);
	const of = (type: string): number => history.filter((o) => (o.type === 'read' ? 'read' : o.outcome) === type).length;
	const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
	return {
		text: `${name}: ${history.length} operations (${of('read')} reads, ${of('done')} swaps, ${of('refused')} refused, ${of('unknown')} unanswered) in ${seconds(ran - started)}, checked in ${seconds(performance.now() - ran)}: ${problems.length === 0 ? 'linearizable' : `${problems.length} problems`}`,
		problems,
	};
}

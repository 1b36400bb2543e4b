/**
 * `kill -9` again and again under a load of writes and pods, at moments that a seed chooses. After each death and resumption: every acknowledged
 * object is as it was acknowledged, containers that ran still run and were not started anew, and the engine has exactly what the pods need. At the
 * end `down --delete` leaves nothing on the machine.
 */
import { access } from 'node:fs/promises';
import { NAMESPACES, SERVICE_ACCOUNTS } from '../../api/resources.ts';
import { realClock } from '../../base/clock.ts';
import { codeOf } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';
import { readAccess } from '../../cluster/access.ts';
import { readClusterState } from '../../cluster/data-folder.ts';
import { holderOf } from '../../cluster/lock.ts';
import { clientOf } from '../../cluster/parts/client.ts';
import { usable } from '../../cluster/usable.ts';
import { testCluster, type TestCluster } from '../e2e/cluster.ts';
import { busyboxImage } from '../tools/images.ts';
import { Seeded } from '../tools/seeded.ts';
import { Journal } from './journal.ts';
import { load, shownBy } from './load.ts';
import { CrashPods, runningContainers } from './pods.ts';
import { marksOf, tracesOf } from './traces.ts';
import { killHard, pidsOf, VICTIMS, type Victim } from './victims.ts';

export interface KillPlan {
	readonly kills: number;
	readonly seed: number;
	/** A process a part; the parts die in turn with the whole. */
	readonly isolated: boolean;
	readonly log: (line: string) => void;
}

export interface KillFigures {
	readonly kills: number;
	readonly byVictim: Readonly<Partial<Record<Victim, number>>>;
	readonly acknowledgedWrites: number;
	readonly acknowledgedPods: number;
	/** How many times a running container was looked at after a death. */
	readonly containersKept: number;
	/** Death to usable again. */
	readonly resumeMs: readonly number[];
	readonly seconds: number;
	/** What went wrong, a line each. */
	readonly problems: readonly string[];
}

const NAMESPACE = 'crash';
const RESUME_MS = 60_000;
/** Pods that are kept; those beyond are deleted, the oldest first, so that deaths meet deletions too. */
const PODS_KEPT = 5;

export async function killCampaign(plan: KillPlan): Promise<KillFigures> {
	const started = Date.now();
	const image = await busyboxImage();
	await using cluster = await testCluster(plan.isolated ? 'killiso' : 'kill');
	const campaign = new Campaign(plan, cluster, image);
	await campaign.begin();
	for (let round = 1; round <= plan.kills; round++) await campaign.round(round);
	await campaign.end();
	return { ...campaign.figures, kills: plan.kills, seconds: (Date.now() - started) / 1000 };
}

/** One line for people. */
export function summary({
	kills,
	byVictim,
	acknowledgedWrites,
	acknowledgedPods,
	containersKept,
	resumeMs,
	seconds,
	problems,
}: KillFigures): string {
	const sorted = resumeMs.toSorted((a, b) => a - b);
	const victims = Object.entries(byVictim).map(([victim, count]) => `${victim} ${count}`);
	return [
		`${kills} kills (${victims.join(', ')})`,
		`${acknowledgedWrites} acknowledged writes and ${acknowledgedPods} pods`,
		`running containers found untouched ${containersKept} times`,
		`usable again after ${sorted[sorted.length >> 1]?.toFixed(0)} ms (median), ${sorted.at(-1)?.toFixed(0)} ms (longest)`,
		`${problems.length} problems`,
		`${seconds.toFixed(0)} s`,
	].join('; ');
}

class Campaign {
	readonly #plan: KillPlan;
	readonly #cluster: TestCluster;
	readonly #image: string;
	readonly #seeded: Seeded;
	readonly #journal = new Journal();
	readonly #problems: string[] = [];
	readonly #resumeMs: number[] = [];
	readonly #byVictim: Partial<Record<Victim, number>> = {};
	#containersKept = 0;
	#podCount = 0;
	#client: Client | undefined;
	#pods: CrashPods | undefined;

	constructor(plan: KillPlan, cluster: TestCluster, image: string) {
		this.#plan = plan;
		this.#cluster = cluster;
		this.#image = image;
		this.#seeded = new Seeded(plan.seed);
	}

	get figures(): Omit<KillFigures, 'kills' | 'seconds'> {
		return {
			byVictim: this.#byVictim,
			acknowledgedWrites: this.#journal.acknowledged,
			acknowledgedPods: this.#podCount,
			containersKept: this.#containersKept,
			resumeMs: this.#resumeMs,
			problems: this.#problems,
		};
	}

	async begin(): Promise<void> {
		await this.#up();
		await this.#connect();
		await this.#there.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
		await this.#usable();
		for (let i = 0; i < 2; i++) await this.#createPod(`first-${i}`);
		this.#note(0, await this.#podsThere.settle(false));
	}

	async round(round: number): Promise<void> {
		const all = VICTIMS[this.#plan.isolated ? 'isolated' : 'bundled'];
		const victim = all[(round - 1) % all.length] ?? 'daemon';
		const kept = await runningContainers(this.#cluster.name);
		const stop = new AbortController();
		const random = this.#seeded.random;
		const writing = load({ client: this.#there, namespace: NAMESPACE, journal: this.#journal, random, prefix: `r${round}` }, stop.signal);
		const podding = this.#churn(round, stop.signal);
		await realClock.sleep(this.#seeded.between(100, 1200));
		const died = performance.now();
		if (victim === 'start') {
			const [dead] = await pidsOf('daemon', this.#cluster.dataDir);
			await killHard(dead === undefined ? [] : [dead]);
			await this.#killWhileStarting(dead);
		} else await killHard(await pidsOf(victim, this.#cluster.dataDir));
		this.#byVictim[victim] = (this.#byVictim[victim] ?? 0) + 1;
		stop.abort();
		await Promise.all([writing, podding]);
		const daemonDied = victim === 'daemon' || victim === 'everything' || victim === 'start';
		if (daemonDied) await this.#up();
		await this.#connect();
		await this.#usable();
		this.#resumeMs.push(performance.now() - died);
		await this.#check(round, victim, kept);
	}

	async #check(round: number, victim: Victim, kept: ReadonlyMap<string, string>): Promise<void> {
		const differences = this.#journal.differences(await shownBy(this.#there, NAMESPACE));
		this.#note(round, differences);
		const pods = this.#podsThere;
		await pods.deleteAgain();
		this.#note(round, await pods.settle(false));
		const now = await runningContainers(this.#cluster.name);
		for (const [name, facts] of kept) {
			if (![...pods.acknowledged.values()].some((uid) => name.includes(uid))) continue;
			if (now.get(name) === facts) this.#containersKept++;
			else this.#note(round, [`container "${name}" was ${facts} and is ${now.get(name) ?? 'not running'}`]);
		}
		this.#note(round, await pods.orphans(this.#cluster.name));
		this.#plan.log(
			`kill ${round} (${victim}): usable after ${this.#resumeMs.at(-1)?.toFixed(0)} ms, ${this.#journal.acknowledged} writes, ${pods.acknowledged.size} pods, ${this.#problems.length} problems`,
		);
	}

	async end(): Promise<void> {
		const marks = await marksOf(this.#cluster.name, this.#cluster.dataDir);
		await this.#there.transport.close();
		const down = await this.#cluster.kubeling('down', '--delete');
		if (down.code !== 0) this.#note(this.#plan.kills, [`down --delete ended with ${down.code}: ${down.stderr}`]);
		this.#note(this.#plan.kills, await tracesOf(marks));
		if (
			await access(this.#cluster.dataDir).then(
				() => true,
				() => false,
			)
		)
			this.#note(this.#plan.kills, ['the data folder is still there']);
	}

	/** Pods come and go while the rest is written. */
	async #churn(round: number, signal: AbortSignal): Promise<void> {
		for (let i = 0; i < 2; i++) {
			await realClock.sleep(this.#seeded.between(0, 400));
			if (signal.aborted) return;
			await this.#createPod(`r${round}-${i}`);
			const oldest = [...this.#podsThere.acknowledged.keys()][0];
			if (this.#podsThere.acknowledged.size > PODS_KEPT && oldest !== undefined && !signal.aborted) await this.#podsThere.delete(oldest);
		}
	}

	async #createPod(name: string): Promise<void> {
		if (await this.#podsThere.create(name)) this.#podCount++;
	}

	/** The next `up` begins, and dies at some moment of its start: it must say so, and the one after it must not mind. */
	async #killWhileStarting(dead: number | undefined): Promise<void> {
		const ended = this.#cluster.up(...this.#flags).then(
			() => 'usable',
			(error: Error) => error.message,
		);
		const until = Date.now() + RESUME_MS;
		for (let holder = dead; (holder === undefined || holder === dead) && Date.now() < until; await realClock.sleep(2))
			holder = (await holderOf(this.#cluster.dataDir))?.pid;
		await realClock.sleep(this.#seeded.between(0, 700));
		const pids = await pidsOf(this.#plan.isolated ? 'everything' : 'daemon', this.#cluster.dataDir);
		if (pids.length === 0) throw new Error(`The next start ended by itself: ${await ended}`);
		await killHard(pids);
		const told = await ended;
		if (told !== 'usable' && !told.includes('kubeling: ')) this.#note(0, [`a start that died said only: ${told}`]);
	}

	get #flags(): readonly string[] {
		return this.#plan.isolated ? ['--isolate'] : [];
	}

	async #up(): Promise<void> {
		await this.#cluster.up(...this.#flags);
		if ((await holderOf(this.#cluster.dataDir)) === undefined) throw new Error('"up" returned and no process holds the data folder');
	}

	async #connect(): Promise<void> {
		await this.#client?.transport.close();
		const { server } = await readAccess(this.#cluster.dataDir);
		const file = (leaf: string): string => `${this.#cluster.dataDir}/pki/${leaf}`;
		const api = { server, caFile: file('ca.crt'), certFile: file('admin.crt'), keyFile: file('admin.key') };
		this.#client = clientOf(api, realClock, 'kubeling-crash');
		this.#pods = new CrashPods(this.#client, NAMESPACE, this.#image, this.#pods);
	}

	get #there(): Client {
		if (this.#client === undefined) throw new Error('not connected');
		return this.#client;
	}
	get #podsThere(): CrashPods {
		if (this.#pods === undefined) throw new Error('not connected');
		return this.#pods;
	}

	/** The node is ready, and the namespace takes pods. */
	async #usable(): Promise<void> {
		const signal = AbortSignal.timeout(RESUME_MS);
		const { nodeName = '' } = (await readClusterState(this.#cluster.dataDir)) ?? {};
		await usable(this.#there, nodeName, signal, realClock);
		for (;;)
			try {
				await this.#there.get(SERVICE_ACCOUNTS, `${NAMESPACE}/default`, { signal });
				break;
			} catch (error) {
				if (!['NotFound', 'Unavailable'].includes(codeOf(error))) throw error;
				await realClock.sleep(20, signal);
			}
		signal.throwIfAborted();
	}

	#note(round: number, problems: readonly string[]): void {
		for (const problem of problems) {
			this.#problems.push(`after kill ${round}: ${problem}`);
			this.#plan.log(`after kill ${round}: ${problem}`);
		}
	}
}

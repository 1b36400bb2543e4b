/** Pods of a cluster that dies, and their containers as the engine itself knows them: what must not be touched, and what must not be left over. */
import type { Pod } from '../../api/gen/types.ts';
import { PODS } from '../../api/resources.ts';
import { realClock } from '../../base/clock.ts';
import { codeOf } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';
import { run } from '../tools/command.ts';
import { containerNames } from './traces.ts';

export class CrashPods {
	readonly #client: Client;
	readonly #namespace: string;
	readonly #image: string;
	/** Names whose creation was acknowledged and whose deletion was not asked for, with the uid. */
	readonly acknowledged: Map<string, string>;
	/** Names whose deletion was asked for. */
	readonly dying: Set<string>;

	/** `before`: what was known over an earlier connection. */
	constructor(client: Client, namespace: string, image: string, before?: CrashPods) {
		this.#client = client;
		this.#namespace = namespace;
		this.#image = image;
		this.acknowledged = before?.acknowledged ?? new Map();
		this.dying = before?.dying ?? new Set();
	}

	/** Resolves with false when the server was gone before it answered. */
	async create(name: string): Promise<boolean> {
		return this.#asked(async () => {
			const pod = await this.#client.create<Pod>(PODS, this.#manifest(name));
			this.acknowledged.set(name, pod.metadata.uid ?? '');
		});
	}

	async delete(name: string): Promise<boolean> {
		this.dying.add(name);
		this.acknowledged.delete(name);
		return this.#asked(() => this.#client.delete(PODS, `${this.#namespace}/${name}`));
	}

	async #asked(work: () => Promise<void>): Promise<boolean> {
		try {
			await work();
			return true;
		} catch (error) {
			if (codeOf(error) === 'Unavailable') return false;
			throw error;
		}
	}

	#manifest(name: string): Pod {
		const command = ['sh', '-c', 'trap exit TERM; sleep 36000 & wait'];
		return {
			apiVersion: 'v1',
			kind: 'Pod',
			metadata: { namespace: this.#namespace, name },
			spec: { terminationGracePeriodSeconds: 5, containers: [{ name: 'main', image: this.#image, command }] },
		};
	}

	/** Waits until every acknowledged pod runs and none asked to go is left (unless `dyingMayStay`); then says what is wrong with them, a line each. */
	async settle(dyingMayStay: boolean): Promise<readonly string[]> {
		const until = Date.now() + SETTLE_MS;
		for (;;) {
			const pods = (await this.#client.list(PODS, { namespace: this.#namespace })).items;
			const wrong = this.#wrong(pods, dyingMayStay);
			if (wrong.length === 0 || Date.now() > until) return wrong;
			await realClock.sleep(50);
		}
	}

	#wrong(pods: readonly Pod[], dyingMayStay: boolean): readonly string[] {
		const byName = new Map(pods.map((pod) => [pod.metadata.name ?? '', pod]));
		const lines: string[] = [];
		for (const [name, uid] of this.acknowledged) {
			const pod = byName.get(name);
			if (pod === undefined) lines.push(`pod "${name}" is gone`);
			else if (pod.metadata.uid !== uid) lines.push(`pod "${name}" is another one`);
			else if (pod.status?.phase !== 'Running' || !isReady(pod)) lines.push(`pod "${name}" is ${pod.status?.phase}, not ready`);
		}
		for (const name of byName.keys()) {
			// A create that was under way may have become durable: from here on it counts as acknowledged; a delete may not have.
			if (this.acknowledged.has(name)) continue;
			if (!this.dying.has(name)) this.acknowledged.set(name, byName.get(name)?.metadata.uid ?? '');
			else if (!dyingMayStay) lines.push(`pod "${name}" is not gone`);
		}
		return lines;
	}

	/** Asks again for deletions that the server did not live to hear. */
	async deleteAgain(): Promise<void> {
		for (const pod of (await this.#client.list(PODS, { namespace: this.#namespace })).items)
			if (this.dying.has(pod.metadata.name ?? '') && pod.metadata.deletionTimestamp === undefined)
				await this.delete(pod.metadata.name ?? '');
	}

	/** What the engine has for this cluster against what its pods need: a running sandbox and a running container each. A line for each difference. */
	async orphans(cluster: string): Promise<readonly string[]> {
		// Dead containers of a pod that is gone are removed a moment later.
		const until = Date.now() + REMOVAL_MS;
		for (;;) {
			const lines = await this.#orphansNow(cluster);
			if (lines.length === 0 || Date.now() > until) return lines;
			await realClock.sleep(50);
		}
	}

	async #orphansNow(cluster: string): Promise<readonly string[]> {
		const [names, running] = await Promise.all([containerNames(cluster), runningContainers(cluster)]);
		const known = [...this.acknowledged.values()];
		const lines: string[] = [];
		for (const uid of known) {
			const count = [...running.keys()].filter((name) => name.includes(uid)).length;
			if (count !== 2) lines.push(`pod ${uid} has ${count} running containers on the engine instead of 2`);
		}
		// One that was made and never started before a death stays with its pod, as a restarted one does.
		for (const name of names) if (!known.some((uid) => name.includes(uid))) lines.push(`container "${name}" belongs to no pod`);
		return lines;
	}
}

const SETTLE_MS = 60_000;
const REMOVAL_MS = 60_000;

function isReady(pod: Pod): boolean {
	return pod.status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True') === true;
}

/** Running containers of a cluster by name: their id, main process and start, which a restart would change. */
export async function runningContainers(cluster: string): Promise<ReadonlyMap<string, string>> {
	const names = await containerNames(cluster);
	if (names.length === 0) return new Map();
	const format = '{{.Name}} {{.State.Running}} {{.Id}} {{.State.Pid}} {{.State.StartedAt}}';
	// One that is being removed at this moment is named in stderr, and the others are told all the same.
	const lines = (await run('docker', ['inspect', '--format', format, ...names])).stdout.trim().split('\n');
	const rows = lines.map((line) => line.split(' ')).filter(([, running]) => running === 'true');
	return new Map(rows.map(([name = '', , ...facts]) => [name.slice(1), facts.join(' ')]));
}

/** What the agent knows of CSI volumes beyond the disk: drivers, their API objects, and which volumes are in use. */
import type { CSIDriver } from '../../api/gen/types.ts';
import { CSI_DRIVERS } from '../../api/resources.ts';
import type { Clock } from '../../base/clock.ts';
import { InTurn } from '../../base/in-turn.ts';
import type { Log } from '../../base/log.ts';
import type { Client } from '../../client/client.ts';
import { createInformer, type Informer } from '../../client/informer.ts';
import type { VolumePath } from '../volume/volume-path.ts';
import { CsiDrivers } from './drivers.ts';
import { VolumeLabels } from './selinux.ts';
import type { CsiSource } from './source.ts';

export interface VolumePlace {
	readonly path: string;
	/** Of a driver's volume; others are measured by their file system. */
	readonly source: CsiSource | undefined;
	readonly claim: string | undefined;
	/** What containers are given. */
	readonly given: VolumePath;
}

export class CsiVolumes {
	readonly drivers = new CsiDrivers();
	readonly labels = new VolumeLabels();
	/** One volume's stage, publish and their opposites, by unique name. */
	readonly turns = new InTurn();
	/** What this life of the agent has brought about itself, by path. */
	readonly done = new Set<string>();
	/** Pods by the unique names of attachable volumes that they use or wait for. */
	readonly #users = new Map<string, Set<string>>();
	readonly #places = new Map<string, Map<string, VolumePlace>>();
	readonly #waiting = new Map<string, Set<string>>();
	/** Called when `inUse` would answer something else. */
	used: () => void = () => {};
	readonly #objects: Informer<CSIDriver>;
	#signal: AbortSignal | undefined;
	#began = false;

	constructor({ client, clock, log }: { readonly client: Client; readonly clock: Clock; readonly log: Log }) {
		this.#objects = createInformer({ client, resource: CSI_DRIVERS, clock, log });
		this.#objects.subscribe(() => this.drivers.changed.changed());
	}

	begin(signal: AbortSignal): void {
		this.#signal = signal;
	}

	/** The CSIDriver; undefined where there is none. Followed from the first time on. */
	async object(name: string, signal: AbortSignal): Promise<CSIDriver | undefined> {
		if (!this.#began && this.#signal !== undefined) {
			this.#began = true;
			this.#objects.run(this.#signal, () => {}).catch(() => (this.#began = false));
		}
		await this.#objects.synced(signal);
		return this.#objects.lister.get(name);
	}

	/** The pod waits for a driver that is not here yet. */
	awaitDriver(driver: string, podUid: string): void {
		const pods = this.#waiting.get(driver) ?? new Set();
		this.#waiting.set(driver, pods.add(podUid));
	}

	/** The pods that waited for the driver. */
	takeWaiting(driver: string): Iterable<string> {
		const pods = this.#waiting.get(driver) ?? [];
		this.#waiting.delete(driver);
		return pods;
	}

	/** Where a volume of a pod is, for who wants to measure it. */
	note(podUid: string, volume: string, place: VolumePlace): void {
		const places = this.#places.get(podUid) ?? new Map<string, VolumePlace>();
		this.#places.set(podUid, places.set(volume, place));
	}

	placeOf(podUid: string, volume: string): VolumePlace | undefined {
		return this.#places.get(podUid)?.get(volume);
	}

	/** As node.status.volumesInUse says it. */
	inUse(): readonly string[] {
		return [...this.#users.keys()].toSorted((a, b) => (a < b ? -1 : 1));
	}

	isUsed(name: string): boolean {
		return this.#users.has(name);
	}

	use(name: string, podUid: string): void {
		const users = this.#users.get(name);
		if (users !== undefined) return void users.add(podUid);
		this.#users.set(name, new Set([podUid]));
		this.used();
	}

	/** The pod uses nothing any more. */
	release(podUid: string): void {
		this.#places.delete(podUid);
		this.labels.release(podUid);
		let changed = false;
		for (const [name, users] of this.#users) {
			if (!users.delete(podUid) || users.size > 0) continue;
			this.#users.delete(name);
			changed = true;
		}
		if (changed) this.used();
	}
}

/** What pods were given, and what the runtime was last told, kept in files over restarts of the agent as upstream's kubelet keeps both (allocation/state). */
import { join } from 'node:path';
import type { ResourceRequirements } from '../../api/gen/types.ts';
import { messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { corrupted, readStateFile, writeStateFile } from '../checkpoint/file.ts';
import { fnv32a, printed } from '../checkpoint/go-value.ts';
import { Saver } from '../saver.ts';
import type { PodAllocation } from './allocation.ts';

interface Entry {
	readonly ContainerResources: PodAllocation['containers'] | null;
	readonly PodLevelResources?: ResourceRequirements | null;
}

interface Data {
	/** By uid. */
	readonly entries?: Readonly<Record<string, Entry>> | null;
}

interface Checkpoint {
	/** The JSON text of Data. */
	readonly data: string;
	readonly checksum: number;
}

/** The form of before. */
interface Old {
	readonly entries: Readonly<Record<string, PodAllocation>>;
}

/** By uid. Written soon after a change, once for all that change together. */
export class Records {
	readonly #path: string | undefined;
	readonly #entries: Map<string, PodAllocation>;
	readonly #saver: Saver;

	private constructor(path: string | undefined, log: Log, entries: Map<string, PodAllocation>) {
		this.#path = path;
		this.#entries = entries;
		this.#saver = new Saver(
			() => this.#write(),
			(error) => log.warn('cannot keep what pods were given', { reason: messageOf(error) }),
		);
	}

	static async open(rootDir: string, name: 'allocated_pods_state' | 'actuated_pods_state', log: Log): Promise<Records> {
		const path = join(rootDir, name);
		// Without it pods are taken to have what their specs say; a broken one must not keep the node from starting.
		const read = await entriesIn(path).catch((error: unknown) => {
			log.warn('what pods were given is not known any more; it is taken to be what they ask for', { reason: messageOf(error) });
			return {};
		});
		return new Records(path, log, new Map(Object.entries(read)));
	}

	/** That are nowhere but in memory. */
	static inMemory(log: Log): Records {
		return new Records(undefined, log, new Map());
	}

	get(uid: string): PodAllocation | undefined {
		return this.#entries.get(uid);
	}

	set(uid: string, allocation: PodAllocation): void {
		this.#entries.set(uid, allocation);
		this.#saver.changed();
	}

	setContainer(uid: string, name: string, resources: ResourceRequirements): void {
		const before = this.#entries.get(uid);
		this.set(uid, { ...before, containers: { ...before?.containers, [name]: resources } });
	}

	forget(uid: string): void {
		if (this.#entries.delete(uid)) this.#saver.changed();
	}

	/** Forgets all but these. */
	keep(known: (uid: string) => boolean): void {
		for (const uid of [...this.#entries.keys()]) if (!known(uid)) this.forget(uid);
	}

	/** Resolves once what is held is in the file; throws what keeps it from there. */
	saved(): Promise<void> {
		return this.#saver.saved();
	}

	async #write(): Promise<void> {
		if (this.#path === undefined) return;
		const entry = ({ containers, pod }: PodAllocation): Entry => ({ ContainerResources: containers, PodLevelResources: pod ?? null });
		const data: Data = { entries: Object.fromEntries([...this.#entries].map(([uid, allocation]) => [uid, entry(allocation)])) };
		const text = JSON.stringify(data);
		await writeStateFile(this.#path, { data: text, checksum: checksumOf(text) } satisfies Checkpoint);
	}
}

async function entriesIn(path: string): Promise<Readonly<Record<string, PodAllocation>>> {
	const file = await readStateFile<Checkpoint, Old>(path);
	if (file?.form !== 'upstream') return file?.state.entries ?? {};
	const { data = '', checksum } = file.state;
	if (checksum !== checksumOf(data)) throw corrupted(path);
	const { entries } = JSON.parse(data) as Data;
	const allocation = ({ ContainerResources, PodLevelResources }: Entry): PodAllocation => ({
		containers: ContainerResources ?? {},
		...(PodLevelResources == null ? {} : { pod: PodLevelResources }),
	});
	return Object.fromEntries(Object.entries(entries ?? {}).map(([uid, entry]) => [uid, allocation(entry)]));
}

/** Pure. */
function checksumOf(text: string): number {
	return fnv32a(printed('string', text));
}

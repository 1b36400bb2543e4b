/**
 * Users of their own for pods that ask for them (hostUsers: false): each has a piece of the machine's ids, which nobody else has until the pod has
 * ended and its volumes are gone. It is written down in the pod's folder before it is used, so that containers keep it over restarts of the agent.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, ignoreErrno, messageOf } from '../../base/errors.ts';
import { readIfExists, writeAtomic } from '../../base/files.ts';
import { podFolder, podsFolder } from '../pod/folders.ts';
import { makePodFolder } from '../pod/make-folder.ts';
import { formatRange, parseRange, spanFault, type IdRange, type IdSpan } from './id-range.ts';

export interface UserNamespacesOptions {
	readonly rootDir: string;
	readonly idsPerPod: number;
	readonly span: IdSpan;
	readonly maxPods: number;
	/** Makes the folder if need be. */
	readonly write?: (path: string, text: string) => Promise<void>;
}

const FILE = 'userns';

export class UserNamespaces {
	readonly #options: UserNamespacesOptions;
	/** By pod uid: the piece's number, and the range once it is on disk; undefined where it could not be written. */
	readonly #given = new Map<string, { readonly slot: number; readonly range: Promise<IdRange> | undefined }>();
	readonly #taken = new Set<number>();

	private constructor(options: UserNamespacesOptions) {
		this.#options = options;
	}

	/** With what pods were given earlier. AppError where that, or the span, makes no sense: nobody may be given what another has. */
	static async open(options: UserNamespacesOptions): Promise<UserNamespaces> {
		const fault = spanFault(options.span, options.idsPerPod, options.maxPods);
		if (fault !== '') throw new AppError('InvalidArgument', `create user namespace manager: ${fault}`);
		const spaces = new UserNamespaces(options);
		const pods = (await readdir(podsFolder(options.rootDir)).catch(ignoreErrno('ENOENT'))) ?? [];
		for (const uid of pods) {
			const text = await readIfExists(join(podFolder(options.rootDir, uid), FILE));
			if (text === undefined || text === '') continue;
			try {
				spaces.#record(uid, parseRange(text));
			} catch (cause) {
				const message = `create user namespace manager: record pod mappings for existing pod "${uid}": ${messageOf(cause)}`;
				throw new AppError('FailedPrecondition', message, { cause });
			}
		}
		return spaces;
	}

	/** The pod's ids, the same each time; resolves once they are on disk. */
	async give(uid: string): Promise<IdRange> {
		const held = this.#given.get(uid);
		if (held?.range !== undefined) return held.range;
		const slot = held?.slot ?? this.#free();
		const { span, idsPerPod } = this.#options;
		const written = this.#write(uid, { hostId: span.firstId + slot * idsPerPod, length: idsPerPod }).catch((cause: unknown) => {
			// The file may be there all the same: the pod keeps the piece, and the next call writes it again.
			if (this.#given.get(uid)?.range === written) this.#hold(uid, slot, undefined);
			throw new AppError('Internal', `create user namespace: ${messageOf(cause)}`, { cause });
		});
		this.#hold(uid, slot, written);
		return written;
	}

	/** Once the pod's folder is gone. */
	release(uid: string): void {
		const held = this.#given.get(uid);
		if (held === undefined) return;
		this.#given.delete(uid);
		this.#taken.delete(held.slot);
	}

	#hold(uid: string, slot: number, range: Promise<IdRange> | undefined): void {
		this.#given.set(uid, { slot, range });
		this.#taken.add(slot);
	}

	#free(): number {
		const { span, idsPerPod } = this.#options;
		const slots = span.length / idsPerPod;
		for (let slot = 0; slot < slots; slot++) if (!this.#taken.has(slot)) return slot;
		throw new AppError('ResourceExhausted', 'create user namespace: could not find an empty slot to allocate a user namespace');
	}

	#record(uid: string, range: IdRange): void {
		const { span, idsPerPod } = this.#options;
		const fault = (why: string): AppError => new AppError('FailedPrecondition', why);
		if (range.length !== idsPerPod) throw fault(`wrong user namespace length ${range.length}`);
		if (range.hostId % idsPerPod !== 0) throw fault(`wrong user namespace offset specified ${range.hostId}`);
		const slot = (range.hostId - span.firstId) / idsPerPod;
		if (slot < 0 || slot >= span.length / idsPerPod) throw fault(`id ${range.hostId} is out of range`);
		if (this.#taken.has(slot)) throw fault(`range picked for pod "${uid}" already taken`);
		this.#hold(uid, slot, Promise.resolve(range));
	}

	async #write(uid: string, range: IdRange): Promise<IdRange> {
		const { rootDir, write = writeAtomic } = this.#options;
		await write(join(await makePodFolder(rootDir, uid), FILE), formatRange(range));
		return range;
	}
}

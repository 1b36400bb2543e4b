/** The Store on SQLite: state in memory, durability by group commits in a worker thread (WAL, synchronous FULL). */
import { mkdirSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Clock } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import { Contents } from './contents.ts';
import type { Durability, DurableCommit } from './durability.ts';
import { PageCipher } from './page-cipher.ts';
import { ServedStore } from './served-store.ts';
import { explained, loadDatabase } from './sqlite-file.ts';
import { commitRequest, type WorkerAnswer, type WorkerRequest } from './sqlite-messages.ts';
import type { LiveSealing } from './encryption/live-sealing.ts';
import { ownDatabase } from './sqlite-owner.ts';
import { toRow } from './sqlite-row.ts';
import type { Store } from './store.ts';
import { ValueFile } from './value-file.ts';
import { ValuePages } from './value-pages.ts';

export interface SqliteStoreOptions {
	/** The database file; made with its folder where there is none. */
	readonly path: string;
	readonly clock: Clock;
	/** The worker's entry point; beside this file unless told (`sqlite-worker.js` in a bundle, `.ts` in the sources). */
	readonly workerUrl?: URL;
	/** Called once when a commit could not be made durable. It must end the process, and does unless told. */
	readonly fatal?: (error: AppError) => void;
	/** Encryption at rest; values are plain unless told. */
	readonly sealing?: LiveSealing;
}

/** Opens or makes the database. AppError with a plain message when it is corrupt, of a newer version, in use or not writable. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
	const { path, sealing } = options;
	// Its thread starts beside all that comes before the first commit.
	const durability = new SqliteDurability(path, options.workerUrl ?? besideThisFile(), sealing);
	try {
		using stack = new DisposableStack();
		stack.use(claim(path));
		const pages = new ValuePages({ file: valueFile(`${path}.values`, sealing) });
		stack.defer(() => void pages.close());
		const contents = new Contents(loadDatabase(path, sealing?.of), pages);
		durability.open(stack.move());
		return new ServedStore({ clock: options.clock, durability, contents, fatal: options.fatal ?? endProcess });
	} catch (error) {
		await durability.abandon();
		throw error;
	}
}

function claim(path: string): Disposable {
	mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
	try {
		return ownDatabase(path);
	} catch (error) {
		throw explained(path, error);
	}
}

/** Where it cannot be made, values stay in memory: a full disk must not keep the store from serving reads. */
function valueFile(path: string, sealing: LiveSealing | undefined): ValueFile | undefined {
	try {
		return ValueFile.open(path, sealing === undefined ? undefined : new PageCipher());
	} catch {
		return undefined;
	}
}

function besideThisFile(): URL {
	return new URL(import.meta.url.endsWith('.ts') ? './sqlite-worker.ts' : './sqlite-worker.js', import.meta.url);
}

function endProcess(error: AppError): void {
	const cause = error.cause instanceof AppError ? error.cause : error;
	process.stderr.write(`${cause.message}\n`);
	process.exit(1);
}

class SqliteDurability implements Durability {
	readonly #path: string;
	readonly #worker: Worker;
	readonly sealing: LiveSealing | undefined;
	#waiting: PromiseWithResolvers<void> | undefined;
	/** The blob of the last group, for the next one. */
	#spare: WorkerAnswer['blob'];
	#lost: AppError | undefined;
	#owner: Disposable | undefined;

	constructor(path: string, workerUrl: URL, sealing: LiveSealing | undefined) {
		const worker = new Worker(workerUrl, { resourceLimits: { maxYoungGenerationSizeMb: 8 } });
		this.#path = path;
		this.sealing = sealing;
		this.#worker = worker;
		worker.on('message', (answer: WorkerAnswer) => this.#answered(answer));
		worker.on('error', (error) => this.#lose(explained(path, error)));
		worker.on('exit', (code) => this.#lose(new AppError('Internal', `The storage worker ended with code ${code}`)));
		worker.unref();
	}

	/** The database is there. @param owner given back when the worker has closed it */
	open(owner: Disposable): void {
		this.#owner = owner;
		this.#worker.postMessage({ type: 'open', path: this.#path } satisfies WorkerRequest);
	}

	/** Instead of opening it. */
	async abandon(): Promise<void> {
		await this.#worker.terminate();
	}

	/** Once the requests of this turn of the loop have been looked at: a message to the worker costs as much as half a write. */
	gathered(): Promise<void> {
		return new Promise((resolve) => void setImmediate(resolve));
	}

	append(commits: readonly DurableCommit[]): Promise<void> {
		const request = commitRequest(
			commits.map(({ revision, writes }) => ({
				revision,
				writes: writes.map(({ key, value, expiresAt }) => ({
					key,
					value: value === undefined ? undefined : toRow(key, value, this.sealing?.of),
					expiresAt,
				})),
			})),
			this.#spare,
		);
		this.#spare = undefined;
		return this.#send(request, [request.blob.buffer]);
	}

	/** The database and its write-ahead log. */
	async diskBytes(): Promise<number> {
		const sizes = await Promise.all(
			['', '-wal'].map((end) =>
				stat(`${this.#path}${end}`).then(
					({ size }) => size,
					() => 0,
				),
			),
		);
		return sizes.reduce((all, size) => all + size, 0);
	}

	async close(): Promise<void> {
		try {
			await this.#send({ type: 'close' }, []);
		} finally {
			await this.#worker.terminate();
			this.#owner?.[Symbol.dispose]();
		}
	}

	#send(request: WorkerRequest, transfer: readonly ArrayBuffer[]): Promise<void> {
		if (this.#lost !== undefined) return Promise.reject(this.#lost);
		this.#waiting = Promise.withResolvers<void>();
		// The process must not end while a commit is under way.
		this.#worker.ref();
		this.#worker.postMessage(request, transfer);
		return this.#waiting.promise;
	}

	#answered({ error, blob }: WorkerAnswer): void {
		this.#spare = blob;
		if (error === undefined) return this.#settle(undefined);
		const cause = Object.assign(new Error(error.message), { errcode: error.errcode });
		this.#settle(error.undone ? explained(this.#path, cause) : new AppError('DataLoss', error.message, { cause }));
	}

	#lose(error: AppError): void {
		this.#lost ??= error;
		this.#settle(error);
	}

	#settle(error: AppError | undefined): void {
		const waiting = this.#waiting;
		this.#waiting = undefined;
		this.#worker.unref();
		if (error === undefined) waiting?.resolve();
		else waiting?.reject(error);
	}
}

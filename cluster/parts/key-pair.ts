/** A certificate and its key, followed in their files: whoever renews them there need tell nobody. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { KeyPairFiles } from './config.ts';
import { checkPair, readNamed } from './credential-files.ts';

/** How often the files are read again (upstream's dynamic certificates: FileRefreshDuration). */
const REFRESH_MS = 60_000;

export class KeyPair {
	readonly #files: KeyPairFiles;
	#pem: readonly [cert: string, key: string];

	private constructor(files: KeyPairFiles, pem: readonly [string, string]) {
		this.#files = files;
		this.#pem = pem;
	}

	/** @param names what says which files: flags, or fields of a configuration. AppError names the one that is wrong. */
	static async open(files: KeyPairFiles, names: readonly [cert: string, key: string]): Promise<KeyPair> {
		const paths = [files.certFile, files.keyFile] as const;
		const pem = await Promise.all([readNamed(names[0], paths[0]), readNamed(names[1], paths[1])]);
		checkPair(names, paths, pem);
		return new KeyPair(files, pem);
	}

	get certPem(): string {
		return this.#pem[0];
	}

	get keyPem(): string {
		return this.#pem[1];
	}

	/** Reads the files again; a pair that does not belong together (one is being replaced) is left for the next time. */
	async refresh(): Promise<boolean> {
		const pem = await read(this.#files);
		if (pem[0] === this.certPem || !belongTogether(...pem)) return false;
		this.#pem = pem;
		return true;
	}

	/** Until the signal aborts. */
	async follow(clock: Clock, log: Log, signal: AbortSignal): Promise<void> {
		const file = this.#files.certFile;
		while (!signal.aborted) {
			await clock.sleep(REFRESH_MS, signal).catch(() => {});
			if (signal.aborted) return;
			try {
				if (await this.refresh()) log.info('took up a renewed certificate', { file });
			} catch (error) {
				log.warn('cannot read a certificate again', { file, reason: messageOf(error) });
			}
		}
	}
}

async function read({ certFile, keyFile }: KeyPairFiles): Promise<readonly [string, string]> {
	return await Promise.all([readFile(certFile, 'utf8'), readFile(keyFile, 'utf8')]);
}

function belongTogether(certPem: string, keyPem: string): boolean {
	return new X509Certificate(certPem).checkPrivateKey(createPrivateKey(keyPem));
}

/** What a configuration calls the two files of `field`. */
export function fieldsOf(field: string): readonly [cert: string, key: string] {
	return [`${field}.certFile`, `${field}.keyFile`];
}

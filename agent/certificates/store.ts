/**
 * Where a certificate and its key lie together in one file: each new pair in a file of its own, and a link to the present one
 * ("kubelet-client-current.pem"), as upstream's certificate store has them, so that either kubelet goes on with what the other has.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readlink, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { readIfExists, syncPath, writeAtomic } from '../../base/files.ts';

export interface CertifiedKey {
	/** PEM; the leaf first. */
	readonly certPem: string;
	readonly keyPem: string;
}

export class CertificateStore {
	readonly #folder: string;
	readonly #prefix: string;

	/** @param prefix "kubelet-client" or "kubelet-server" */
	constructor(folder: string, prefix: string) {
		this.#folder = folder;
		this.#prefix = prefix;
	}

	/** The link to the present pair. */
	get path(): string {
		return join(this.#folder, `${this.#prefix}-current.pem`);
	}

	/** A key that a certificate was asked for and has not come yet. */
	get pendingKey(): string {
		return join(this.#folder, `${this.#prefix}.key.tmp`);
	}

	/** Undefined where there is none, or what is there is no pair. */
	async read(): Promise<CertifiedKey | undefined> {
		const text = await readIfExists(this.path);
		return text === undefined ? undefined : certifiedKey(text);
	}

	/** @param now names the file */
	async write({ certPem, keyPem }: CertifiedKey, now: number): Promise<void> {
		const stamp = new Date(now).toISOString().slice(0, 19).replace(/[T:]/g, '-');
		const name = `${this.#prefix}-${stamp}.pem`;
		await writeAtomic(join(this.#folder, name), `${certPem.trimEnd()}\n${keyPem.trimEnd()}\n`);
		const before = await readlink(this.path).catch(() => undefined);
		const link = `${this.path}.tmp`;
		await rm(link, { force: true });
		await symlink(name, link);
		await rename(link, this.path);
		await syncPath(this.#folder);
		if (before !== undefined && before !== name) await rm(join(this.#folder, before), { force: true });
	}
}

/** Pure: the pair in such a file; undefined where key and certificate do not belong together. */
export function certifiedKey(text: string): CertifiedKey | undefined {
	const blocks = text.match(/-----BEGIN ([A-Z ]+)-----[^-]+-----END \1-----/g) ?? [];
	const certPem = blocks.filter((block) => block.includes('BEGIN CERTIFICATE-')).join('\n');
	const keyPem = blocks.find((block) => block.includes('PRIVATE KEY-'));
	if (certPem === '' || keyPem === undefined) return undefined;
	try {
		if (!new X509Certificate(certPem).checkPrivateKey(createPrivateKey(keyPem))) return undefined;
	} catch {
		return undefined;
	}
	return { certPem: `${certPem}\n`, keyPem: `${keyPem}\n` };
}

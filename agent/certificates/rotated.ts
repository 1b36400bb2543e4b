/**
 * A certificate that is asked for when there is none, and again before it ends or when it is to say something else.
 *
 *   none --asked--> held --a share of its life is over, or other names--> asked again, while the old one serves
 */
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { delayMs, type BackoffPolicy } from '../../base/backoff.ts';
import { codeOf, messageOf } from '../../base/errors.ts';
import { readIfExists, writeAtomic } from '../../base/files.ts';
import { requestCertificate, type RequestDeps, type WantedCertificate } from './request.ts';
import type { CertificateStore, CertifiedKey } from './store.ts';

/** Upstream renews at a random point between these shares of the life. */
const [FROM_SHARE, TO_SHARE] = [0.7, 0.9];
/** Upstream's wait for a signature. */
const WAIT_MS = 15 * 60_000;
const AGAIN: BackoffPolicy = { initialMs: 2000, maxMs: 300_000, jitter: 0.1 };
/** How soon other names are noticed. */
const LOOK_MS = 10_000;

export interface RotationDeps extends RequestDeps {
	readonly store: CertificateStore;
	/** What it is to say now; undefined while that is not known. */
	readonly wanted: () => WantedCertificate | undefined;
	/** A new one is there. */
	readonly renewed?: (ageSeconds: number) => void;
	readonly failed?: () => void;
	/** Where there was none before: it need not be asked for. */
	readonly first?: CertifiedKey | undefined;
	readonly waitMs?: number;
}

export class RotatedCertificate {
	readonly #deps: RotationDeps;
	#current: CertifiedKey | undefined;
	#renewAt = 0;

	private constructor(deps: RotationDeps, current: CertifiedKey | undefined) {
		this.#deps = deps;
		this.#current = current;
		this.#plan();
	}

	/** With what the store has, unless that has ended. */
	static async open(deps: RotationDeps): Promise<RotatedCertificate> {
		const held = [await deps.store.read(), deps.first].filter((pair) => pair !== undefined);
		return new RotatedCertificate(
			deps,
			held.find((pair) => lifeOf(pair).to > deps.clock.now()),
		);
	}

	get current(): CertifiedKey | undefined {
		return this.#current;
	}

	/** Seconds until it ends; undefined while there is none. */
	get secondsLeft(): number | undefined {
		return this.#current === undefined ? undefined : (lifeOf(this.#current).to - this.#deps.clock.now()) / 1000;
	}

	/** Until the signal aborts. */
	async run(signal: AbortSignal): Promise<void> {
		const { clock, log, failed } = this.#deps;
		for (let failures = 0; !signal.aborted; ) {
			const wanted = this.#due();
			if (wanted === undefined) {
				await clock.sleep(LOOK_MS, signal).catch(() => {});
				continue;
			}
			try {
				await this.obtain(wanted, signal);
				failures = 0;
			} catch (error) {
				if (signal.aborted) return;
				failed?.();
				log.error('no new certificate', { signer: wanted.signerName, reason: messageOf(error) });
				await clock.sleep(delayMs(AGAIN, failures++, clock.random()), signal).catch(() => {});
			}
		}
	}

	/** Asks for one and takes it up. */
	async obtain(wanted: WantedCertificate, signal: AbortSignal): Promise<CertifiedKey> {
		const { store, clock, renewed, waitMs = WAIT_MS } = this.#deps;
		const keyPem = await this.#pendingKey();
		const before = this.#current;
		let pair: CertifiedKey;
		try {
			pair = await requestCertificate(wanted, keyPem, waitMs, this.#deps, signal);
		} catch (error) {
			// Another key is another request: this one has had its answer.
			if (['PermissionDenied', 'Aborted'].includes(codeOf(error))) await rm(store.pendingKey, { force: true });
			throw error;
		}
		await store.write(pair, clock.now());
		await rm(store.pendingKey, { force: true });
		this.#current = pair;
		this.#plan();
		renewed?.(before === undefined ? 0 : (clock.now() - lifeOf(before).from) / 1000);
		return pair;
	}

	async #pendingKey(): Promise<string> {
		const { store } = this.#deps;
		const had = await readIfExists(store.pendingKey);
		if (had !== undefined && had.includes('PRIVATE KEY')) return had;
		const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
		const keyPem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
		await writeAtomic(store.pendingKey, keyPem);
		return keyPem;
	}

	/** What is to be asked for now. */
	#due(): WantedCertificate | undefined {
		const wanted = this.#deps.wanted();
		if (wanted === undefined) return undefined;
		const isOver = this.#current === undefined || this.#deps.clock.now() >= this.#renewAt;
		return isOver || !says(this.#current, wanted) ? wanted : undefined;
	}

	#plan(): void {
		if (this.#current === undefined) return;
		const { from, to } = lifeOf(this.#current);
		const share = FROM_SHARE + (TO_SHARE - FROM_SHARE) * this.#deps.clock.random();
		this.#renewAt = from + (to - from) * share;
	}
}

function lifeOf({ certPem }: CertifiedKey): { readonly from: number; readonly to: number } {
	const certificate = new X509Certificate(certPem);
	return { from: Date.parse(certificate.validFrom), to: Date.parse(certificate.validTo) };
}

/** Whether a certificate says what is wanted: its names and addresses, all of them. */
function says(pair: CertifiedKey | undefined, { commonName, dnsNames, ipAddresses }: WantedCertificate): boolean {
	if (pair === undefined) return false;
	const certificate = new X509Certificate(pair.certPem);
	if (!certificate.subject.split('\n').includes(`CN=${commonName}`)) return false;
	return dnsNames.every((n) => certificate.checkHost(n) !== undefined) && ipAddresses.every((ip) => certificate.checkIP(ip) !== undefined);
}

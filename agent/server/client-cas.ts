/**
 * The CAs whose client certificates are known, followed where they change: once they have changed, what let a connection in counts no longer, and
 * its certificate is compared with the present CAs at each request.
 */
import type { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import type { Clock } from '../../base/clock.ts';
import { certificatesIn } from '../../wire/tls/pem.ts';

const MAX_CHAIN = 6;

export class ClientCas {
	readonly #read: () => string;
	readonly #clock: Clock;
	readonly #first: string;
	#parsed: { readonly pem: string; readonly list: readonly X509Certificate[] } = { pem: '', list: [] };

	/** @param read the bundle as it is now, PEM */
	constructor(read: () => string, clock: Clock) {
		this.#read = read;
		this.#clock = clock;
		this.#first = read();
	}

	get pem(): string {
		return this.#read();
	}

	/** Whether the client of this connection has a certificate that counts now. */
	knows(socket: TLSSocket): boolean {
		const peer = socket.authorized ? socket.getPeerX509Certificate() : undefined;
		if (peer === undefined || this.#isOver(peer)) return false;
		return this.pem === this.#first || this.#leadsToCa(peer);
	}

	#leadsToCa(peer: X509Certificate): boolean {
		let at = peer;
		for (let depth = 0; depth < MAX_CHAIN; depth++) {
			if (this.#list().some((ca) => at.checkIssued(ca) && at.verify(ca.publicKey) && !this.#isOver(ca))) return true;
			const issuer = at.issuerCertificate;
			if (issuer === undefined || issuer.fingerprint256 === at.fingerprint256 || !at.verify(issuer.publicKey)) return false;
			at = issuer;
		}
		return false;
	}

	#isOver(certificate: X509Certificate): boolean {
		return this.#clock.now() > Date.parse(certificate.validTo);
	}

	#list(): readonly X509Certificate[] {
		const pem = this.pem;
		if (this.#parsed.pem !== pem) this.#parsed = { pem, list: certificatesIn(pem) };
		return this.#parsed.list;
	}
}

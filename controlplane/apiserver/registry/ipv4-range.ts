/** A range of IPv4 addresses to hand out from: the lower part is left to those who choose their address themselves. Pure but for its position. */

export class Ipv4Range {
	readonly cidr: string;
	readonly #first: number;
	readonly #size: number;
	readonly #reserved: number;
	#position = 0;

	constructor(cidr: string) {
		const [address = '', bits = '32'] = cidr.split('/');
		this.cidr = cidr;
		this.#size = 2 ** (32 - Number(bits));
		this.#first = Math.floor(toNumber(address) / this.#size) * this.#size;
		// Upstream's static band: min(max(16, size/16), 256).
		this.#reserved = this.#size < 32 ? 0 : Math.min(Math.max(16, Math.floor(this.#size / 16)), 256);
	}

	/** Neither the network's own address nor its broadcast address. */
	contains(address: string): boolean {
		const n = toNumber(address);
		return n > this.#first && n < this.#first + this.#size - 1;
	}

	/** The next free address; undefined when all are taken. */
	next(taken: ReadonlySet<string>): string | undefined {
		const usable = this.#size - 2;
		for (let i = 0; i < usable; i++) {
			const offset = (this.#reserved + this.#position + i) % usable;
			const address = toText(this.#first + 1 + offset);
			if (taken.has(address)) continue;
			this.#position = (offset - this.#reserved + 1 + usable) % usable;
			return address;
		}
		return undefined;
	}
}

function toNumber(address: string): number {
	const parts = address.split('.').map(Number);
	if (parts.length !== 4 || parts.some((p) => !(p >= 0 && p <= 255))) return -1;
	return parts.reduce((n, p) => n * 256 + p, 0);
}

function toText(n: number): string {
	return [n >>> 24, (n >>> 16) & 255, (n >>> 8) & 255, n & 255].join('.');
}

/** Hands out the pod addresses of one network. Durable records of who has which are the sandbox checkpoints. */
import { AppError } from '../../base/errors.ts';
import { formatIp, parseIpOf } from '../../base/ip.ts';
import { formatSubnet, type Subnet, sizeOf } from './subnet.ts';

/** Of a larger network only the first addresses are used: no node has as many pods. */
const MOST = 1n << 20n;

export class Addresses {
	readonly #subnet: Subnet;
	readonly #last: number;
	readonly #used = new Set<number>();
	#next = 2;

	constructor(subnet: Subnet, used: readonly string[] = []) {
		this.#subnet = subnet;
		const size = sizeOf(subnet);
		this.#last = Number(size > MOST ? MOST : size) - 2; // 0 is the network, 1 the gateway, IPv4's last for broadcast
		for (const ip of used) this.#mark(ip);
	}

	/** Round robin, so that an address just freed is not given out again at once (neighbours may still know the old owner). */
	take(): string {
		for (let tries = 1; tries < this.#last; tries++) {
			if (this.#next > this.#last) this.#next = 2;
			const offset = this.#next++;
			if (this.#used.has(offset)) continue;
			this.#used.add(offset);
			return formatIp(this.#subnet.family, this.#subnet.base + BigInt(offset));
		}
		throw new AppError('ResourceExhausted', `All ${this.#last - 1} pod addresses of ${formatSubnet(this.#subnet)} are in use`);
	}

	/** Addresses of other networks are ignored. */
	free(ip: string): void {
		const offset = this.#offset(ip);
		if (offset !== undefined) this.#used.delete(offset);
	}

	#mark(ip: string): void {
		const offset = this.#offset(ip);
		if (offset !== undefined) this.#used.add(offset);
	}

	#offset(ip: string): number | undefined {
		const value = parseIpOf(this.#subnet.family, ip);
		return value === undefined || value < this.#subnet.base || value >= this.#subnet.base + sizeOf(this.#subnet)
			? undefined
			: Number(value - this.#subnet.base);
	}
}

/** Hands out the pod addresses of one network. Durable records of who has which are the sandbox checkpoints. */
import { AppError } from '../../base/errors.ts';
import { formatIp, parseIp, type Subnet, sizeOf } from './subnet.ts';

export class Addresses {
	readonly #subnet: Subnet;
	readonly #used = new Set<number>();
	#next = 2;

	constructor(subnet: Subnet, used: readonly string[] = []) {
		this.#subnet = subnet;
		for (const ip of used) this.#used.add(parseIp(ip) - subnet.base);
	}

	/** Round robin, so that an address just freed is not given out again at once (neighbours may still know the old owner). */
	take(): string {
		const last = sizeOf(this.#subnet) - 2; // the last is for broadcast, 0 the network, 1 the gateway
		for (let tries = 0; tries < last; tries++) {
			if (this.#next > last) this.#next = 2;
			const offset = this.#next++;
			if (this.#used.has(offset)) continue;
			this.#used.add(offset);
			return formatIp(this.#subnet.base + offset);
		}
		throw new AppError('ResourceExhausted', `All ${last - 1} pod addresses are in use`);
	}

	free(ip: string): void {
		this.#used.delete(parseIp(ip) - this.#subnet.base);
	}
}

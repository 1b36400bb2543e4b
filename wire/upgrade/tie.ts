/** Two connections that carry each other's bytes until either ends. */
import type { Duplex } from 'node:stream';
import { letGo } from '../../base/let-go.ts';

/** What was said before an end is still carried. */
export function tie(one: Duplex, other: Duplex): void {
	const end = (): void => {
		letGo(one);
		letGo(other);
	};
	for (const socket of [one, other]) {
		socket.once('close', end);
		socket.on('error', end);
	}
	one.pipe(other);
	other.pipe(one);
}

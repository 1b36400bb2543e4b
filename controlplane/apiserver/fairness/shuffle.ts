/** Shuffle sharding: which few of a level's queues a flow may use. The same flow always gets the same hand. Pure. */
import { hash } from 'node:crypto';

/** The first eight bytes of a digest over both names, as upstream's hashFlowID. */
export function flowHash(schema: string, distinguisher: string): bigint {
	const digest = hash('sha256', Buffer.from(`${schema}\0${distinguisher}`), 'buffer');
	return digest.readBigUInt64LE(0);
}

/** Deals `handSize` different cards out of `deckSize`, with the number as the source of chance. */
export function deal(entropy: bigint, deckSize: number, handSize: number): readonly number[] {
	const remainders: number[] = [];
	let rest = entropy;
	for (let i = 0; i < handSize; i++) {
		const left = BigInt(deckSize - i);
		remainders.push(Number(rest % left));
		rest /= left;
	}
	return remainders.map((first, i) => {
		let card = first;
		for (let j = i; j > 0; j--) if (card >= (remainders[j - 1] as number)) card++;
		return card;
	});
}

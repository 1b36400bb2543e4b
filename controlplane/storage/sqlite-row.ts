/** How a value lies in a row of the database: its bytes with its facts beside them, or both sealed together. */
import { NO_RULE, type Sealing } from './encryption/sealing.ts';
import type { Encoded } from './store.ts';

export interface Row {
	readonly bytes: Uint8Array;
	/** JSON of what is not bytes; empty when it is sealed with them: labels and names tell as much as values. */
	readonly facts: string;
}

type Facts = Omit<Encoded, 'bytes' | 'stale'>;

export function toRow(key: string, { bytes, versionAt, labels, fields }: Encoded, sealing: Sealing | undefined): Row {
	const facts = JSON.stringify({ versionAt, labels, fields } satisfies Facts);
	const sealer = sealing?.(key);
	if (sealer === undefined) return { bytes, facts };
	const plain = Buffer.concat([Buffer.from(`${facts}\n`), bytes]);
	const sealed = sealer.seal(key, plain);
	return sealed === plain ? { bytes, facts } : { bytes: sealed, facts: '' };
}

/** AppError DataLoss when no key opens it. */
export function fromRow(key: string, { bytes, facts }: Row, sealing: Sealing | undefined): Encoded {
	const sealer = sealing?.(key) ?? NO_RULE;
	const opened = sealer.open(key, bytes);
	const stale = opened.stale ? { stale: true } : {};
	if (facts !== '') return { bytes, ...(JSON.parse(facts) as Facts), ...stale };
	const plain = Buffer.from(opened.bytes.buffer, opened.bytes.byteOffset, opened.bytes.byteLength);
	const end = plain.indexOf(0x0a);
	return { bytes: plain.subarray(end + 1), ...(JSON.parse(plain.subarray(0, end).toString()) as Facts), ...stale };
}

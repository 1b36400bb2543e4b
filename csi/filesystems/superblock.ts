/** What the first blocks of a device or image say: which file system, and how large it is. Pure but for `readSuperblock`. */
import { open } from 'node:fs/promises';

export interface Superblock {
	readonly type: 'ext4' | 'xfs' | 'btrfs';
	readonly sizeBytes: number;
	/** Unmounted in order, its journal empty, no error found: a check would say so and go. Only ext4 tells. */
	readonly clean?: boolean;
}

/** Up to the end of a btrfs superblock. */
const HEAD_BYTES = 0x10000 + 0x1000;
/** An ext superblock begins here; offsets below are of ext4_super_block (kernel documentation, ext4 super block). */
const EXT = 1024;
const EXT_MAGIC = 0xef53;
const EXT_64BIT = 0x80;
/** Of s_state: this alone is a clean one. */
const EXT_VALID = 1;
/** Of s_feature_incompat: the journal has something to replay. */
const EXT_RECOVER = 4;

/** Undefined where there is no file system of these. */
export function parseSuperblock(head: Buffer): Superblock | undefined {
	if (head.length >= EXT + 1024 && head.readUInt16LE(EXT + 0x38) === EXT_MAGIC) {
		const wide = (head.readUInt32LE(EXT + 0x60) & EXT_64BIT) !== 0;
		const blocks = head.readUInt32LE(EXT + 4) + (wide ? head.readUInt32LE(EXT + 0x150) * 2 ** 32 : 0);
		const clean = head.readUInt16LE(EXT + 0x3a) === EXT_VALID && (head.readUInt32LE(EXT + 0x60) & EXT_RECOVER) === 0;
		return { type: 'ext4', sizeBytes: blocks * 1024 * 2 ** head.readUInt32LE(EXT + 0x18), clean };
	}
	if (head.length >= 16 && head.toString('latin1', 0, 4) === 'XFSB')
		return { type: 'xfs', sizeBytes: head.readUInt32BE(4) * Number(head.readBigUInt64BE(8)) };
	if (head.length >= 0x10078 && head.toString('latin1', 0x10040, 0x10048) === '_BHRfS_M')
		return { type: 'btrfs', sizeBytes: Number(head.readBigUInt64LE(0x10070)) };
	return undefined;
}

export async function readSuperblock(path: string): Promise<Superblock | undefined> {
	const file = await open(path, 'r');
	try {
		const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
		return parseSuperblock(buffer.subarray(0, bytesRead));
	} finally {
		await file.close();
	}
}

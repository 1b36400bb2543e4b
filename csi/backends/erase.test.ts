/** Overwriting: on a file of which the test still sees what was given back. */
import test from 'ava';
import { erase, type Erasable } from './erase.ts';

const MIB = 1024 ** 2;

/** Keeps what is cut off: a disk does. Writes do only so much at a time, as some do. */
class Disk {
	readonly bytes: Buffer;
	length: number;
	written = 0;
	/** Written and not synced when blocks were given back. */
	lost = 0;
	#unsynced = 0;

	constructor(bytes: Buffer) {
		this.bytes = bytes;
		this.length = bytes.length;
	}

	stat = async () => ({ size: this.length });
	sync = async () => void (this.#unsynced = 0);
	truncate = async (length: number) => {
		this.lost += this.#unsynced;
		this.length = length;
	};
	read = async (buffer: Buffer, offset: number, length: number, position: number) => {
		const bytesRead = this.bytes.copy(buffer, offset, position, Math.min(position + Math.min(length, 3 * MIB), this.length));
		return { bytesRead, buffer };
	};
	write = async (buffer: Buffer, offset: number, length: number, position: number) => {
		const bytesWritten = buffer.copy(this.bytes, position, offset, offset + Math.min(length, 100_000));
		this.written += bytesWritten;
		this.#unsynced += bytesWritten;
		return { bytesWritten, buffer };
	};
}

for (const [name, size, data] of [
	['nothing', 0, []],
	['less than a block', 700, [[0, 700]]],
	[
		'holes stay holes',
		40 * MIB,
		[
			[5 * MIB, 10],
			[16 * MIB - 100, 200],
			[40 * MIB - 1, 1],
		],
	],
	['all of it, and an odd end', 9 * MIB + 77, [[0, 9 * MIB + 77]]],
] as const)
	test(`erasing: ${name}`, async (t) => {
		const disk = new Disk(Buffer.alloc(size));
		const blocks = new Set<number>();
		for (const [at, length] of data) {
			disk.bytes.fill(1, at, at + length);
			for (let block = Math.floor(at / 4096); block * 4096 < at + length; block++) blocks.add(block);
		}
		await erase(disk as unknown as Erasable);
		t.true(disk.bytes.every((byte) => byte === 0));
		t.deepEqual([disk.length, disk.lost], [0, 0]);
		t.true(disk.written <= blocks.size * 4096, `${disk.written} bytes written`);
	});

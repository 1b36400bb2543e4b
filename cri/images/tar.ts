/** The smallest tar archive: files of a few bytes, for images built here. Pure. */

export interface TarFile {
	readonly name: string;
	readonly mode: number;
	readonly data: Buffer;
}

export function tar(files: readonly TarFile[]): Buffer {
	return Buffer.concat([...files.flatMap((f) => [header(f), f.data, Buffer.alloc(-f.data.length & 511)]), Buffer.alloc(1024)]);
}

/** A ustar header with owner 0 and time 0, so that the same files give the same bytes. */
function header({ name, mode, data }: TarFile): Buffer {
	const block = Buffer.alloc(512);
	const octal = (value: number, at: number, length: number): void =>
		void block.write(value.toString(8).padStart(length - 1, '0'), at, 'latin1');
	block.write(name, 0, 100, 'utf8');
	octal(mode, 100, 8);
	octal(0, 108, 8);
	octal(0, 116, 8);
	octal(data.length, 124, 12);
	octal(0, 136, 12);
	block.write('0ustar\u000000', 156, 'latin1');
	block.fill(' ', 148, 156);
	const sum = block.reduce((a, b) => a + b, 0);
	block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
	return block;
}

/** The content of the first file of an archive; empty where there is none. What the engine sends of one path. */
export function untarFirst(archive: Buffer): Buffer {
	for (let at = 0; at + 512 <= archive.length; ) {
		const size = Number.parseInt(archive.toString('latin1', at + 124, at + 135), 8) || 0;
		const type = archive[at + 156];
		at += 512;
		if (type === 0 || type === 0x30) return archive.subarray(at, at + size);
		at += Math.ceil(size / 512) * 512;
	}
	return Buffer.alloc(0);
}

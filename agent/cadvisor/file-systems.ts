/** The file systems of this machine's block devices, and what the kernel counts of each device. */
import { fsStats, type FsStats } from '../../host/filesystem.ts';
import { readMounts } from '../../host/mounts.ts';
import { readSmall } from '../../host/small-file.ts';

export interface FileSystemFigures {
	/** "/dev/vda1". */
	readonly device: string;
	readonly stats?: FsStats;
	/** What one container takes of it; all that is taken when absent. */
	readonly usedBytes?: number;
	/** The fields of /proc/diskstats after the device's name. */
	readonly disk?: readonly number[];
}

/** Each device once, by the first mount of it. */
export async function fileSystems(): Promise<readonly FileSystemFigures[]> {
	const firsts = new Map<string, string>();
	for (const { source, path } of await readMounts()) if (source.startsWith('/dev/') && !firsts.has(source)) firsts.set(source, path);
	const disks = parseDiskStats(readSmall('/proc/diskstats') ?? '');
	const all = await Promise.all(
		[...firsts].map(async ([device, path]): Promise<readonly FileSystemFigures[]> => {
			const stats = await fsStats(path).catch(() => undefined);
			const disk = disks.get(device.slice('/dev/'.length));
			return stats === undefined ? [] : [{ device, stats, ...(disk === undefined ? {} : { disk }) }];
		}),
	);
	return all.flat();
}

/** Pure: by the device's name. */
export function parseDiskStats(text: string): ReadonlyMap<string, readonly number[]> {
	const lines = text.split('\n').flatMap((line) => {
		const [, , name, ...fields] = line.trim().split(/\s+/);
		return name === undefined ? [] : [[name, fields.map(Number)] as const];
	});
	return new Map(lines);
}

/** "/dev/vda" of "254:0"; empty where the kernel knows none. */
export class DeviceNames {
	readonly #known = new Map<string, string>();

	of(device: string): string {
		const known = this.#known.get(device);
		if (known !== undefined) return known;
		const name = /^DEVNAME=(.+)$/m.exec(readSmall(`/sys/dev/block/${device}/uevent`) ?? '')?.[1];
		const path = name === undefined ? '' : `/dev/${name}`;
		this.#known.set(device, path);
		return path;
	}
}

/**
 * Limits on the input and output of one block device by control groups: `io.max` of version 2, the throttling of `blkio` of version 1. Version 2 counts a
 * group with all below it, and what the kernel writes behind a file's writer as that writer's. Version 1 counts each group for itself and what is written
 * behind as the root's (kernel documentation, cgroup-v2 "IO", cgroup-v1 "blkio-controller").
 */
import { accessSync, constants, watch } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreErrno, messageOf } from '../base/errors.ts';
import { readSmall } from './small-file.ts';

/** Undefined: no limit. */
export interface IoLimits {
	readonly readBytesPerSecond: number | undefined;
	readonly writeBytesPerSecond: number | undefined;
	readonly readIops: number | undefined;
	readonly writeIops: number | undefined;
}

export const NO_LIMITS: IoLimits = {
	readBytesPerSecond: undefined,
	writeBytesPerSecond: undefined,
	readIops: undefined,
	writeIops: undefined,
};

/** A file of a group, what stands in it for the device, and what is written for that. */
export interface IoRule {
	readonly file: string;
	readonly standing: string | undefined;
	readonly line: string;
}

const ROOT = '/sys/fs/cgroup';
/** Where kubelets keep pods: a few folders down, whatever group they were given; one may be a service, or in a container itself. */
const DEEPEST = 8;
/** The group or the device went meanwhile. */
const GONE = ignoreErrno('ENOENT', 'ENODEV');

/** Pure. `device` is major:minor. */
export function ioRules(version: 1 | 2, device: string, limits: IoLimits): readonly IoRule[] {
	const { readBytesPerSecond, writeBytesPerSecond, readIops, writeIops } = limits;
	if (version === 2) {
		const none = [readBytesPerSecond, writeBytesPerSecond, readIops, writeIops].every((limit) => limit === undefined);
		const say = (limit: number | undefined): string => String(limit ?? 'max');
		const line = `${device} rbps=${say(readBytesPerSecond)} wbps=${say(writeBytesPerSecond)} riops=${say(readIops)} wiops=${say(writeIops)}`;
		return [{ file: 'io.max', standing: none ? undefined : line, line }];
	}
	const rule = (file: string, limit: number | undefined): IoRule => ({
		file: `blkio.throttle.${file}_device`,
		standing: limit === undefined ? undefined : `${device} ${limit}`,
		line: `${device} ${limit ?? 0}`,
	});
	return [
		rule('read_bps', readBytesPerSecond),
		rule('write_bps', writeBytesPerSecond),
		rule('read_iops', readIops),
		rule('write_iops', writeIops),
	];
}

export class IoGroups {
	readonly version: 1 | 2;
	readonly #root: string;

	private constructor(version: 1 | 2, root: string) {
		this.version = version;
		this.#root = root;
	}

	/** Why there are none, where the host cannot limit. The root can be given for trees that are not the kernel's. */
	static open(root: string = ROOT): IoGroups | string {
		const unified = readSmall(join(root, 'cgroup.controllers'));
		if (unified?.split(/\s+/).includes('io')) return lacksWriting(2, root) ?? new IoGroups(2, root);
		if (unified !== undefined) return 'the control groups (version 2) have no io controller';
		const blkio = join(root, 'blkio');
		const file = join(blkio, 'blkio.throttle.read_bps_device');
		if (readSmall(file) !== undefined) return lacksWriting(1, file) ?? new IoGroups(1, blkio);
		return 'the control groups (version 1) have no blkio controller that throttles';
	}

	/** The groups in which what a pod does is counted; none where it has no group yet. Names are the kubelet's, of both its drivers. */
	async ofPod(uid: string): Promise<readonly string[]> {
		const slice = `-pod${uid.replaceAll('-', '_')}.slice`;
		const pod = await find(this.#root, (name) => name === `pod${uid}` || name.endsWith(slice));
		if (pod === undefined) return [];
		return this.version === 2 ? [pod] : [pod, ...(await below(pod))];
	}

	/**
	 * Tells of groups that come and go right below this one, and of its own end, until disposed. Undefined where it is gone, or where the kernel watches no
	 * more for this user.
	 */
	watch(group: string, changed: () => void): Disposable | undefined {
		try {
			const watcher = watch(group, { persistent: false }, (type) => {
				if (type === 'rename') changed(); // what is written to a group's files is no news
			});
			watcher.once('error', changed);
			return { [Symbol.dispose]: () => watcher.close() };
		} catch {
			return undefined;
		}
	}

	/** The group that the kernel's own writing behind is counted in; none on version 2, which knows whose it is. */
	ofKernel(): readonly string[] {
		return this.version === 1 ? [this.#root] : [];
	}

	/** Whether that group limits any device. */
	limitsKernel(): boolean {
		const files = ioRules(this.version, '', NO_LIMITS).map(({ file }) => file);
		return this.ofKernel().some((group) => files.some((file) => (readSmall(join(group, file)) ?? '').trim() !== ''));
	}

	/** Whether the group has what limits are written to: of version 2, only where the groups above it hand the io controller down. */
	canLimit(group: string): boolean {
		return ioRules(this.version, '', NO_LIMITS).every(({ file }) => readSmall(join(group, file)) !== undefined);
	}

	/** Makes the device's limits in a group these; what is so already is not written. A group or device that is gone is success. */
	async limit(group: string, device: string, limits: IoLimits): Promise<void> {
		for (const { file, standing, line } of ioRules(this.version, device, limits)) {
			const path = join(group, file);
			const now = readSmall(path)
				?.split('\n')
				.find((rule) => rule.startsWith(`${device} `));
			if (now !== standing) await writeFile(path, line, { flag: 'r+' }).catch(GONE);
		}
	}
}

function lacksWriting(version: 1 | 2, path: string): string | undefined {
	try {
		accessSync(path, constants.W_OK);
		return undefined;
	} catch (error) {
		return `the control groups (version ${version}) cannot be written: ${messageOf(error)}`;
	}
}

/** Level by level: pods are never below other pods. */
async function find(root: string, is: (name: string) => boolean): Promise<string | undefined> {
	let level: readonly string[] = [root];
	for (let depth = 0; depth < DEEPEST && level.length > 0; depth++) {
		const next: string[] = [];
		for (const folder of level)
			for (const name of await foldersIn(folder)) {
				if (is(name)) return join(folder, name);
				if (!/^pod|-pod/.test(name)) next.push(join(folder, name));
			}
		level = next;
	}
	return undefined;
}

async function below(folder: string): Promise<readonly string[]> {
	const children = (await foldersIn(folder)).map((name) => join(folder, name));
	return [...children, ...(await Promise.all(children.map(below))).flat()];
}

async function foldersIn(folder: string): Promise<readonly string[]> {
	const entries = (await readdir(folder, { withFileTypes: true }).catch(GONE)) ?? [];
	return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

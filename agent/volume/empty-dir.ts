/** emptyDir: a folder of the pod, a tmpfs, or huge pages as files. */
import { chmod, chown, mkdir, stat } from 'node:fs/promises';
import type { EmptyDirVolumeSource, Pod } from '../../api/gen/types.ts';
import { AppError } from '../../base/errors.ts';
import { mountCommands, type Mounter } from '../../host/mounter.ts';
import { mount, mountAt, readMounts } from '../../host/mounts.ts';
import { amountOf } from '../pod/amounts.ts';
import { isThere, markReady } from './ready.ts';

export interface EmptyDirBounds {
	/** What the node gives to pods. */
	readonly allocatableBytes: number;
	/** What the pod may use; 0 and less is no limit. */
	readonly podBytes: number;
	/** What is in memory can be kept off the disk. */
	readonly noswap: boolean;
}

export interface EmptyDirPlace {
	readonly folder: string;
	/** The file that says that it is as it is to be; what containers make of its owner and mode then stays. */
	readonly ready: string;
}

export async function setUpEmptyDir(
	{ folder, ready }: EmptyDirPlace,
	pod: Pod,
	source: EmptyDirVolumeSource,
	bounds: EmptyDirBounds,
	mounter: Mounter = mountCommands,
): Promise<void> {
	const fs = fileSystemOf(pod, source, bounds);
	const mounted = fs !== undefined && mountAt(await readMounts(), folder) !== undefined;
	if ((await isThere(ready)) && (fs === undefined ? await isThere(folder) : mounted)) return;
	await mkdir(folder, { recursive: true });
	// mkdir's mode passes the umask; chmod's does not.
	if (((await stat(folder)).mode & 0o777) !== 0o777) await chmod(folder, 0o777);
	if (fs !== undefined && !mounted) await (fs.type === 'tmpfs' ? mounter.tmpfs(folder, fs.options) : mount(fs.type, folder, fs));
	const fsGroup = pod.spec?.securityContext?.fsGroup;
	if (fsGroup !== undefined) {
		const { uid, mode } = await stat(folder);
		await chown(folder, uid, fsGroup);
		await chmod(folder, (mode & 0o7777) | 0o2770);
	}
	await markReady(ready);
}

/** What is mounted there; nothing on the node's own disk. Pure. AppError FailedPrecondition for pages that the pod does not ask for. */
export function fileSystemOf(
	pod: Pod,
	{ medium = '', sizeLimit }: EmptyDirVolumeSource,
	{ allocatableBytes, podBytes, noswap }: EmptyDirBounds,
): { readonly type: string; readonly options: readonly string[] } | undefined {
	if (medium === '') return undefined;
	if (medium !== 'Memory') return { type: 'hugetlbfs', options: [`pagesize=${pageSizeOf(pod, medium)}`] };
	const bounds = [allocatableBytes, podBytes, amountOf(sizeLimit ?? '0')].filter((bytes) => bytes > 0);
	const size = bounds.length === 0 ? [] : [`size=${Math.ceil(Math.min(...bounds))}`];
	return { type: 'tmpfs', options: [...size, ...(noswap ? ['noswap'] : [])] };
}

/** @param medium "HugePages", or "HugePages-2Mi" */
function pageSizeOf({ spec }: Pod, medium: string): string {
	const asking = [...(spec === undefined ? [] : [spec]), ...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
	const asked = asking.flatMap(({ resources: { limits, requests } = {} }) => Object.keys({ ...limits, ...requests }));
	const sizes = new Set(asked.flatMap((name) => (name.startsWith('hugepages-') ? [name.slice('hugepages-'.length)] : [])));
	const [, wanted] = /^HugePages-(.+)$/.exec(medium) ?? [];
	const [size, other] = wanted === undefined ? sizes : sizes.intersection(new Set([wanted]));
	if (size === undefined)
		throw new AppError(
			'FailedPrecondition',
			`medium ${medium}: hugePages storage requested, but there is no resource request for huge pages`,
		);
	if (other !== undefined)
		throw new AppError('FailedPrecondition', `medium: ${medium} can't be used if container requests multiple huge page sizes`);
	return size;
}

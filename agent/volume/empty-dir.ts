/** emptyDir: a folder of the pod, a tmpfs, or huge pages as files. */
import { chmod, chown, mkdir } from 'node:fs/promises';
import type { EmptyDirVolumeSource, Pod } from '../../api/gen/types.ts';
import { AppError } from '../../base/errors.ts';
import { mount, mountAt, readMounts } from '../../host/mounts.ts';
import { amountOf } from '../pod/amounts.ts';

export interface EmptyDirBounds {
	/** What the node gives to pods. */
	readonly allocatableBytes: number;
	/** What the pod may use; 0 and less is no limit. */
	readonly podBytes: number;
}

export async function setUpEmptyDir(folder: string, pod: Pod, source: EmptyDirVolumeSource, bounds: EmptyDirBounds): Promise<void> {
	const fsGroup = pod.spec?.securityContext?.fsGroup;
	await mkdir(folder, { recursive: true });
	const fs = fileSystemOf(pod, source, bounds);
	if (fs !== undefined && mountAt(await readMounts(), folder) === undefined) await mount(fs.type, folder, fs);
	if (fsGroup !== undefined) await chown(folder, 0, fsGroup);
	// mkdir's mode passes the umask; chmod's does not.
	await chmod(folder, fsGroup === undefined ? 0o777 : 0o2777);
}

/** What is mounted there; nothing on the node's own disk. Pure. AppError FailedPrecondition for pages that the pod does not ask for. */
export function fileSystemOf(
	pod: Pod,
	{ medium = '', sizeLimit }: EmptyDirVolumeSource,
	{ allocatableBytes, podBytes }: EmptyDirBounds,
): { readonly type: string; readonly options: readonly string[] } | undefined {
	if (medium === '') return undefined;
	if (medium !== 'Memory') return { type: 'hugetlbfs', options: [`pagesize=${pageSizeOf(pod, medium)}`] };
	const bounds = [allocatableBytes, podBytes, amountOf(sizeLimit ?? '0')].filter((bytes) => bytes > 0);
	return { type: 'tmpfs', options: bounds.length === 0 ? [] : [`size=${Math.ceil(Math.min(...bounds))}`] };
}

/** @param medium "HugePages", or "HugePages-2Mi" */
function pageSizeOf({ spec }: Pod, medium: string): string {
	const asked = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].flatMap(({ resources: { limits, requests } = {} }) =>
		Object.keys({ ...limits, ...requests }),
	);
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

/** The files of volumes made from API objects. Pure. */
import type { ConfigMap, KeyToPath, Secret } from '../../api/gen/types.ts';
import { AppError } from '../../base/errors.ts';

export interface VolumeFile {
	readonly data: Uint8Array;
	readonly mode: number;
	/** The user it belongs to, if not root. */
	readonly uid?: number | undefined;
}

/** By path below the volume's folder. */
export type VolumeFiles = ReadonlyMap<string, VolumeFile>;

export interface Selecting {
	readonly items?: readonly KeyToPath[] | undefined;
	readonly optional?: boolean | undefined;
}

/** API default. */
export const DEFAULT_MODE = 0o644;

export function configMapFiles(what: string, object: ConfigMap | undefined, selecting: Selecting, mode: number): VolumeFiles {
	const data = new Map<string, Uint8Array>();
	for (const [key, value] of Object.entries(object?.data ?? {})) data.set(key, Buffer.from(value));
	for (const [key, value] of Object.entries(object?.binaryData ?? {})) data.set(key, Buffer.from(value, 'base64'));
	return select(what, object === undefined ? undefined : data, selecting, mode);
}

export function secretFiles(what: string, object: Secret | undefined, selecting: Selecting, mode: number): VolumeFiles {
	const data = new Map(Object.entries(object?.data ?? {}).map(([key, value]): [string, Uint8Array] => [key, Buffer.from(value, 'base64')]));
	return select(what, object === undefined ? undefined : data, selecting, mode);
}

/** All keys, or the chosen ones under their paths. AppError NotFound for what is missing and not optional. */
function select(
	what: string,
	data: ReadonlyMap<string, Uint8Array> | undefined,
	{ items = [], optional = false }: Selecting,
	mode: number,
): VolumeFiles {
	if (data === undefined) {
		if (optional) return new Map();
		throw new AppError('NotFound', `${what} not found`);
	}
	if (items.length === 0) return new Map([...data].map(([key, bytes]) => [key, { data: bytes, mode }]));
	const files = new Map<string, VolumeFile>();
	for (const item of items) {
		const bytes = data.get(item.key);
		if (bytes === undefined) {
			if (optional) continue;
			throw new AppError(
				'NotFound',
				`${what.startsWith('secret') ? 'references non-existent secret' : 'configmap references non-existent config'} key: ${item.key}`,
			);
		}
		files.set(item.path, { data: bytes, mode: item.mode ?? mode });
	}
	return files;
}

/** Parameters of volumes: those of a StorageClass, fixed at creation, the mutable ones of a VolumeAttributesClass, and a pod's own words. Pure. */
import { AppError } from '../base/errors.ts';
import { BACKEND_KINDS, type BackendKind } from './backends/kinds.ts';
import type { IoLimits } from '../host/io-groups.ts';
import { LIMIT_NAMES, readLimits } from './qos/limits.ts';
import { parseBytes } from './size.ts';

type Strings = Readonly<Record<string, string>>;

/** Sidecars add facts under this prefix; they are not ours to judge. */
const FOREIGN_PREFIX = 'csi.storage.k8s.io/';

export interface Parameters {
	/** The back end that is asked for; undefined: the best one that the pool has. */
	readonly backend: BackendKind | undefined;
}

export function readParameters(given: Strings): Parameters {
	checkNames('Parameter', given, ['backend']);
	return { backend: readBackend(given) };
}

/** What a pod may say of a volume in its own words. */
export interface InlineParameters extends Parameters {
	/** Zero: not said. */
	readonly sizeBytes: number;
}

export function readInline(given: Strings): InlineParameters {
	checkNames('Attribute', given, ['backend', 'size']);
	const { size = '0' } = given;
	const sizeBytes = parseBytes(size);
	if (sizeBytes === undefined)
		throw new AppError('InvalidArgument', `Attribute size is bytes, or a number of Ki, Mi, Gi or Ti, not "${size}"`);
	return { backend: readBackend(given), sizeBytes };
}

function readBackend({ backend }: Strings): BackendKind | undefined {
	if (backend !== undefined && !(BACKEND_KINDS as readonly string[]).includes(backend))
		throw new AppError('InvalidArgument', `Back end "${backend}" is unknown; there is ${BACKEND_KINDS.join(', ')}`);
	return backend as BackendKind | undefined;
}

function checkNames(what: string, given: Strings, known: readonly string[]): void {
	const unknown = Object.keys(given).find((key) => !known.includes(key) && !key.startsWith(FOREIGN_PREFIX));
	if (unknown !== undefined) throw new AppError('InvalidArgument', `${what} "${unknown}" is unknown; there is ${known.join(', ')}`);
}

/** What can change while a volume lives. */
export interface MutableParameters {
	/** Overwrite the data before it is given back to the pool. */
	readonly secureErase: boolean;
	/** Read-ahead of the volume's device; undefined: the kernel's own. */
	readonly readAheadKiB: number | undefined;
	/** Of input and output, for the pods that use the volume. */
	readonly limits: IoLimits;
}

const MUTABLE = ['secureErase', 'readAheadKiB', ...LIMIT_NAMES];
const MOST_READ_AHEAD_KIB = 65_536;

/** Throws InvalidArgument for a name or value that is none. */
export function readMutable(given: Strings): MutableParameters {
	checkNames('Mutable parameter', given, MUTABLE);
	const { secureErase = 'false', readAheadKiB } = given;
	if (!['true', 'false'].includes(secureErase))
		throw new AppError('InvalidArgument', `Mutable parameter secureErase is true or false, not "${secureErase}"`);
	if (readAheadKiB !== undefined && (!/^\d{1,6}$/.test(readAheadKiB) || Number(readAheadKiB) > MOST_READ_AHEAD_KIB))
		throw new AppError('InvalidArgument', `Mutable parameter readAheadKiB is a number up to ${MOST_READ_AHEAD_KIB}, not "${readAheadKiB}"`);
	return {
		secureErase: secureErase === 'true',
		readAheadKiB: readAheadKiB === undefined ? undefined : Number(readAheadKiB),
		limits: readLimits(given),
	};
}

/** Why this host cannot, where it cannot. */
export interface HostLacks {
	readonly cannotErase: string | undefined;
	readonly cannotLimit: string | undefined;
}

/**
 * What a volume cannot keep is refused: folders and subvolumes have no image to overwrite, and no device to limit. Read-ahead is of devices, and nothing to
 * others. What the host cannot keep is told with the reason.
 */
export function checkMutable(
	{ backend }: { readonly backend: BackendKind },
	{ secureErase, limits }: MutableParameters,
	{ cannotErase, cannotLimit }: HostLacks,
): void {
	if (secureErase && backend !== 'loop')
		throw new AppError('InvalidArgument', `Mutable parameter secureErase needs the back end loop; this volume is in ${backend}`);
	if (secureErase && cannotErase !== undefined)
		throw new AppError('InvalidArgument', `Mutable parameter secureErase cannot be kept here: ${cannotErase}`);
	const limited = LIMIT_NAMES.find((name) => limits[name] !== undefined);
	if (limited === undefined) return;
	if (backend !== 'loop')
		throw new AppError('InvalidArgument', `Mutable parameter ${limited} needs the back end loop; this volume is in ${backend}`);
	if (cannotLimit !== undefined) throw new AppError('InvalidArgument', `Mutable parameter ${limited} cannot be kept here: ${cannotLimit}`);
}

export function sameStrings(a: Strings, b: Strings): boolean {
	const keys = Object.keys(a);
	return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}

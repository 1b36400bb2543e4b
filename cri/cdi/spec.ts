/** CDI specifications (https://github.com/cncf-tags/container-device-interface, versions up to 1.0.0) as they stand in files. Pure. */
import { AppError } from '../../base/errors.ts';

export interface CdiDeviceNode {
	readonly path: string;
	/** Where it is on the host; `path` unless given. */
	readonly hostPath?: string | undefined;
	readonly permissions?: string | undefined;
}

export interface CdiMount {
	readonly hostPath: string;
	readonly containerPath: string;
	readonly type?: string | undefined;
	readonly options?: readonly string[] | undefined;
}

export interface CdiEdits {
	readonly env?: readonly string[] | undefined;
	readonly deviceNodes?: readonly CdiDeviceNode[] | undefined;
	readonly mounts?: readonly CdiMount[] | undefined;
	readonly hooks?: readonly unknown[] | undefined;
	readonly additionalGids?: readonly number[] | undefined;
	readonly intelRdt?: unknown;
}

export interface CdiSpec {
	/** "vendor.com/class". */
	readonly kind: string;
	readonly devices: readonly { readonly name: string; readonly containerEdits: CdiEdits }[];
	/** Made for whichever of the devices. */
	readonly containerEdits?: CdiEdits | undefined;
}

const KIND = /^[A-Za-z0-9][A-Za-z0-9_.-]*\/[A-Za-z][A-Za-z0-9_-]*$/;
const NAME = /^[A-Za-z0-9][A-Za-z0-9_.:-]*$/;

/** Throws InvalidArgument with what is wrong. */
export function cdiSpec(value: unknown, file: string): CdiSpec {
	const wrong = (what: string): AppError => new AppError('InvalidArgument', `CDI specification "${file}": ${what}`);
	if (!isRecord(value)) throw wrong('not an object');
	const { cdiVersion, kind, devices } = value;
	if (typeof cdiVersion !== 'string' || !/^v?[01]\.\d+(\.\d+)?$/.test(cdiVersion))
		throw wrong(`version ${JSON.stringify(cdiVersion)} is unknown`);
	if (typeof kind !== 'string' || !KIND.test(kind)) throw wrong(`kind ${JSON.stringify(kind)} is none`);
	if (!Array.isArray(devices) || devices.length === 0) throw wrong('no devices');
	for (const device of devices as readonly unknown[])
		if (!isRecord(device) || typeof device['name'] !== 'string' || !NAME.test(device['name']) || !isRecord(device['containerEdits']))
			throw wrong(`a device needs a name and containerEdits: ${JSON.stringify(device)}`);
	return value as unknown as CdiSpec;
}

/** "vendor.com/class=name" in its parts. Throws InvalidArgument. */
export function cdiName(qualified: string): { readonly kind: string; readonly name: string } {
	const at = qualified.indexOf('=');
	const [kind, name] = [qualified.slice(0, at), qualified.slice(at + 1)];
	if (at < 0 || !KIND.test(kind) || !NAME.test(name)) throw new AppError('InvalidArgument', `"${qualified}" is no name of a CDI device`);
	return { kind, name };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

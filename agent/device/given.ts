/** What device plugins want done for a container, together. Pure. */
import type { ContainerAllocateResponse } from '../../wire/gen/deviceplugin.ts';
import type { Device, Mount } from '../runtime/runtime.ts';

export interface GivenDevices {
	readonly env: readonly { readonly name: string; readonly value: string }[];
	readonly mounts: readonly Mount[];
	readonly devices: readonly Device[];
	readonly annotations: Readonly<Record<string, string>>;
	/** Fully qualified names of the Container Device Interface. */
	readonly cdi: readonly string[];
}

export const NO_DEVICES: GivenDevices = { env: [], mounts: [], devices: [], annotations: {}, cdi: [] };

/** Of two that say the same the first counts. */
export function givenBy(responses: readonly ContainerAllocateResponse[]): GivenDevices {
	return {
		env: once(
			responses.flatMap(({ envs }) => Object.entries(envs).map(([name, value]) => ({ name, value }))),
			({ name }) => name,
		),
		mounts: once(
			responses.flatMap((r) => r.mounts.map(({ containerPath, hostPath, readOnly }) => ({ containerPath, hostPath, readOnly }))),
			({ containerPath }) => containerPath,
		),
		devices: once(
			responses.flatMap((r) =>
				r.devices.map(({ containerPath, hostPath, permissions }) => ({ containerPath, hostPath, readOnly: false, permissions })),
			),
			({ containerPath }) => containerPath,
		),
		annotations: Object.fromEntries(responses.flatMap((r) => Object.entries(r.annotations)).toReversed()),
		cdi: [...new Set(responses.flatMap((r) => r.cdiDevices.map(({ name }) => name)))],
	};
}

function once<T>(items: readonly T[], keyOf: (item: T) => string): readonly T[] {
	const keys = new Set<string>();
	return items.filter((item) => !keys.has(keyOf(item)) && keys.add(keyOf(item)));
}

/** Pods that went beyond their own limits of local storage, in upstream's words (eviction_manager.go). Pure. */
import type { Pod } from '../../api/gen/types.ts';
import { formatQuantity, parseQuantity } from '../../api/quantity.ts';
import { podLimits } from '../../api/pod/resources.ts';
import { sum, type Consumption, type Disks } from './consumption.ts';

export interface Excess {
	/** As the metric of evictions names it. */
	readonly signal: 'emptydirfs.limit' | 'ephemeralpodfs.limit' | 'ephemeralcontainerfs.limit';
	readonly message: string;
}

const RESOURCE = 'ephemeral-storage';

/** Nobody needs to measure a pod that has no limits. */
export function hasLocalLimits(pod: Pod): boolean {
	return (
		(pod.spec?.volumes ?? []).some((v) => v.emptyDir?.sizeLimit !== undefined && units(v.emptyDir.sizeLimit) > 0) ||
		[...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])].some((c) => c.resources?.limits?.[RESOURCE] !== undefined)
	);
}

/** The first limit that is exceeded. */
export function excessOf(pod: Pod, use: Consumption, { imagesApart }: Disks): Excess | undefined {
	for (const { name, emptyDir } of pod.spec?.volumes ?? []) {
		const limit = emptyDir?.sizeLimit;
		const used = use.volumes.find((v) => v.name === name)?.bytes;
		if (limit === undefined || used === undefined || units(limit) <= 0 || used <= units(limit)) continue;
		return { signal: 'emptydirfs.limit', message: `Usage of EmptyDir volume "${name}" exceeds the limit "${limit}". ` };
	}
	const total = podLimits(pod).get(RESOURCE);
	const logsAndLayers = use.containers.flatMap((c) => [c.logs, c.layer]);
	if (total !== undefined && sum([...logsAndLayers, ...use.volumes.filter((v) => !v.inMemory)]).bytes > Number(total.nano) / 1e9) {
		const message = `Pod ephemeral local storage usage exceeds the total limit of containers ${formatQuantity(total)}. `;
		return { signal: 'ephemeralpodfs.limit', message };
	}
	// As upstream has it, init containers count for the pod only.
	for (const { name, resources } of pod.spec?.containers ?? []) {
		const limit = resources?.limits?.[RESOURCE];
		const own = use.containers.find((c) => c.name === name);
		if (limit === undefined || own === undefined) continue;
		if (sum([own.logs, imagesApart ? undefined : own.layer]).bytes <= units(limit)) continue;
		return { signal: 'ephemeralcontainerfs.limit', message: `Container ${name} exceeded its local ephemeral storage limit "${limit}". ` };
	}
	return undefined;
}

function units(quantity: string): number {
	return Number(parseQuantity(quantity).nano) / 1e9;
}

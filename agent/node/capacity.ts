/** What the node has and gives. Pure. */
import type { Quantity } from '../../api/gen/types.ts';
import { formatQuantity, parseQuantity } from '../../api/quantity.ts';
import type { HostFacts } from '../../host/facts.ts';
import type { ResourceSettings } from '../config/resource-settings.ts';
import { amountIn } from '../eviction/threshold.ts';

export interface Capacity {
	readonly capacity: Readonly<Record<string, string>>;
	readonly allocatable: Readonly<Record<string, string>>;
}

export type Reservations = Pick<ResourceSettings, 'kubeReserved' | 'systemReserved' | 'thresholds'>;

/** Upstream's maxPods. */
export const MAX_PODS = 110;

/** Allocatable is capacity less what is reserved for the system, the agent, and the memory and disk at which eviction begins. */
export function capacityOf(host: HostFacts, diskBytes: number, maxPods: number, settings: Reservations): Capacity {
	const kibi = (bytes: number): string => `${Math.max(0, Math.floor(bytes / 1024))}Ki`;
	const hugePages = Object.entries(host.hugePages);
	const shared = {
		pods: String(maxPods),
		...Object.fromEntries(hugePages.map(([size, bytes]) => [`hugepages-${size}`, bytes === 0 ? '0' : kibi(bytes)])),
	};
	const hugeBytes = hugePages.reduce((sum, [, bytes]) => sum + bytes, 0);
	const cpu = BigInt(host.cpus) * 1_000_000_000n - reservedNano('cpu', settings);
	const memory = host.memoryBytes - hugeBytes - reservedMemoryBytes(host.memoryBytes, settings);
	const disk = diskBytes - reserved('ephemeral-storage', settings) - atEviction('nodefs.available', diskBytes, settings);
	return {
		capacity: { ...shared, cpu: String(host.cpus), memory: kibi(host.memoryBytes), 'ephemeral-storage': kibi(diskBytes) },
		allocatable: {
			...shared,
			cpu: formatQuantity({ nano: cpu < 0n ? 0n : cpu, format: 'DecimalSI' }),
			memory: kibi(memory),
			'ephemeral-storage': String(Math.max(0, Math.floor(disk))),
		},
	};
}

/** What the pods may use together, at most: capacity less what is reserved. What eviction keeps free is not in it. */
export function podsShare(
	host: Pick<HostFacts, 'cpus' | 'memoryBytes'>,
	settings: Reservations,
): { readonly milliCpu: number; readonly memoryBytes: number } {
	return {
		milliCpu: Math.max(0, host.cpus * 1000 - Number(reservedNano('cpu', settings) / 1_000_000n)),
		memoryBytes: Math.max(0, host.memoryBytes - reserved('memory', settings)),
	};
}

/** Bytes that are reserved for the system and the agent, and at which eviction begins. */
export function reservedMemoryBytes(memoryBytes: number, settings: Reservations): number {
	return reserved('memory', settings) + atEviction('memory.available', memoryBytes, settings);
}

function reserved(name: string, settings: Reservations): number {
	return Number(reservedNano(name, settings)) / 1e9;
}

function reservedNano(name: string, { kubeReserved, systemReserved }: Reservations): bigint {
	const of = (list: Readonly<Record<string, Quantity>>): bigint => {
		const given = list[name];
		return given === undefined ? 0n : parseQuantity(given).nano;
	};
	return of(kubeReserved) + of(systemReserved);
}

function atEviction(signal: string, capacity: number, { thresholds }: Reservations): number {
	const threshold = thresholds.find((t) => t.hard && t.signal === signal);
	return threshold === undefined ? 0 : amountIn(threshold.limit, capacity);
}

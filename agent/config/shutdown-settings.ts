/** What a KubeletConfiguration says of the node's shutdown. Pure. */
import { parseDuration } from '../../api/time.ts';
import type { KubeletConfiguration } from './configuration.ts';

/** Pods of this priority or more, up to the next one, get so long. */
export interface ShutdownGroup {
	readonly priority: number;
	readonly graceSeconds: number;
}

/** Lowest priority first; none: a shutdown waits for nobody. */
export type ShutdownSettings = readonly ShutdownGroup[];

export const SHUTDOWN_FIELDS: readonly string[] = [
	'shutdownGracePeriod',
	'shutdownGracePeriodCriticalPods',
	'shutdownGracePeriodByPodPriority',
];

/** scheduling.SystemCriticalPriority */
const CRITICAL = 2_000_000_000;

interface ByPriority {
	readonly priority?: number;
	readonly shutdownGracePeriodSeconds?: number;
}

export function shutdownSettingsOf(given: KubeletConfiguration): ShutdownSettings {
	const byPriority = (given['shutdownGracePeriodByPodPriority'] as readonly ByPriority[] | undefined) ?? [];
	if (byPriority.length > 0)
		return byPriority
			.map(({ priority = 0, shutdownGracePeriodSeconds = 0 }) => ({ priority, graceSeconds: shutdownGracePeriodSeconds }))
			.toSorted((a, b) => a.priority - b.priority);
	const [whole, critical] = [secondsOf(given['shutdownGracePeriod']), secondsOf(given['shutdownGracePeriodCriticalPods'])];
	if (whole === 0 || critical > whole) return [];
	return [
		{ priority: 0, graceSeconds: Math.floor(whole - critical) },
		{ priority: CRITICAL, graceSeconds: Math.floor(critical) },
	];
}

export function shutdownFaults(config: KubeletConfiguration): readonly string[] {
	const faults: string[] = [];
	const [whole, critical] = [config['shutdownGracePeriod'], config['shutdownGracePeriodCriticalPods']];
	const [wholeSeconds, criticalSeconds] = [secondsOf(whole), secondsOf(critical)];
	if (wholeSeconds < 1 && wholeSeconds !== 0)
		faults.push(`invalid configuration: shutdownGracePeriod ${String(wholeSeconds)}s must be either zero or otherwise >= 1 sec`);
	if (criticalSeconds < 1 && criticalSeconds !== 0)
		faults.push(
			`invalid configuration: shutdownGracePeriodCriticalPods ${String(criticalSeconds)}s must be either zero or otherwise >= 1 sec`,
		);
	if (criticalSeconds > wholeSeconds) faults.push('invalid configuration: shutdownGracePeriodCriticalPods must be <= shutdownGracePeriod');
	const list = (config['shutdownGracePeriodByPodPriority'] as readonly ByPriority[] | undefined) ?? [];
	if (list.length > 0 && (wholeSeconds > 0 || criticalSeconds > 0))
		faults.push('invalid configuration: cannot specify both shutdownGracePeriodByPodPriority and shutdownGracePeriod at the same time');
	return faults;
}

function secondsOf(duration: unknown): number {
	return typeof duration === 'string' ? Number(parseDuration(duration)) / 1e9 : 0;
}

/** What procMount Default hides of /proc and /sys (upstream's securitycontext defaults). */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const EVERYWHERE = [
	...['/proc/asound', '/proc/acpi', '/proc/interrupts', '/proc/kcore', '/proc/keys', '/proc/latency_stats', '/proc/timer_list'],
	...['/proc/timer_stats', '/proc/sched_debug', '/proc/scsi', '/sys/firmware', '/sys/devices/virtual/powercap'],
];
const PROCESSORS = '/sys/devices/system/cpu';

export const READONLY_PATHS: readonly string[] = ['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger'];

let ofMachine: readonly string[] | undefined;

/** Looked at once, as upstream does. */
export function maskedPaths(): readonly string[] {
	ofMachine ??= maskedPathsOf(PROCESSORS);
	return ofMachine;
}

/** How hot each processor became is hidden where the machine tells it. */
export function maskedPathsOf(processors: string): readonly string[] {
	const names = existsSync(processors) ? readdirSync(processors).filter((name) => /^cpu\d+$/.test(name)) : [];
	const throttles = names.toSorted().map((name) => join(processors, name, 'thermal_throttle'));
	return [...EVERYWHERE, ...throttles.filter((path) => existsSync(path))];
}
